//! `testimony import`.

use std::fs;
use std::io::Read;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use engine::Engine;
use engine::answer::Counts;
use importers::{Format, Imported, Input, JsonLines, Limits, Options};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use jiff::tz::{TimeZone, TimeZoneDatabase};
use ledger::limits::Limit;
use ledger::source::Mode;
use serde::Serialize;
use testimony::drafts::{self, Choices};

use crate::context::{Context, Outcome};
use crate::failure::{Exit, Failure, Stop};
use crate::whole_lines::{Piece, WholeLines};
use crate::{hits, interrupt, tell};

/// Take in other programs' files: conversations, session logs, documents
///
/// Directories are walked and zip archives opened. JSON Lines may be of any size; other files are read whole. Every record is answered for: records = stored + duplicate + refused +
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
    let options = Options { owner: arguments.owner.clone(), zone: zone(&arguments.zone)?, limits: limits() };
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
    let (large, files) = set_large_apart(format, files);
    if choices.reference.is_some() && large.len() + usize::from(!files.is_empty()) > 1 {
        return Err(several_sources().into());
    }
    let mut taking =
        Taking { context, engine: &engine, choices: &choices, bar: &bar, answer, timeless: 0, only: None };
    for file in large {
        if !taking.answer.interrupted {
            taking.take_large(&file, &options)?;
        }
    }
    if !taking.answer.interrupted {
        taking.take_whole(format, files, &options)?;
    }
    let Taking { mut answer, timeless, .. } = taking;
    bar.finish_and_clear();
    if timeless > 0 {
        let messages = tell::count(timeless, "record carries", "records carry");
        answer.notices.push(format!("{messages} no time; placed at the time of import"));
    }
    answer.counts.refused = answer.refused.len() as u64;
    context.notices(&answer.notices);
    context.answer(&answer, told)?;
    context.embed_some(&engine, arguments.no_embed || answer.interrupted);
    Ok(match (answer.interrupted, answer.counts.stored + answer.counts.duplicate) {
        (true, _) => Exit::Interrupted,
        (false, 0) => Exit::Refused,
        (false, _) => Exit::Done,
    })
}

/// Files of at least so many bytes are read piece by piece, where their format allows it.
const LARGE_BYTES: u64 = 8 * 1024 * 1024;

/// The beginning of a file by which its format is recognised, in bytes.
const HEAD_BYTES: u64 = 256 * 1024;

/// The large files in JSON Lines, and the others, which are read whole.
fn set_large_apart(format: Option<Format>, files: Vec<Found>) -> (Vec<Found>, Vec<Found>) {
    files.into_iter().partition(|file| {
        file.bytes >= LARGE_BYTES
            && match format {
                Some(format) => format == Format::Jsonl,
                None => head(&file.path).is_ok_and(|bytes| {
                    importers::detect(&Input { name: &file.name, bytes: &bytes }) == Some(Format::Jsonl)
                }),
            }
    })
}

/// The whole lines at the beginning of a file.
fn head(path: &Path) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    fs::File::open(path)?.take(HEAD_BYTES).read_to_end(&mut bytes)?;
    let last = bytes.iter().rposition(|byte| *byte == b'\n').unwrap_or(bytes.len());
    bytes.truncate(last);
    Ok(bytes)
}

/// An import that is under way.
struct Taking<'run> {
    context: &'run Context,
    engine: &'run Engine,
    choices: &'run Choices,
    bar: &'run ProgressBar,
    answer: Answer,
    /// Records without a time of their own.
    timeless: u64,
    /// The one source there may be when it is given another name.
    only: Option<(String, String)>,
}

fn several_sources() -> Failure {
    Failure::input("`--source` names one source, and these files hold several")
        .hint("import them one by one, or leave `--source` out")
}

impl Taking<'_> {
    /// Takes in files that are read whole, all formats alike.
    fn take_whole(
        &mut self,
        format: Option<Format>,
        files: Vec<Found>,
        options: &Options,
    ) -> Result<(), Stop> {
        let read = read_files(files, &options.limits, &mut self.answer)?;
        let inputs: Vec<Input<'_>> = read.iter().map(|(name, bytes)| Input { name, bytes }).collect();
        let imported = importers::read(format, &inputs, options);
        drop(inputs);
        drop(read);
        self.bar.set_length(imported.messages() + imported.documents());
        self.bar.set_message("taking in");
        self.take(imported, 0)
    }

    /// Takes in one file of JSON Lines piece by piece, so that its size is no matter.
    fn take_large(&mut self, file: &Found, options: &Options) -> Result<(), Stop> {
        self.answer.files += 1;
        self.bar.set_length(file.bytes);
        self.bar.set_message("taking in");
        let failed = |error: std::io::Error| Failure::file("read", &file.path, &error);
        let mut pieces = WholeLines::new(fs::File::open(&file.path).map_err(failed)?);
        let mut reader = JsonLines::begin(&file.name, options);
        let mut bytes = 0;
        while let Some(piece) = pieces.next_piece().map_err(failed)? {
            match piece {
                Piece::Lines(lines) => {
                    bytes += lines.len() as u64;
                    let read = reader.read(&lines);
                    drop(lines);
                    self.take(read, bytes)?;
                }
                Piece::TooLong { bytes: length } => {
                    bytes += length;
                    let over = Limit::IMPORTED_LINE_BYTES.over("line", length);
                    hits::note(over.limit, 1);
                    self.answer.counts.records += 1;
                    self.answer.refused.push(Refusal {
                        file: file.name.clone(),
                        place: format!("line {}", reader.line()),
                        reason: over.limit.code.to_owned(),
                        detail: over.to_string(),
                    });
                    reader.pass_over();
                }
            }
            if self.answer.interrupted {
                return Ok(());
            }
        }
        self.take(reader.end(), bytes)
    }

    /// Takes in what was read. The bar stands at `position` afterwards; at 0 it counts messages.
    fn take(&mut self, imported: Imported, position: u64) -> Result<(), Stop> {
        for source in imported.sources.iter().filter(|_| self.choices.reference.is_some()) {
            let identity = (source.kind.clone(), source.reference.clone());
            if *self.only.get_or_insert_with(|| identity.clone()) != identity {
                return Err(several_sources().into());
            }
        }
        let answer = &mut self.answer;
        answer.messages += imported.messages();
        answer.documents += imported.documents();
        answer.counts.records += imported.records;
        answer.counts.joined += imported.joined;
        for refused in imported.refused {
            let reason = refused.reason.code().to_owned();
            if let Some(limit) = Limit::with_code(&reason) {
                hits::note(limit, 1);
            }
            answer.refused.push(Refusal {
                file: refused.file,
                place: refused.place,
                reason,
                detail: refused.detail,
            });
        }
        answer.notices.extend(imported.notices);
        let said = imported.sources.iter().flat_map(|source| &source.messages);
        self.timeless += said.filter(|message| message.event_time.is_none()).count() as u64;
        let messages = imported.sources.into_iter().flat_map(|source| drafts::messages(source, self.choices));
        let taken = self.engine.import(self.context.call(), messages, |done| {
            if position == 0 {
                self.bar.set_position(done);
            }
            if interrupt::asked() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })?;
        if position > 0 {
            self.bar.set_position(position);
        }
        answer.refused.extend(taken.refused.into_iter().map(|refused| Refusal {
            file: refused.source,
            place: refused.external_id.unwrap_or_else(|| "message".to_owned()),
            reason: refused.reason.to_owned(),
            detail: refused.detail,
        }));
        answer.counts.stored += taken.stored;
        answer.counts.duplicate += taken.duplicate;
        answer.proposals.add(&taken.proposals);
        answer.watermark = taken.watermark;
        answer.interrupted = taken.interrupted || interrupt::asked();
        Ok(())
    }
}

/// What files may cost, by the table of limits.
fn limits() -> Limits {
    Limits {
        file_bytes_max: Limit::FILE_BYTES.max,
        text_bytes_max: Limit::TEXT_BYTES.size(),
        archive_entries_max: Limit::ARCHIVE_ENTRIES.size(),
        archive_entry_bytes_max: Limit::ARCHIVE_ENTRY_BYTES.max,
        archive_total_bytes_max: Limit::ARCHIVE_BYTES.max,
        archive_ratio_max: Limit::ARCHIVE_RATIO.max,
    }
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
            hits::note(Limit::FILE_BYTES, 1);
            answer.refuse(&file.name, Limit::FILE_BYTES.code, detail);
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
