//! Reports: the same figures as Markdown for people and as JSON for programs.

use std::fmt::Write as _;

use serde::Serialize;

use crate::machine::Limits;
use crate::score::Interval;

/// What one instrument found.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// What was measured.
    pub title: String,
    /// The command that measures it again.
    pub command: String,
    /// What the machine itself can do, measured in the same run.
    pub machine: Limits,
    /// The figures.
    pub tables: Vec<Table>,
    /// Scores with their intervals, for programs; people read them in the tables.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub figures: Vec<Figure>,
    /// What a reader must know besides.
    pub notes: Vec<String>,
    /// What is not as it must be; empty when all is well. The command then ends with an error.
    pub failures: Vec<String>,
}

/// One score of one system.
#[derive(Clone, Debug, Serialize)]
pub struct Figure {
    /// The system.
    pub system: String,
    /// What is counted as found: `message`, `session`, or a budget.
    pub level: String,
    /// Which questions: `all`, a kind, a half.
    pub group: String,
    /// Which score.
    pub metric: String,
    /// Over how many questions.
    pub questions: usize,
    /// The score and how far to trust it.
    pub value: Interval,
}

/// Figures that belong together.
#[derive(Clone, Debug, Serialize)]
pub struct Table {
    /// What they are about.
    pub title: String,
    /// The names of the columns.
    pub columns: Vec<String>,
    /// The rows, as they are printed.
    pub rows: Vec<Vec<String>>,
}

impl Table {
    /// An empty table.
    #[must_use]
    pub fn new(title: &str, columns: &[&str]) -> Self {
        let columns = columns.iter().map(|column| (*column).to_owned()).collect();
        Self { title: title.to_owned(), columns, rows: Vec::new() }
    }

    /// Adds a row.
    pub fn row<Cell: ToString>(&mut self, cells: impl IntoIterator<Item = Cell>) {
        self.rows.push(cells.into_iter().map(|cell| cell.to_string()).collect());
    }

    /// Adds a row and tells it on standard error at once: for work so long that somebody waits for each figure.
    pub fn row_at_once<Cell: ToString>(&mut self, cells: impl IntoIterator<Item = Cell>) {
        self.row(cells);
        if let Some(row) = self.rows.last() {
            eprintln!("{}", row.join(" | "));
        }
    }
}

impl Report {
    /// A report without figures yet.
    #[must_use]
    pub fn new(title: &str, command: &str, machine: Limits) -> Self {
        Self {
            title: title.to_owned(),
            command: command.to_owned(),
            machine,
            tables: Vec::new(),
            figures: Vec::new(),
            notes: Vec::new(),
            failures: Vec::new(),
        }
    }

    /// Notes a failure unless `holds`.
    pub fn must(&mut self, holds: bool, failure: impl FnOnce() -> String) {
        if !holds {
            self.failures.push(failure());
        }
    }

    /// The report as Markdown.
    #[must_use]
    pub fn markdown(&self) -> String {
        let mut text = format!("# {}\n\n`{}`\n\n", self.title, self.command);
        text.push_str(&self.machine.markdown());
        for table in &self.tables {
            let cell = |text: &String| text.replace('|', "\\|").replace('\n', " ");
            let line = |cells: &[String]| {
                format!("| {} |\n", cells.iter().map(cell).collect::<Vec<_>>().join(" | "))
            };
            _ = writeln!(text, "\n## {}\n", table.title);
            text.push_str(&line(&table.columns));
            text.push_str(&format!("|{}\n", "---|".repeat(table.columns.len())));
            table.rows.iter().for_each(|row| text.push_str(&line(row)));
        }
        for (title, lines) in [("Notes", &self.notes), ("Failures", &self.failures)] {
            if !lines.is_empty() {
                _ = writeln!(text, "\n## {title}\n");
                lines.iter().for_each(|line| _ = writeln!(text, "- {line}"));
            }
        }
        text
    }
}
