//! `testimony import`.

use std::fs;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use engine::answer::Counts;
use importers::{Format, Input, Limits, Options};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use jiff::tz::{TimeZone, TimeZoneDatabase};
use ledger::source::Mode;
use serde::Serialize;
use testimony::drafts::{self, Choices};

use crate::context::{Context, Outcome};
use crate::failure::{Exit, Failure};
use crate::{interrupt, tell};

/// Take in other programs' files: conversations, session logs, documents
///
/// Directories are walked and zip archives opened. Every record is answered for: records = stored + duplicate + refused +
/// joined. Importing the same again changes nothing. Owner messages are looked through by the built-in rules.
#[derive(clap::Args)]
#[command(after_help = "\
Formats: auto, jsonl, chatgpt, claude-ai, slack, whatsapp, telegram, signal, instagram, agent-session, beam, markdown

Examples:
  testimony import auto conversations.json
  testimony import whatsapp --owner Ana --zone Europe/Zagreb \"WhatsApp Chat.zip\"
  testimony import agent-session ~/.claude/projects
  testimony import markdown --living --source handbook handbook.md")]
pub(crate) struct Arguments {
    /// The format, or `auto`
    #[arg(value_name = "FORMAT")]
    format: String,
    /// Files, archives or directories
    #[arg(value_name = "PATH", required = true)]
    paths: Vec<PathBuf>,
    /// Another name for the source, where there is only one
    #[arg(long, value_name = "REF")]
    source: Option<String>,
    /// The newest edition is the source's standing word; what it no longer says ends
    #[arg(long, conflicts_with = "snapshot")]
    living: bool,
    /// Every edition stays testimony of its date (the default)
    #[arg(long)]
    snapshot: bool,
    /// The owner's name or id in these files
    #[arg(long, value_name = "NAME")]
    owner: Option<String>,
    /// The zone of times that carry none
    #[arg(long, value_name = "ZONE", default_value = "UTC")]
    zone: String,
    /// Make no vectors now; a process that lives long, or `reembed`, makes them later
    #[arg(long)]
    no_embed: bool,
}

/// What became of an import.
#[derive(Serialize, Default)]
struct Answer {
    /// Files that were read, archives counted as one.
    files: u64,
    /// Messages found in conversations.
    messages: u64,
    /// Documents found.
    documents: u64,
    /// Every record that was not taken in.
    refused: Vec<Refusal>,
    counts: Records,
    /// What became of the proposals.
    proposals: Counts,
    notices: Vec<String>,
    watermark: u64,
    interrupted: bool,
}

/// `records = stored + duplicate + refused + joined`.
#[derive(Serialize, Default)]
struct Records {
    records: u64,
    stored: u64,
    duplicate: u64,
    refused: u64,
    /// Records whose words continue another's.
    joined: u64,
}

#[derive(Serialize)]
struct Refusal {
    file: String,
    place: String,
    reason: String,
    detail: String,
}

pub(crate) fn run(context: &Context, arguments: Arguments) -> Outcome {
    let format: Option<Format> = match arguments.format.as_str() {
        "auto" => None,
        word => Some(word.parse().map_err(|_| unknown_format(word))?),
    };
    let options =
        Options { owner: arguments.owner.clone(), zone: zone(&arguments.zone)?, limits: Limits::default() };
    let choices = Choices {
        reference: arguments.source.clone(),
        mode: arguments.living.then_some(Mode::Living).or(arguments.snapshot.then_some(Mode::Snapshot)),
    };
    let mut answer = Answer::default();
    let mut files = Vec::new();
    for path in &arguments.paths {
        find(path, &shown_name(path), &mut files, &mut answer)?;
    }
    let engine = context.create()?;
    interrupt::finish_in_flight();
    let bar = progress(context);
    bar.set_message("reading");
    let read: Vec<(String, Vec<u8>)> = read_files(files, &options.limits, &mut answer)?;
    let inputs: Vec<Input<'_>> = read.iter().map(|(name, bytes)| Input { name, bytes }).collect();
    let imported = importers::read(format, &inputs, &options);
    if choices.reference.is_some() && imported.sources.len() > 1 {
        let count = imported.sources.len();
        let message = format!("`--source` names one source, and these files hold {count}");
        return Err(Failure::input(message).hint("import them one by one, or leave `--source` out").into());
    }
    answer.messages = imported.messages();
    answer.documents = imported.documents();
    answer.counts.records += imported.records;
    answer.counts.joined = imported.joined;
    answer.refused.extend(imported.refused.iter().map(|refused| Refusal {
        file: refused.file.clone(),
        place: refused.place.clone(),
        reason: refused.reason.code().to_owned(),
        detail: refused.detail.clone(),
    }));
    answer.notices.extend(imported.notices.iter().cloned());
    let timeless = imported.sources.iter().flat_map(|source| &source.messages);
    let timeless = timeless.filter(|message| message.event_time.is_none()).count() as u64;
    if timeless > 0 {
        let messages = tell::count(timeless, "record carries", "records carry");
        answer.notices.push(format!("{messages} no time; placed at the time of import"));
    }
    drop(inputs);
    drop(read);
    bar.set_length(answer.messages + answer.documents);
    bar.set_message("taking in");
    let messages = imported.sources.into_iter().flat_map(|source| drafts::messages(source, &choices));
    let taken = engine.import(context.call(), messages, |done| {
        bar.set_position(done);
        if interrupt::asked() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    bar.finish_and_clear();
    let taken = taken?;
    answer.refused.extend(taken.refused.into_iter().map(|refused| Refusal {
        file: refused.source,
        place: refused.external_id.unwrap_or_else(|| "message".to_owned()),
        reason: refused.reason.to_owned(),
        detail: refused.detail,
    }));
    answer.counts.stored = taken.stored;
    answer.counts.duplicate = taken.duplicate;
    answer.counts.refused = answer.refused.len() as u64;
    answer.proposals = taken.proposals;
    answer.watermark = taken.watermark;
    answer.interrupted = taken.interrupted;
    context.notices(&answer.notices);
    context.answer(&answer, told)?;
    context.embed_some(&engine, arguments.no_embed || answer.interrupted);
    Ok(match (answer.interrupted, answer.counts.stored + answer.counts.duplicate) {
        (true, _) => Exit::Interrupted,
        (false, 0) => Exit::Refused,
        (false, _) => Exit::Done,
    })
}

fn unknown_format(word: &str) -> Failure {
    Failure::usage(format!("unknown format `{word}`"))
        .hint("`testimony import --help` lists the formats; `auto` recognises them")
}

fn zone(name: &str) -> Result<TimeZone, Failure> {
    if name == "UTC" {
        return Ok(TimeZone::UTC);
    }
    TimeZoneDatabase::bundled().get(name).map_err(|_| {
        Failure::input(format!("unknown time zone `{name}`")).hint("use an IANA name such as `Europe/Zagreb`")
    })
}

/// A file to be read, by the name it is shown under.
struct Found {
    path: PathBuf,
    name: String,
    bytes: u64,
}

/// The name a path is shown under, and sources without a name of their own are called by: its last part.
fn shown_name(path: &Path) -> String {
    let whole = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    whole.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
}

/// Every file at or below `path`, in the order of names. A link is followed only where the person named it.
fn find(path: &Path, name: &str, found: &mut Vec<Found>, answer: &mut Answer) -> Result<(), Failure> {
    let failed = |error: std::io::Error| Failure::file("read", path, &error);
    let about = fs::metadata(path).map_err(failed)?;
    if !about.is_dir() {
        if about.is_file() {
            found.push(Found { path: path.to_owned(), name: name.to_owned(), bytes: about.len() });
        } else {
            answer.refuse(name, "not_a_file", "neither a file nor a directory".to_owned());
        }
        return Ok(());
    }
    let mut entries =
        fs::read_dir(path).and_then(|listing| listing.collect::<Result<Vec<_>, _>>()).map_err(failed)?;
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        let name = format!("{name}/{}", entry.file_name().to_string_lossy());
        let kind = entry.file_type().map_err(failed)?;
        if kind.is_symlink() {
            answer.refuse(&name, "symlink", "a symbolic link; name its target to import it".to_owned());
        } else if let Err(error) = find(&entry.path(), &name, found, answer) {
            // What cannot be read below a directory is told, and the rest goes on.
            answer.refuse(&name, "unreadable", error.message);
        }
    }
    Ok(())
}

fn read_files(
    files: Vec<Found>,
    limits: &Limits,
    answer: &mut Answer,
) -> Result<Vec<(String, Vec<u8>)>, Failure> {
    let mut read = Vec::with_capacity(files.len());
    let only_one = files.len() == 1;
    for file in files {
        answer.files += 1;
        if file.bytes > limits.file_bytes_max {
            let detail = format!("`{}` bytes, at most `{}`", file.bytes, limits.file_bytes_max);
            answer.refuse(&file.name, "file_too_large", detail);
            continue;
        }
        match fs::read(&file.path) {
            Ok(bytes) => read.push((file.name, bytes)),
            Err(error) if only_one => return Err(Failure::file("read", &file.path, &error)),
            Err(error) => {
                let told = Failure::file("read", &file.path, &error);
                answer.refuse(&file.name, "unreadable", told.message);
            }
        }
    }
    Ok(read)
}

impl Answer {
    /// Refuses a whole file, as one record.
    fn refuse(&mut self, file: &str, reason: &str, detail: String) {
        self.counts.records += 1;
        self.refused.push(Refusal {
            file: file.to_owned(),
            place: "file".to_owned(),
            reason: reason.to_owned(),
            detail,
        });
    }
}

/// A bar on standard error; none where nobody watches.
pub(crate) fn progress(context: &Context) -> ProgressBar {
    if context.json {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
    // The template is a constant, so a fallback is never taken.
    let style = ProgressStyle::with_template("{msg} {wide_bar} {pos}/{len} {eta}")
        .unwrap_or_else(|_| ProgressStyle::default_bar());
    bar.with_style(style)
}

fn told(answer: &Answer) -> String {
    let counts = &answer.counts;
    let mut told = format!(
        "{}: {}, {}\n{} = {} stored + {} known already + {} refused + {} joined\n{} admitted, watermark {}\n",
        tell::count(answer.files, "file", "files"),
        tell::count(answer.messages, "message", "messages"),
        tell::count(answer.documents, "document", "documents"),
        tell::count(counts.records, "record", "records"),
        counts.stored,
        counts.duplicate,
        counts.refused,
        counts.joined,
        tell::count(answer.proposals.admitted, "claim", "claims"),
        answer.watermark,
    );
    let mut by_reason: std::collections::BTreeMap<&str, (u64, &Refusal)> = std::collections::BTreeMap::new();
    for refusal in &answer.refused {
        by_reason.entry(&refusal.reason).or_insert((0, refusal)).0 += 1;
    }
    for (reason, (number, first)) in by_reason {
        told.push_str(&format!(
            "  refused {number} as {reason}, the first at {} {}: {}\n",
            first.file, first.place, first.detail
        ));
    }
    told
}
