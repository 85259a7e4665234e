//! What a run of the lanes found, for people and for programs.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde::Serialize;

use super::{Lane, Outcome};

/// What a run found.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Report {
    /// Cases played.
    pub cases: usize,
    /// Those that passed.
    pub passed: usize,
    /// By lane and family.
    pub families: Vec<Count>,
    /// By lane and language.
    pub languages: Vec<Count>,
    /// Cases of the regression lane that fail: the run has failed.
    pub broken: Vec<Outcome>,
    /// Challenges that fail, as is known.
    pub known: Vec<Outcome>,
    /// Challenges that pass: ready to be promoted.
    pub ready: Vec<String>,
}

/// How many cases of one sort passed.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Count {
    /// The lane.
    pub lane: Lane,
    /// The family or language.
    pub of: String,
    /// Cases played.
    pub cases: usize,
    /// Those that passed.
    pub passed: usize,
}

impl Report {
    /// What these outcomes come to.
    #[must_use]
    pub fn of(outcomes: &[Outcome]) -> Self {
        let counts = |name: fn(&Outcome) -> &String| {
            let mut counts: BTreeMap<(Lane, &str), (usize, usize)> = BTreeMap::new();
            for outcome in outcomes {
                let count = counts.entry((outcome.lane, name(outcome))).or_default();
                count.0 += 1;
                count.1 += usize::from(outcome.passes());
            }
            let count = |((lane, of), (cases, passed)): ((Lane, &str), (usize, usize))| Count {
                lane,
                of: of.to_owned(),
                cases,
                passed,
            };
            counts.into_iter().map(count).collect()
        };
        let failing = |lane: Lane| {
            outcomes.iter().filter(|one| one.lane == lane && !one.passes()).cloned().collect::<Vec<Outcome>>()
        };
        let ready = outcomes.iter().filter(|one| one.lane == Lane::Challenge && one.passes());
        Self {
            cases: outcomes.len(),
            passed: outcomes.iter().filter(|one| one.passes()).count(),
            families: counts(|one| &one.family),
            languages: counts(|one| &one.language),
            broken: failing(Lane::Regression),
            known: failing(Lane::Challenge),
            ready: ready.map(|one| one.id.clone()).collect(),
        }
    }

    /// The report as a page.
    #[must_use]
    pub fn markdown(&self) -> String {
        let mut page = format!("# Lanes of evaluation\n\n{} of {} cases pass.\n", self.passed, self.cases);
        for (title, counts) in [("family", &self.families), ("language", &self.languages)] {
            _ = writeln!(page, "\n| lane | {title} | cases | pass |\n|---|---|---|---|");
            for count in counts {
                let lane = count.lane.as_str();
                _ = writeln!(page, "| {lane} | {} | {} | {} |", count.of, count.cases, count.passed);
            }
        }
        for (title, outcomes) in [("Broken", &self.broken), ("Known failures", &self.known)] {
            if !outcomes.is_empty() {
                _ = writeln!(page, "\n## {title}\n");
            }
            for one in outcomes {
                let cite = one.cite.as_ref().map(|cite| format!(" ({cite})")).unwrap_or_default();
                _ = writeln!(page, "- `{}`, {}{cite}: {}", one.id, one.family, one.reason);
                one.wrong.iter().for_each(|wrong| _ = writeln!(page, "  - {}", wrong.replace('\n', " ")));
            }
        }
        if !self.ready.is_empty() {
            page.push_str("\n## Ready to promote\n\n");
            self.ready.iter().for_each(|id| _ = writeln!(page, "- `bench lanes promote {id}`"));
        }
        page
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_tells_the_broken_from_the_known_and_the_ready() {
        let outcome = |id: &str, lane, wrong: &[&str]| Outcome {
            id: id.to_owned(),
            lane,
            family: "recall".to_owned(),
            language: "en".to_owned(),
            reason: "It matters.".to_owned(),
            cite: None,
            wrong: wrong.iter().map(|one| (*one).to_owned()).collect(),
        };
        let report = Report::of(&[
            outcome("a", Lane::Regression, &[]),
            outcome("b", Lane::Regression, &["x"]),
            outcome("c", Lane::Challenge, &["y"]),
            outcome("d", Lane::Challenge, &[]),
        ]);
        assert_eq!(
            (report.cases, report.passed, report.ready.as_slice()),
            (4, 2, ["d".to_owned()].as_slice())
        );
        assert_eq!((report.broken[0].id.as_str(), report.known[0].id.as_str()), ("b", "c"));
        let page = report.markdown();
        for part in
            ["2 of 4 cases pass", "| regression | recall | 2 | 1 |", "## Broken", "`bench lanes promote d`"]
        {
            assert!(page.contains(part), "{page}");
        }
    }
}
