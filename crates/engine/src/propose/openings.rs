//! Which rules a clause can possibly begin: told by its first letters, so that few patterns are ever run.
//!
//! Every rule is matched at the start of a clause. The literals it can begin with are read off its pattern once; a clause
//! then tries only the rules one of whose literals it begins with, and those that can begin with anything.

use regex_syntax::hir::literal::{ExtractKind, Extractor};

use super::rule::Rule;

/// The openings of a list of rules.
pub(super) struct Openings {
    /// Literals and the rule each belongs to, sorted by the literal.
    literals: Vec<(Vec<u8>, usize)>,
    /// Rules that can begin with anything.
    open: Vec<usize>,
}

impl Openings {
    pub(super) fn of(rules: &[Rule]) -> Self {
        let mut extractor = Extractor::new();
        extractor.kind(ExtractKind::Prefix).limit_total(512);
        let (mut literals, mut open) = (Vec::new(), Vec::new());
        for (number, rule) in rules.iter().enumerate() {
            let sequence = regex_syntax::parse(&rule.written).ok().map(|pattern| extractor.extract(&pattern));
            let known = sequence.as_ref().and_then(|sequence| sequence.literals());
            match known.filter(|known| known.iter().all(|literal| !literal.as_bytes().is_empty())) {
                Some(known) => {
                    literals.extend(known.iter().map(|literal| (literal.as_bytes().to_vec(), number)))
                }
                None => open.push(number),
            }
        }
        literals.sort();
        literals.dedup();
        Self { literals, open }
    }

    /// The rules that `clause` can possibly begin, in their order.
    pub(super) fn possible(&self, clause: &str) -> Vec<usize> {
        let clause = clause.as_bytes();
        let Some(first) = clause.first() else { return Vec::new() };
        let begins = self.literals.partition_point(|(literal, _)| literal.first() < Some(first));
        let mut rules: Vec<usize> = self.literals[begins..]
            .iter()
            .take_while(|(literal, _)| literal.first() == Some(first))
            .filter(|(literal, _)| clause.starts_with(literal))
            .map(|(_, rule)| *rule)
            .chain(self.open.iter().copied())
            .collect();
        rules.sort_unstable();
        rules.dedup();
        rules
    }
}

#[cfg(test)]
mod tests {
    use super::super::RULES;
    use super::*;

    #[test]
    fn hardly_a_rule_can_begin_with_anything() {
        let openings = Openings::of(&RULES);
        let open: Vec<&str> = openings.open.iter().map(|number| RULES[*number].written.as_str()).collect();
        assert!(open.len() * 10 <= RULES.len(), "{} of {}: {open:#?}", open.len(), RULES.len());
    }

    #[test]
    fn no_rule_that_matches_is_passed_over() {
        let openings = Openings::of(&RULES);
        for statement in include_str!("../../../../data/owner-statements/statements.tsv").lines() {
            let text = super::super::fold::fold(statement.split('\t').nth(2).unwrap_or_default());
            for (start, _) in text.char_indices().step_by(7) {
                let possible = openings.possible(&text[start..]);
                for (number, rule) in RULES.iter().enumerate() {
                    assert!(
                        !rule.begins(&text[start..]) || possible.contains(&number),
                        "`{}` on `{}`",
                        rule.written,
                        &text[start..]
                    );
                }
            }
        }
    }
}
