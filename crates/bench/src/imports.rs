//! Everything people arrive with, imported twice: the counts must balance, and the second time must change nothing.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context as _, Result};
use engine::observe::{AttachmentInput, Message, Observing, SourceInput};
use engine::{Call, Engine};
use importers::{Imported, Input, MessageDraft, Options, Shape, SourceDraft};
use ledger::evidence::Author;
use ledger::scope::Scope;
use ledger::source::Fidelity;

use crate::data::{files, folder};
use crate::machine::Limits;
use crate::measure::{Samples, digits, time};
use crate::report::{Report, Table};
use crate::stores::{StoreKind, clock, engine, scope};

/// The data sets imported.
pub const SETS: &[&str] = &["import-chat", "import-agent-sessions", "beam-100k"];

/// The most messages of one append.
const PER_APPEND: usize = 1_000;

/// What one import did.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// Files read.
    pub files: usize,
    /// Bytes of them.
    pub bytes: usize,
    /// Records met in them.
    pub records: u64,
    /// Records that became messages or documents.
    pub drafts: u64,
    /// Records refused by the importer.
    pub refused: u64,
    /// Records that continue another's message.
    pub joined: u64,
    /// Whether records = drafts + refused + joined.
    pub balances: bool,
    /// Messages stored anew.
    pub stored: u64,
    /// Messages that were there.
    pub duplicates: u64,
    /// Messages the engine could not take, with its reason.
    pub unfit: Vec<String>,
    /// Claims admitted.
    pub admitted: u64,
    /// The subject's last append afterwards.
    pub watermark: u64,
    /// How long reading the files took.
    pub reading: Duration,
    /// How long observing took.
    pub observing: Duration,
}

/// Imports one data set into `engine`.
///
/// # Errors
/// When a file cannot be read, or as the engine's verbs.
pub fn import(engine: &Engine, scope: &Scope, set: &str) -> Result<Outcome> {
    let root = folder();
    let paths: Vec<PathBuf> = files(&root.join(set))?;
    let mut outcome = Outcome { files: paths.len(), ..Outcome::default() };
    let (read, took) = time(|| -> Result<Imported> {
        let mut contents = Vec::with_capacity(paths.len());
        for path in &paths {
            let name = path.strip_prefix(&root).unwrap_or(path).to_string_lossy().into_owned();
            contents.push((name, fs::read(path).with_context(|| format!("`{}`", path.display()))?));
        }
        outcome.bytes = contents.iter().map(|(_, bytes)| bytes.len()).sum();
        let inputs: Vec<Input<'_>> = contents.iter().map(|(name, bytes)| Input { name, bytes }).collect();
        Ok(importers::read(None, &inputs, &Options::default()))
    });
    let imported = read?;
    outcome.reading = took;
    outcome.records = imported.records;
    outcome.drafts = imported.messages() + imported.documents();
    outcome.refused = imported.refused.len() as u64;
    outcome.joined = imported.joined;
    outcome.balances = imported.balances();
    let call = Call { scope, now: clock() };
    let (observed, took) = time(|| -> Result<()> {
        for source in &imported.sources {
            let mut batch = Vec::with_capacity(source.messages.len().min(PER_APPEND));
            for draft in &source.messages {
                let message = message(source, draft)?;
                match engine.check(call, &message) {
                    Ok(()) => batch.push(message),
                    Err(error) => outcome.unfit.push(format!("{}: {error}", source.reference)),
                }
            }
            while !batch.is_empty() {
                let rest = batch.split_off(batch.len().min(PER_APPEND));
                let observing = Observing { per_append: PER_APPEND, ..Observing::default() };
                for answer in engine.observe(call, std::mem::replace(&mut batch, rest), observing)? {
                    match answer.duplicate {
                        true => outcome.duplicates += 1,
                        false => outcome.stored += 1,
                    }
                    outcome.admitted += answer.counts.admitted;
                }
            }
        }
        Ok(())
    });
    observed?;
    outcome.observing = took;
    outcome.watermark = engine.store().head(scope)?.watermark;
    Ok(outcome)
}

/// A draft as a message.
fn message(source: &SourceDraft, draft: &MessageDraft) -> Result<Message> {
    let author = match draft.author {
        importers::Author::Owner => Author::Owner,
        importers::Author::Assistant => Author::Assistant,
        importers::Author::Service => Author::Service,
        importers::Author::External => Author::External,
    };
    let fidelity: Fidelity = serde_json::from_value(serde_json::to_value(source.fidelity)?)?;
    let agent_sent = !draft.proposals.is_empty();
    Ok(Message {
        source: SourceInput {
            kind: match source.shape {
                Shape::Document => "document".to_owned(),
                Shape::Conversation => source.kind.clone(),
            },
            reference: source.reference.clone(),
            title: source.title.clone(),
            authority: None,
            fidelity: Some(fidelity),
            mode: None,
            retention: None,
            lineage: None,
        },
        session: draft.session.clone(),
        author,
        author_name: draft.author_name.clone(),
        event_time: draft.event_time.as_ref().map(ToString::to_string),
        external_id: Some(draft.external_id.clone()),
        text: draft.text.clone(),
        attachments: draft
            .attachments
            .iter()
            .map(|attachment| AttachmentInput {
                name: attachment.name.clone(),
                media_type: attachment.media_type.clone().unwrap_or_default(),
                size: attachment.size.unwrap_or(0),
            })
            .collect(),
        proposals: agent_sent.then(|| draft.proposals.clone()),
        proposer: None,
        idempotency_key: None,
        kept_on_purpose: false,
    })
}

/// What is wrong with a first and a second import of one set; empty when all is well.
#[must_use]
pub fn broken(set: &str, first: &Outcome, second: &Outcome) -> Vec<String> {
    let mut broken = Vec::new();
    let mut must = |holds: bool, what: String| {
        if !holds {
            broken.push(format!("{set}: {what}"));
        }
    };
    must(first.balances && second.balances, "the importer's counts do not balance".to_owned());
    for (name, outcome) in [("first", first), ("second", second)] {
        let engine_side = outcome.stored + outcome.duplicates + outcome.unfit.len() as u64;
        must(
            engine_side == outcome.drafts,
            format!("{name}: {} drafts, {engine_side} accounted for", outcome.drafts),
        );
    }
    must(second.stored == 0, format!("the second import stored {} messages", second.stored));
    must(second.admitted == 0, format!("the second import admitted {} claims", second.admitted));
    must(
        first.watermark == second.watermark,
        format!("the second import moved the watermark from {} to {}", first.watermark, second.watermark),
    );
    broken
}

/// The instrument.
///
/// # Errors
/// As [`import`].
pub fn run(kinds: &[StoreKind], directory: &Path, runs: usize) -> Result<Report> {
    let mut report = Report::new("Imports, twice", "bench imports", Limits::measure(directory)?);
    let mut table = Table::new(
        "Every file of the set, formats recognised by content, `rules/1` on",
        &[
            "store",
            "set",
            "files",
            "MB",
            "records",
            "messages",
            "refused",
            "joined",
            "stored",
            "duplicate",
            "unfit",
            "claims",
            "2nd: stored",
            "duplicate",
            "watermark 1st = 2nd",
            "seconds (read + observe)",
            "messages/s, median (min–max)",
        ],
    );
    for kind in kinds {
        for set in SETS {
            let (mut rates, mut last) = (Samples::default(), None);
            for _ in 0..runs.max(1) {
                let place = tempfile::tempdir_in(directory)?;
                let engine = engine(kind.open(place.path())?);
                let scope = scope("importer")?;
                let first = import(&engine, &scope, set)?;
                let second = import(&engine, &scope, set)?;
                rates.push(first.stored as f64 / (first.reading + first.observing).as_secs_f64());
                report.failures.extend(broken(set, &first, &second));
                last = Some((first, second));
            }
            let Some((first, second)) = last else { continue };
            table.row([
                kind.as_str().to_owned(),
                (*set).to_owned(),
                first.files.to_string(),
                digits(first.bytes as f64 / 1e6),
                first.records.to_string(),
                first.drafts.to_string(),
                first.refused.to_string(),
                first.joined.to_string(),
                first.stored.to_string(),
                first.duplicates.to_string(),
                first.unfit.len().to_string(),
                first.admitted.to_string(),
                second.stored.to_string(),
                second.duplicates.to_string(),
                format!("{} = {}", first.watermark, second.watermark),
                format!(
                    "{} + {}",
                    digits(first.reading.as_secs_f64()),
                    digits(first.observing.as_secs_f64())
                ),
                rates.spread(),
            ]);
            report.notes.extend(first.unfit.iter().take(5).map(|what| format!("{set}: unfit: {what}")));
        }
    }
    report.tables.push(table);
    report
        .notes
        .push("Nobody is named as the owner, so in group chats nobody speaks for the owner.".to_owned());
    Ok(report)
}
