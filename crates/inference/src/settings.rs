//! Reading a settings file strictly: every key is known or refused, and an error names the file, the table and the key.

use std::fmt;
use std::ops::RangeInclusive;

use ledger::secret::secret_like;
use toml::{Table, Value};

/// What is wrong with a settings file. Never shows a value that looks like a key.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SettingsError(Box<SettingsProblem>);

/// The parts of a [`SettingsError`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SettingsProblem {
    /// The file, as it was named to the reader.
    pub file: String,
    /// The line, from 1, where it could be found.
    pub line: Option<usize>,
    /// The table, such as `tier.fast`.
    pub table: String,
    /// The key in it.
    pub key: Option<String>,
    /// What is wrong.
    pub problem: String,
    /// What to do.
    pub hint: String,
}

impl SettingsError {
    /// The parts: file, line, table, key, problem, hint.
    #[must_use]
    pub fn problem(&self) -> &SettingsProblem {
        &self.0
    }
}

impl From<SettingsProblem> for SettingsError {
    fn from(problem: SettingsProblem) -> Self {
        Self(Box::new(problem))
    }
}

impl fmt::Display for SettingsError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let SettingsProblem { file, line, table, key, problem, hint } = self.problem();
        formatter.write_str(file)?;
        if let Some(line) = line {
            write!(formatter, ":{line}")?;
        }
        formatter.write_str(": ")?;
        if !table.is_empty() {
            write!(formatter, "[{table}] ")?;
        }
        if let Some(key) = key {
            write!(formatter, "`{key}`: ")?;
        }
        write!(formatter, "{problem}; hint: {hint}")
    }
}

impl std::error::Error for SettingsError {}

/// A table of a file, from which keys are taken one by one; what is left at the end is unknown.
pub(crate) struct Reading<'file> {
    file: &'file str,
    text: &'file str,
    table: String,
    fields: Table,
    known: Vec<&'static str>,
}

/// Names under which people write a key itself.
const KEY_NAMES: [&str; 8] =
    ["api_key", "apikey", "api-key", "token", "access_token", "secret", "password", "bearer"];

/// What to do instead of writing a key into a file.
pub(crate) const KEY_HINT: &str = "write where it is: `key = { environment = \"NAME\" }`, `{ file = \"PATH\" }` or `{ command = [\"PROGRAM\", …] }`";

impl<'file> Reading<'file> {
    /// Reads a whole file.
    pub fn of(file: &'file str, text: &'file str) -> Result<Self, SettingsError> {
        let fields = text.parse::<Table>().map_err(|error| SettingsProblem {
            file: file.to_owned(),
            line: error.span().map(|span| line_of(text, span.start)),
            table: String::new(),
            key: None,
            problem: error.message().trim().replace('\n', ", "),
            hint: "mend the TOML there".to_owned(),
        })?;
        Ok(Self { file, text, table: String::new(), fields, known: Vec::new() })
    }

    /// An error at a key of this table, or at the table.
    pub fn error(
        &self,
        key: Option<&str>,
        problem: impl Into<String>,
        hint: impl Into<String>,
    ) -> SettingsError {
        SettingsError::from(SettingsProblem {
            file: self.file.to_owned(),
            line: self.find(key),
            table: self.table.clone(),
            key: key.map(str::to_owned),
            problem: problem.into(),
            hint: hint.into(),
        })
    }

    /// Takes a value of any type.
    pub fn any(&mut self, key: &'static str) -> Option<Value> {
        self.known.push(key);
        self.fields.remove(key)
    }

    /// Takes the tables below a key, by their names.
    pub fn tables(&mut self, key: &'static str) -> Result<Vec<(String, Self)>, SettingsError> {
        let Some(value) = self.any(key) else { return Ok(Vec::new()) };
        let Value::Table(tables) = value else {
            return Err(self.error(
                Some(key),
                "is no table",
                format!("write `[{key}.NAME]` before its keys"),
            ));
        };
        tables
            .into_iter()
            .map(|(name, value)| {
                let below = format!("{}{key}.{name}", self.prefix());
                match value {
                    Value::Table(fields) => Ok((name, self.below(below, fields))),
                    _ => Err(self.error(
                        Some(key),
                        format!("`{}` is no table", shown(&name)),
                        format!("write `[{key}.NAME]` before its keys"),
                    )),
                }
            })
            .collect()
    }

    /// Takes one table below a key.
    pub fn table(&mut self, key: &'static str) -> Result<Option<Self>, SettingsError> {
        match self.any(key) {
            None => Ok(None),
            Some(Value::Table(fields)) => Ok(Some(self.below(format!("{}{key}", self.prefix()), fields))),
            Some(_) => Err(self.error(Some(key), "is no table", format!("write `[{key}]` before its keys"))),
        }
    }

    fn below(&self, table: String, fields: Table) -> Self {
        Self { file: self.file, text: self.text, table, fields, known: Vec::new() }
    }

    fn prefix(&self) -> String {
        if self.table.is_empty() { String::new() } else { format!("{}.", self.table) }
    }

    /// Takes a text of at most `bytes_max` bytes that does not look like a key.
    pub fn text(&mut self, key: &'static str, bytes_max: usize) -> Result<Option<String>, SettingsError> {
        match self.any(key) {
            None => Ok(None),
            Some(Value::String(text)) if text.len() > bytes_max => Err(self.error(
                Some(key),
                format!("has {} bytes; {bytes_max} are allowed", text.len()),
                "shorten it",
            )),
            Some(Value::String(text)) if secret_like(&text).is_some() => {
                Err(self.error(Some(key), "looks like a key", KEY_HINT))
            }
            Some(Value::String(text)) => Ok(Some(text)),
            Some(_) => Err(self.error(Some(key), "is no text", format!("write `{key} = \"…\"`"))),
        }
    }

    /// Takes a whole number within bounds.
    pub fn number(
        &mut self,
        key: &'static str,
        bounds: RangeInclusive<u64>,
    ) -> Result<Option<u64>, SettingsError> {
        let Some(value) = self.any(key) else { return Ok(None) };
        let number = value.as_integer().and_then(|number| u64::try_from(number).ok());
        let (least, most) = (bounds.start(), bounds.end());
        match number.filter(|number| bounds.contains(number)) {
            Some(number) => Ok(Some(number)),
            None => Err(self.error(
                Some(key),
                format!("is no whole number from {least} to {most}"),
                format!("write `{key} = {least}` or more, up to {most}"),
            )),
        }
    }

    /// Takes a yes or no.
    pub fn flag(&mut self, key: &'static str) -> Result<Option<bool>, SettingsError> {
        match self.any(key) {
            None => Ok(None),
            Some(Value::Boolean(flag)) => Ok(Some(flag)),
            Some(_) => Err(self.error(
                Some(key),
                "is neither true nor false",
                format!("write `{key} = true` or `{key} = false`"),
            )),
        }
    }

    /// Takes a list of texts.
    pub fn texts(&mut self, key: &'static str) -> Result<Option<Vec<String>>, SettingsError> {
        let Some(value) = self.any(key) else { return Ok(None) };
        let wrong = || self.error(Some(key), "is no list of texts", format!("write `{key} = [\"…\"]`"));
        let Value::Array(items) = value else { return Err(wrong()) };
        let mut texts = Vec::with_capacity(items.len());
        for item in items {
            match item {
                Value::String(text) if secret_like(&text).is_some() => {
                    return Err(self.error(Some(key), "holds something that looks like a key", KEY_HINT));
                }
                Value::String(text) => texts.push(text),
                _ => return Err(wrong()),
            }
        }
        Ok(Some(texts))
    }

    /// The end of the table: whatever was not taken is unknown.
    pub fn finish(self) -> Result<(), SettingsError> {
        let Some(unknown) = self.fields.keys().next() else { return Ok(()) };
        if KEY_NAMES.contains(&unknown.to_lowercase().as_str()) {
            return Err(self.error(Some(unknown), "a key does not stand in this file", KEY_HINT));
        }
        let hint = match nearest(unknown, &self.known) {
            Some(known) => format!("did you mean `{known}`?"),
            None => format!("known here: `{}`", self.known.join("`, `")),
        };
        Err(self.error(Some(&shown(unknown)), "is not known", hint))
    }

    /// The line of a key, or of the table. The text is searched as people write it; what is found nowhere has no line.
    fn find(&self, key: Option<&str>) -> Option<usize> {
        let mut inside = self.table.is_empty();
        let mut header = None;
        for (number, line) in self.text.lines().enumerate() {
            let line = line.trim();
            if let Some(name) = line.strip_prefix('[') {
                let name = name.trim_start_matches('[').split(']').next().unwrap_or_default();
                inside = name.replace(['"', ' '], "") == self.table;
                if inside {
                    header = Some(number + 1);
                }
                continue;
            }
            let Some(key) = key.filter(|_| inside) else { continue };
            let rest = line.trim_start_matches('"').strip_prefix(key);
            if rest.is_some_and(|rest| rest.trim_start_matches('"').trim_start().starts_with(['=', '.'])) {
                return Some(number + 1);
            }
        }
        header
    }
}

/// A value as an error may show it.
pub(crate) fn shown(value: &str) -> String {
    match secret_like(value).is_some() {
        true => "…".to_owned(),
        false => value.chars().take(80).collect(),
    }
}

fn line_of(text: &str, at: usize) -> usize {
    text.as_bytes().iter().take(at).filter(|byte| **byte == b'\n').count() + 1
}

/// The known name most like `name`: within a third of its letters.
fn nearest<'known>(name: &str, known: &[&'known str]) -> Option<&'known str> {
    let most = name.chars().count().div_ceil(3);
    known
        .iter()
        .map(|candidate| (distance(name, candidate), *candidate))
        .filter(|(distance, _)| *distance <= most)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// Letters to change, drop or add to make one word the other.
fn distance(left: &str, right: &str) -> usize {
    let right: Vec<char> = right.chars().collect();
    let mut row: Vec<usize> = (0..=right.len()).collect();
    for (place, letter) in left.chars().take(64).enumerate() {
        let mut before = row[0];
        row[0] = place + 1;
        for (column, other) in right.iter().enumerate() {
            let changed = before + usize::from(letter != *other);
            before = row[column + 1];
            row[column + 1] = changed.min(before + 1).min(row[column] + 1);
        }
    }
    row[right.len()]
}
