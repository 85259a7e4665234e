//! The data sets of this repository: where they are and how they are read.

use std::collections::BTreeSet;
use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};
use ledger::time::Instant;
use serde::Deserialize;
use serde_json::Value as Json;

/// The folder of the data sets, as it stood when this was built.
#[must_use]
pub fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../data")
}

/// The questions that come with a chat, which are no part of it.
pub const QUESTIONS: &str = "probing_questions.json";

/// Every file below `folder`, sorted, without `SOURCE.md`, licences and questions about the rest.
///
/// # Errors
/// When a folder cannot be read.
pub fn files(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let mut open = vec![folder.to_owned()];
    while let Some(next) = open.pop() {
        for entry in fs::read_dir(&next).with_context(|| format!("`{}`", next.display()))? {
            let path = entry?.path();
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            if path.is_dir() {
                open.push(path);
            } else if ![QUESTIONS, "SOURCE.md", "README.md"].contains(&name.as_str())
                && !name.starts_with("LICENSE")
            {
                found.push(path);
            }
        }
    }
    found.sort();
    Ok(found)
}

/// A change of a header field of a PEP.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct HeaderEvent {
    /// Its line in the file, from 0: of two at one instant the later line is the later change.
    pub line: usize,
    /// The number of the PEP.
    pub pep: u32,
    /// When.
    pub at: Instant,
    /// The header.
    pub field: String,
    /// What it said from then on; `None` when it said nothing.
    pub value: Option<String>,
}

impl HeaderEvent {
    /// The predicate of the registry for the header.
    #[must_use]
    pub fn predicate(&self) -> &'static str {
        match self.field.as_str() {
            "Title" => "title",
            "Python-Version" => "version",
            "Replaces" => "replaces",
            "Superseded-By" => "superseded_by",
            "Resolution" => "resolution",
            _ => "status",
        }
    }

    /// The entity of the PEP.
    #[must_use]
    pub fn entity(&self) -> String {
        format!("pep:{}", self.pep)
    }
}

/// The header events, in the order they happened.
///
/// # Errors
/// When the file is missing or a line is not as described in `SOURCE.md`.
pub fn header_events() -> Result<Vec<HeaderEvent>> {
    #[derive(Deserialize)]
    struct Line {
        pep: u32,
        date: String,
        field: String,
        value: String,
    }
    let path = folder().join("doc-history-peps/header_events.jsonl");
    let text = fs::read_to_string(&path).with_context(|| format!("`{}`", path.display()))?;
    let mut events = Vec::new();
    for (line, json) in text.lines().enumerate() {
        let read: Line = serde_json::from_str(json).with_context(|| format!("line {}", line + 1))?;
        events.push(HeaderEvent {
            line,
            pep: read.pep,
            at: read.date.parse().with_context(|| format!("line {}", line + 1))?,
            field: read.field,
            value: Some(read.value).filter(|value| !value.is_empty()),
        });
    }
    // Dates carry the committer's offset, so the file is not quite in the order of instants.
    events.sort_by_key(|event| (event.at, event.line));
    Ok(events)
}

/// Where a hostile text comes from.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Attack {
    /// Files full of planted credentials, line by line.
    Secrets,
    /// Prompt injections, jailbreaks and mail that carries them.
    Injection,
    /// Poisoned experiences.
    MemoryPoisoning,
}

impl Attack {
    /// The name of the data set.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Secrets => "attack-secrets",
            Self::Injection => "attack-injection",
            Self::MemoryPoisoning => "attack-memory-poisoning",
        }
    }
}

/// Every hostile text, once: the lines of the files of secrets, and of the others every text of some length.
///
/// # Errors
/// When a file cannot be read.
pub fn attacks() -> Result<Vec<(Attack, String)>> {
    let mut texts: Vec<(Attack, String)> = Vec::new();
    let archive = fs::read(folder().join("attack-secrets/leaky-repo.tar.gz"))?;
    for (name, bytes) in unpacked(&archive)? {
        if name.contains("/.leaky-meta/") || name.ends_with("LICENSE") {
            continue;
        }
        let text = String::from_utf8_lossy(&bytes);
        texts.extend(text.lines().map(|line| (Attack::Secrets, line.trim().to_owned())));
        // Also as a whole, the way a file is pasted.
        texts.push((Attack::Secrets, text.trim().to_owned()));
    }
    for (attack, name) in
        [(Attack::Injection, "attack-injection"), (Attack::MemoryPoisoning, "attack-memory-poisoning")]
    {
        for path in files(&folder().join(name))? {
            let text = fs::read_to_string(&path).with_context(|| format!("`{}`", path.display()))?;
            let mut found = Vec::new();
            match path.extension().and_then(|extension| extension.to_str()) {
                Some("json") => strings(&serde_json::from_str(&text)?, &mut found),
                Some("jsonl") => {
                    for line in text.lines().filter(|line| !line.trim().is_empty()) {
                        strings(&serde_json::from_str(line)?, &mut found);
                    }
                }
                _ => found.extend(text.lines().map(str::to_owned)),
            }
            texts.extend(found.into_iter().map(|text| (attack, text)));
        }
    }
    let mut seen = BTreeSet::new();
    texts.retain(|(_, text)| text.trim().chars().count() >= 12 && seen.insert(text.clone()));
    Ok(texts)
}

/// Every text inside a JSON value.
fn strings(value: &Json, found: &mut Vec<String>) {
    match value {
        Json::String(text) => found.push(text.clone()),
        Json::Array(items) => items.iter().for_each(|item| strings(item, found)),
        Json::Object(fields) => fields.values().for_each(|item| strings(item, found)),
        Json::Null | Json::Bool(_) | Json::Number(_) => {}
    }
}

/// The files of a gzipped tar archive.
fn unpacked(archive: &[u8]) -> Result<Vec<(String, Vec<u8>)>> {
    const BLOCK: usize = 512;
    let mut bytes = Vec::new();
    flate2::read::GzDecoder::new(archive).take(64 << 20).read_to_end(&mut bytes)?;
    let mut files = Vec::new();
    let mut at = 0;
    while let Some(header) = bytes.get(at..at + BLOCK).filter(|header| header[0] != 0) {
        let text = |field: &[u8]| {
            String::from_utf8_lossy(field).split('\0').next().unwrap_or_default().trim().to_owned()
        };
        let name = text(&header[..100]);
        let Ok(size) = usize::from_str_radix(&text(&header[124..136]), 8) else {
            bail!("`{name}`: its size in the archive is no number");
        };
        let begin = at + BLOCK;
        let content = bytes.get(begin..begin + size).with_context(|| format!("`{name}` is cut short"))?;
        if matches!(header[156], 0 | b'0') {
            files.push((name, content.to_vec()));
        }
        at = begin + size.div_ceil(BLOCK) * BLOCK;
    }
    Ok(files)
}

/// One thing a person says about themselves, with what should be remembered of it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Statement {
    /// Its id; a message that says two things has two statements with one id.
    pub id: String,
    /// `en` or `hr`.
    pub language: String,
    /// Whom it is about.
    pub entity: String,
    /// The predicate.
    pub predicate: String,
    /// The value.
    pub value: String,
    /// `assert` or `retract`.
    pub op: String,
    /// The words that say it.
    pub quote: String,
    /// The message.
    pub text: String,
}

/// The owner's statements with the expected extraction.
///
/// # Errors
/// When the file is missing or a row has not eight columns.
pub fn statements() -> Result<Vec<Statement>> {
    let text = fs::read_to_string(folder().join("owner-statements/statements.tsv"))?;
    let mut all = Vec::new();
    for (number, line) in text.lines().enumerate().skip(1).filter(|(_, line)| !line.is_empty()) {
        let cells: Vec<String> = line.split('\t').map(|cell| cell.replace("\\n", "\n")).collect();
        let Ok([id, language, entity, predicate, value, op, quote, text]) = <[String; 8]>::try_from(cells)
        else {
            bail!("statements.tsv line {}: not eight columns", number + 1);
        };
        all.push(Statement { id, language, entity, predicate, value, op, quote, text });
    }
    Ok(all)
}

/// What the owner's messages look like that say nothing to remember: `(language, text)`.
///
/// # Errors
/// When the file is missing.
pub fn not_statements() -> Result<Vec<(String, String)>> {
    let text = fs::read_to_string(folder().join("owner-statements/not-statements.tsv"))?;
    let row = |line: &str| {
        let mut cells = line.split('\t');
        Some((cells.nth(1)?.to_owned(), cells.nth(1)?.replace("\\n", "\n")))
    };
    Ok(text.lines().skip(1).filter_map(row).collect())
}

/// Sentences of the BEAM chats, in order: realistic words for load.
///
/// # Errors
/// When the chats are missing.
pub fn sentences() -> Result<Vec<String>> {
    let mut all = Vec::new();
    let mut seen = BTreeSet::new();
    for path in files(&folder().join("beam-100k"))? {
        let mut texts = Vec::new();
        strings(&serde_json::from_str(&fs::read_to_string(&path)?)?, &mut texts);
        for text in texts.iter().filter(|text| text.len() > 40) {
            for line in text.lines() {
                for sentence in line.split_inclusive(". ") {
                    let sentence = sentence.trim().trim_matches(['*', '-', '#', '`', ' ']);
                    let words = sentence.split_whitespace().count();
                    let plain = !sentence.contains(['{', '}', ';', '<', '>', '`', '|', '=', '[', '"']);
                    if (6..=28).contains(&words) && plain && seen.insert(sentence.to_owned()) {
                        all.push(sentence.to_owned());
                    }
                }
            }
        }
    }
    Ok(all)
}
