//! No SQL is put together from pieces: a statement is a constant, and what varies is bound. So nothing a person says can
//! become SQL, and every statement can be read where it stands.

use crate::finding::{Finding, line_of};
use crate::rust::Parts;
use crate::tree::Tree;

/// Calls whose first argument is SQL.
const CALLS: [&str; 8] = [
    "execute",
    "execute_batch",
    "prepare",
    "prepare_cached",
    "query",
    "query_one",
    "query_row",
    "batch_execute",
];

/// How text is put together.
const JOINS: [&str; 6] = ["format!", " + ", ".concat(", ".join(", ".replace(", ".push_str("];

/// What SQL begins with.
const VERBS: [&str; 8] =
    ["SELECT ", "INSERT ", "UPDATE ", "DELETE ", "CREATE ", "DROP ", "ALTER ", "PRAGMA "];

const FIX: &str = "write the statement as one constant and bind what varies";

/// Finds SQL put together in the sources of stores.
pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    tree.rust()
        .filter(|(path, _)| path.starts_with("crates/store-") && path.contains("/src/"))
        .flat_map(|(path, text)| check_file(path, text))
        .collect()
}

fn check_file(path: &str, text: &str) -> Vec<Finding> {
    let parts = Parts::of(text);
    let mut findings = Vec::new();
    for call in CALLS {
        let needle = format!(".{call}(");
        for (at, _) in parts.code.match_indices(&needle) {
            let argument = first_argument(&parts.code[at + needle.len()..]);
            if let Some(join) = JOINS.iter().find(|join| argument.contains(*join)) {
                let what = format!("`{call}` is handed SQL put together with `{}`", join.trim());
                findings.push(Finding::new(path, line_of(text, at), what, FIX));
            }
        }
    }
    for maker in ["format!(", "write!(", "writeln!(", ".push_str("] {
        for (at, _) in parts.code.match_indices(maker) {
            let begins = at + maker.len();
            let argument = &text[begins..begins + call_length(&parts.code[begins..])];
            let literal = argument.split_once('"').map_or("", |(_, literal)| literal).trim_start();
            if VERBS.iter().any(|verb| literal.starts_with(verb)) {
                let maker = maker.trim_matches(['.', '(']);
                let what = format!("SQL is put together with `{maker}`");
                findings.push(Finding::new(path, line_of(text, at), what, FIX));
            }
        }
    }
    findings.sort_by_key(|finding| finding.line);
    findings.dedup_by_key(|finding| finding.line);
    findings
}

/// The code of a call's first argument.
fn first_argument(code: &str) -> &str {
    &code[..length(code, true)]
}

/// How long the arguments of a call are.
fn call_length(code: &str) -> usize {
    length(code, false)
}

fn length(code: &str, to_comma: bool) -> usize {
    let mut depth = 0_usize;
    for (at, character) in code.char_indices() {
        match character {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' if depth == 0 => return at,
            ')' | ']' | '}' => depth -= 1,
            ',' if depth == 0 && to_comma => return at,
            _ => {}
        }
    }
    code.len()
}

#[cfg(test)]
mod tests {
    use super::super::testing::found;
    use super::*;

    #[test]
    fn put_together_is_found_and_bound_is_not() {
        let cases = [
            ("c.execute(\"DELETE FROM a WHERE b = ?\", [x + y])", None),
            ("c.execute(SQL, params![format!(\"{x}\")])", None),
            (
                "c.execute(&format!(\"DELETE FROM {table}\"), [])",
                Some("`execute` is handed SQL put together with `format!`"),
            ),
            ("c.prepare(&(BEGIN.to_owned() + rest))?", Some("`prepare` is handed SQL put together with `+`")),
            (
                "let sql = format!(\n    \"SELECT * FROM {a}\"); c.query(&sql, [])",
                Some("SQL is put together with `format!`"),
            ),
            ("sql.push_str(\"DELETE FROM a\")", Some("SQL is put together with `push_str`")),
            ("format!(\"cannot SELECT {a}\")", None),
            ("// c.execute(&format!(\"DELETE\"))", None),
        ];
        for (source, wrong) in cases {
            let expected: Vec<String> =
                wrong.iter().map(|wrong| format!("crates/store-a/src/b.rs:1 {wrong}")).collect();
            assert_eq!(found(check, &[("crates/store-a/src/b.rs", source)]), expected, "{source}");
            assert!(found(check, &[("crates/engine/src/b.rs", source)]).is_empty());
        }
    }
}
