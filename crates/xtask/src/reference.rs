//! The pages of `docs/reference/`, written from the files they describe, so that they cannot say anything else.

use anyhow::{Context, Result, bail};
use toml::{Table, Value};

use crate::tree::Tree;

/// Where the predicates are.
pub(crate) const PREDICATES: &str = "policy/predicates.toml";

/// Where the admission policy is.
pub(crate) const ADMISSION: &str = "policy/admission/1.toml";

/// Where the limits are.
pub(crate) const LIMITS: &str = "crates/ledger/src/limits.rs";

/// Where the gate's codes are.
pub(crate) const GATE: &str = "crates/ledger/src/gate.rs";

/// A generated page.
pub(crate) struct Page {
    /// Where it stands.
    pub(crate) path: &'static str,
    /// What it says.
    pub(crate) text: String,
}

/// A way a proposal can be refused.
pub(crate) struct GateCode {
    /// The stable word.
    pub(crate) name: String,
    /// What it means, from the source.
    pub(crate) meaning: String,
}

/// Every page, made from the tree.
pub(crate) fn pages(tree: &Tree) -> Result<Vec<Page>> {
    Ok(vec![
        Page { path: "docs/reference/predicates.md", text: predicates_page(tree)? },
        Page { path: "docs/reference/gate-codes.md", text: gate_codes_page(&gate_codes(tree)?) },
        Page { path: "docs/reference/limits.md", text: limits_page(tree)? },
    ])
}

/// The codes of the gate in the order of its checks, read from the table in its source.
pub(crate) fn gate_codes(tree: &Tree) -> Result<Vec<GateCode>> {
    let source = tree.get(GATE).with_context(|| format!("`{GATE}` is missing"))?;
    let (_, table) = source
        .split_once("    RefusalCode {\n")
        .with_context(|| format!("`{GATE}` has no table `RefusalCode`"))?;
    let mut codes = Vec::new();
    let mut meaning = String::new();
    for line in table.lines().map(str::trim) {
        if let Some(doc) = line.strip_prefix("///") {
            if !meaning.is_empty() {
                meaning.push(' ');
            }
            meaning.push_str(doc.trim());
        } else if let Some((_, name)) = line.split_once(" = \"") {
            let name = name.trim_end_matches([',', '"']).to_owned();
            codes.push(GateCode { name, meaning: std::mem::take(&mut meaning) });
        } else if line == "}" {
            break;
        }
    }
    match codes.is_empty() {
        true => bail!("table `RefusalCode` in `{GATE}` has no codes"),
        false => Ok(codes),
    }
}

fn gate_codes_page(codes: &[GateCode]) -> String {
    let mut page = format!(
        "# Gate codes\n\nGenerated from `{GATE}` by `cargo run -p xtask -- reference`; do not edit.\n\n\
         A proposal meets these checks in this order, and the first that fails decides. What an agent does about each is in\n\
         [the guide for agents](../guides/agents.md).\n\n| | code | the proposal is refused because |\n|---|---|---|\n"
    );
    for (number, code) in codes.iter().enumerate() {
        page.push_str(&format!("| {} | `{}` | {} |\n", number + 1, code.name, because(&code.meaning)));
    }
    page.push_str(
        "\nOne more code stands beside these and is not the gate's: `forgotten`, when the words, their message or their source were\n\
         forgotten on request.\n",
    );
    page
}

/// The page of the limits, read row by row from the table in the source.
fn limits_page(tree: &Tree) -> Result<String> {
    let source = tree.get(LIMITS).with_context(|| format!("`{LIMITS}` is missing"))?;
    let (_, table) =
        source.split_once("\nlimits! {\n").with_context(|| format!("`{LIMITS}` has no table `limits!`"))?;
    let mut page = format!(
        "# Limits\n\nGenerated from `{LIMITS}` by `cargo run -p xtask -- reference`; do not edit.\n\n\
         What is over a limit is refused before the work is done. The error carries the code below, and says which input it was,\n\
         what was found, what is allowed, and what to do. `testimony doctor` tells how often each was met in the last thirty days.\n\n\
         | code | what | at most | for each | instead |\n|---|---|---|---|---|\n"
    );
    let mut meaning = String::new();
    let mut rows = 0;
    for line in table.lines().map(str::trim).take_while(|line| *line != "}") {
        if let Some(doc) = line.strip_prefix("///") {
            meaning.push_str(doc);
            continue;
        }
        // NUMBER NAME "code" MAX "unit" "per" "fix";
        let parts: Vec<&str> = line.split('"').collect();
        let [_, code, max, unit, _, per, _, fix, ";"] = parts.as_slice() else {
            bail!("a row of `limits!` in `{LIMITS}` does not read: {line}");
        };
        let (meaning, max) = (std::mem::take(&mut meaning), max.trim().replace('_', " "));
        let what = meaning.trim().trim_end_matches('.');
        page.push_str(&format!("| `{code}` | {what} | {max} {unit} | {per} | {fix} |\n"));
        rows += 1;
    }
    match rows {
        0 => bail!("table `limits!` in `{LIMITS}` has no rows"),
        _ => Ok(page),
    }
}

/// The meaning as the end of a sentence that begins "because".
fn because(meaning: &str) -> String {
    let meaning = meaning.trim_end_matches('.');
    let mut letters = meaning.chars();
    match letters.next() {
        Some(first) => first.to_lowercase().chain(letters).collect(),
        None => String::new(),
    }
}

fn predicates_page(tree: &Tree) -> Result<String> {
    let text = tree.get(PREDICATES).with_context(|| format!("`{PREDICATES}` is missing"))?;
    let table: Table = text.parse().with_context(|| format!("`{PREDICATES}` does not read"))?;
    let admission = tree.get(ADMISSION).with_context(|| format!("`{ADMISSION}` is missing"))?;
    let admission: Table = admission.parse().with_context(|| format!("`{ADMISSION}` does not read"))?;
    let version = table.get("version").and_then(Value::as_str).unwrap_or_default();
    let predicates = table.get("predicate").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let mut page = format!(
        "# Predicates\n\nGenerated from `{PREDICATES}` (`{version}`) and `{ADMISSION}` by `cargo run -p xtask -- reference`;\n\
         do not edit.\n\n\
         What a claim may state: {} predicates. A value of a predicate that has *one* takes the place of the one before; values of\n\
         one that has *many* stand side by side. *Always wanted*: a turn may carry it although it does not match the request.\n",
        predicates.len()
    );
    let mut class = "";
    for predicate in predicates {
        let word = |key: &str, otherwise: &'static str| {
            predicate.get(key).and_then(Value::as_str).unwrap_or(otherwise).replace('|', "\\|")
        };
        let of = predicate.get("class").and_then(Value::as_str).unwrap_or_default();
        if of != class {
            class = of;
            page.push_str(&format!("\n## {class}\n\n"));
            page.push_str("| predicate | read as | value | has | shape | least confidence | |\n");
            page.push_str("|---|---|---|---|---|---|---|\n");
        }
        let name = word("name", "");
        let label =
            predicate.get("label").and_then(Value::as_str).map_or(name.replace('_', " "), str::to_owned);
        let confidence = least_confidence(predicate, &name, &admission);
        let is = |key: &str| predicate.get(key).and_then(Value::as_bool).unwrap_or(false);
        let marks: Vec<&str> = [("important", "always wanted"), ("negative", "says what is not to be")]
            .into_iter()
            .filter(|(key, _)| is(key))
            .map(|(_, mark)| mark)
            .collect();
        page.push_str(&format!(
            "| `{name}` | {label} | {} | {} | {} | {confidence:.2} | {} |\n",
            word("value", "").replace('_', " "),
            word("cardinality", ""),
            word("shape", "state"),
            marks.join(", ")
        ));
    }
    Ok(page)
}

/// What a proposal needs: the predicate's own least, raised by the admission policy's and by its override.
fn least_confidence(predicate: &Value, name: &str, admission: &Table) -> f64 {
    let least = |table: &Value| table.get("min_confidence").and_then(Value::as_float);
    let overrides = admission.get("override").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let own = overrides.iter().find(|one| one.get("predicate").and_then(Value::as_str) == Some(name));
    let everywhere = admission.get("min_confidence").and_then(Value::as_float);
    let raised = [everywhere, own.and_then(least)].into_iter().flatten();
    raised.fold(least(predicate).unwrap_or(0.6), f64::max)
}

/// A small tree the pages can be made from.
#[cfg(test)]
pub(crate) const SAMPLE: [(&str, &str); 4] = [
    (
        LIMITS,
        "macro_rules! limits { x }\n\nlimits! {\n    /// The text\n    /// of a message.\n    0 TEXT \"too_long\" 1_024 \"bytes\" \
         \"message\" \"cut it\";\n}\n",
    ),
    (
        PREDICATES,
        "schema = 1\nversion = \"predicates/1\"\n[[predicate]]\nname = \"home_city\"\nclass = \"identity\"\nvalue = \"text\"\n\
         cardinality = \"one\"\nimportant = true\nmin_confidence = 0.7\n[[predicate]]\nname = \"likes\"\nlabel = \"likes to\"\n\
         class = \"preference\"\nvalue = \"text\"\ncardinality = \"many\"\n",
    ),
    (ADMISSION, "min_confidence = 0.5\n[[override]]\npredicate = \"likes\"\nmin_confidence = 0.85\n"),
    (
        GATE,
        "words! {\n    /// Why.\n    RefusalCode {\n        /// Beyond the\n        /// number.\n        TooMany = \"too_many\",\n        \
         /// Not sure.\n        Low = \"low_confidence\",\n    }\n}\nwords! { Other { /// No.\n A = \"a\", } }\n",
    ),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_tell_what_the_files_say() {
        let pages = pages(&Tree::of(&SAMPLE)).expect("pages");
        let predicates = &pages[0].text;
        assert!(
            predicates.contains("| `home_city` | home city | text | one | state | 0.70 | always wanted |"),
            "{predicates}"
        );
        assert!(predicates.contains("## preference"), "{predicates}");
        assert!(
            predicates.contains("| `likes` | likes to | text | many | state | 0.85 |  |"),
            "{predicates}"
        );
        let codes = &pages[1].text;
        assert!(codes.contains("| 1 | `too_many` | beyond the number |"), "{codes}");
        assert!(codes.contains("| 2 | `low_confidence` | not sure |"), "{codes}");
        assert!(!codes.contains("`a`"), "{codes}");
        let limits = &pages[2].text;
        assert!(
            limits.contains("| `too_long` | The text of a message | 1 024 bytes | message | cut it |"),
            "{limits}"
        );
    }

    #[test]
    fn a_missing_table_is_an_error() {
        assert!(pages(&Tree::of(&[(PREDICATES, "version = \"1\"")])).is_err());
        assert!(gate_codes(&Tree::of(&[(GATE, "enum RefusalCode { A }")])).is_err());
    }
}
