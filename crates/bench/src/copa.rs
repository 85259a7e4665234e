//! COPA-HR: a Croatian premise, and two sentences of which one is its cause or effect. Is the right one nearer?

use std::fs;
use std::path::Path;

use anyhow::{Context as _, Result};
use inference::embed::Role;
use serde::Deserialize;

use crate::data::folder;
use crate::embedding::{embed, likeness, open, share, share_right};
use crate::machine::Limits;
use crate::report::{Report, Table};

#[derive(Deserialize)]
struct Item {
    premise: String,
    question: String,
    choice1: String,
    choice2: String,
    label: usize,
}

/// How often the right choice is nearer, and how often it or the other is the nearest of all choices in the set.
///
/// # Errors
/// When the model or the data set is missing.
pub fn run(directory: &Path) -> Result<Report> {
    let machine = Limits::measure(directory)?;
    let model = open()?;
    let path = folder().join("copa-hr/test-hr.jsonl");
    let text = fs::read_to_string(&path).with_context(|| format!("`{}`", path.display()))?;
    let items: Vec<Item> = text.lines().map(serde_json::from_str).collect::<Result<_, _>>()?;
    let premises: Vec<&str> = items.iter().map(|item| item.premise.as_str()).collect();
    let choices: Vec<&str> = items.iter().flat_map(|item| [&*item.choice1, &*item.choice2]).collect();
    let mut report = Report::new("COPA-HR: the right choice is nearer", "bench copa-hr", machine);
    let mut table = Table::new(
        "Share right",
        &[
            "choices as",
            "right choice nearer",
            "of causes",
            "of effects",
            "right choice first of all 1,000",
            "a choice of its own first",
        ],
    );
    let asked = embed(&model, Role::Query, &premises)?;
    for (role, word) in [(Role::Query, "query"), (Role::Passage, "passage")] {
        let offered = embed(&model, role, &choices)?;
        let right = |place: usize| {
            let near = |choice: usize| likeness(&asked[place], &offered[place * 2 + choice]);
            (near(1) > near(0)) == (items[place].label == 1)
        };
        let among = |kind: Option<&str>| {
            let places: Vec<usize> = (0..items.len())
                .filter(|place| kind.is_none_or(|kind| items[*place].question == kind))
                .collect();
            places.iter().filter(|place| right(**place)).count() as f64 / places.len().max(1) as f64
        };
        let first = share_right(&asked, &offered, |place, nearest| nearest == place * 2 + items[place].label);
        let own = share_right(&asked, &offered, |place, nearest| nearest / 2 == place);
        let cells = [among(None), among(Some("cause")), among(Some("effect")), first, own].map(share);
        table.row(std::iter::once(word.to_owned()).chain(cells));
    }
    report.tables.push(table);
    report.notes.push(
        "Both choices are about the premise, so nearness alone says little about which follows from it; 0.500 is chance.".to_owned(),
    );
    Ok(report)
}
