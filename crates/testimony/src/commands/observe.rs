//! `testimony observe`.

use std::fs::File;
use std::io::{self, BufWriter, Read, Write};
use std::path::PathBuf;

use engine::Engine;
use engine::answer::{Counts, Observed};
use engine::carried::CarriedAct;
use engine::observe::{Message, Observing};
use ledger::limits::Limit;
use serde_json::json;

use crate::context::{Context, Outcome};
use crate::failure::{Exit, Failure, Stop};
use crate::lines::{Content, Line, Lines};
use crate::proposing::{self, Proposing};
use crate::{interrupt, tell};

/// Take in messages, one JSON object a line
///
/// Each line is a message: {source:{kind,ref}, session?, author, event_time?, external_id?, text, proposals?}. The author is
/// `owner`, `assistant`, `service` or `external`. A proposal is {entity, predicate, value, confidence, quote | quotes,
/// valid_from?, valid_to?, op?}; an owner's message without proposals is looked through by the built-in rules.
///
/// Lines are taken as they come and answered in order, a JSON object each with --json; what waits together is made durable
/// together. Refused proposals are part of the answer, and the exit code stays 0. A line that is no message is told with its
/// number, the rest goes on, and the exit code is 3.
///
/// A line {act: resolve, …}, as `export` writes it, decides a dispute again that was decided where it was exported.
///
/// With --propose a model is shown the messages once they are kept and answered, and what it adds is told in lines of their own:
/// {proposed:{…}} with --json. A model that does not answer keeps nothing back; `testimony propose` asks it later.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  testimony observe messages.jsonl
  tail -f chat.jsonl | testimony --json observe -
  testimony observe --propose messages.jsonl
  testimony observe --strict - < messages.jsonl")]
pub(crate) struct Arguments {
    /// A file of JSON Lines, or `-` for standard input
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Stop at the first line that is no message; the lines before it are kept
    #[arg(long)]
    strict: bool,
    /// Make no vectors now; a process that lives long, or `reembed`, makes them later
    #[arg(long)]
    no_embed: bool,
    /// Have the configured model, or this tier, propose what else the messages say
    #[arg(long, value_name = "TIER", num_args = 0..=1)]
    propose: Option<Option<String>>,
}

/// The most lines that are made durable together.
const GROUP_LINES_MAX: usize = 256;

/// The most text that is made durable together, in bytes.
const GROUP_BYTES_MAX: usize = 32 * 1024 * 1024;

pub(crate) fn run(context: &Context, arguments: Arguments) -> Outcome {
    let reader: Box<dyn Read + Send> = match arguments.file.as_os_str() == "-" {
        true => Box::new(io::stdin()),
        false => Box::new(open(&arguments.file)?),
    };
    let engine = context.create()?;
    interrupt::finish_in_flight();
    let proposing = match &arguments.propose {
        None => None,
        Some(tier) => Some(Proposing::open(context, &engine, tier.as_deref())?.ok_or_else(|| {
            Failure::input("no model is configured to propose")
                .hint("name one in models.toml, `[propose] tier = \"fast\"`, or with `--propose TIER`")
        })?),
    };
    let mut taking = Taking {
        context,
        engine: &engine,
        strict: arguments.strict,
        tally: Tally::default(),
        proposing,
        told: Vec::new(),
    };
    let lines = Lines::read(reader);
    loop {
        let group = lines.next_group(GROUP_LINES_MAX, interrupt::asked);
        let ends = group.is_empty() || taking.take(group)?;
        taking.propose()?;
        if ends {
            break;
        }
    }
    let Tally { messages, bad, bad_exit, counts } = taking.tally;
    if !context.json {
        context.say(&format!(
            "{}: {} admitted, {} refused, {} known, {} unreadable{}",
            tell::count(messages, "message", "messages"),
            counts.admitted,
            counts.refused,
            counts.duplicate,
            counts.failed,
            if bad > 0 { format!("; {}", tell::count(bad, "bad line", "bad lines")) } else { String::new() },
        ));
    }
    if interrupt::asked() {
        context.say("interrupted; everything answered above is kept");
        return Ok(Exit::Interrupted);
    }
    context.embed_some(&engine, arguments.no_embed);
    Ok(bad_exit.unwrap_or(Exit::Done))
}

fn open(path: &std::path::Path) -> Result<File, Failure> {
    let file = File::open(path).map_err(|error| Failure::file("read", path, &error))?;
    match path.is_dir() {
        true => Err(Failure::input(format!("`{}` is a directory", path.display()))
            .hint("`testimony import auto DIR` reads directories")),
        false => Ok(file),
    }
}

/// What stands in a line.
enum Taken {
    Nothing,
    Message(Box<Message>),
    Act(Box<CarriedAct>),
}

struct Taking<'run> {
    context: &'run Context,
    engine: &'run Engine,
    strict: bool,
    tally: Tally,
    /// The model that reads along, until it does not answer.
    proposing: Option<Proposing<'run>>,
    /// Messages kept and answered that it has not been shown.
    told: Vec<String>,
}

#[derive(Default)]
struct Tally {
    messages: u64,
    bad: u64,
    bad_exit: Option<Exit>,
    counts: Counts,
}

impl Taking<'_> {
    /// Takes in a group of lines and answers each in order; whether to stop here.
    fn take(&mut self, group: Vec<Line>) -> Result<bool, Stop> {
        let mut sound: Vec<(u64, Message)> = Vec::new();
        let mut bytes = 0;
        for line in group {
            let number = line.number;
            match self.read(line) {
                Ok(Taken::Nothing) => {}
                Ok(Taken::Act(act)) => {
                    // It decides what stands before it.
                    self.observe(std::mem::take(&mut sound))?;
                    bytes = 0;
                    if self.carry_out(number, &act)? && self.strict {
                        return Ok(true);
                    }
                }
                Ok(Taken::Message(message)) => {
                    if bytes + message.text.len() > GROUP_BYTES_MAX && !sound.is_empty() {
                        self.observe(std::mem::take(&mut sound))?;
                        bytes = 0;
                    }
                    bytes += message.text.len();
                    sound.push((number, *message));
                }
                Err(failure) => {
                    // What stands before it is answered before it.
                    self.observe(std::mem::take(&mut sound))?;
                    bytes = 0;
                    self.tell_bad(number, &failure)?;
                    if self.strict {
                        return Ok(true);
                    }
                }
            }
        }
        self.observe(sound)?;
        Ok(self.strict && self.tally.bad > 0)
    }

    /// What a line says.
    fn read(&self, line: Line) -> Result<Taken, Failure> {
        let bytes = match line.content {
            Content::Bytes(bytes) => bytes,
            Content::TooLong { bytes } => {
                return Err(Failure::over(&Limit::LINE_BYTES.over("line", bytes)));
            }
            Content::Failed(error) => {
                return Err(Failure::input(format!("cannot read on: {error}")));
            }
        };
        let text = std::str::from_utf8(&bytes).map_err(|error| {
            Failure::input(format!("line is not UTF-8 at byte {}", error.valid_up_to() + 1))
                .hint("convert the file to UTF-8, such as with `iconv`")
        })?;
        let text = if line.number == 1 { text.trim_start_matches('\u{feff}') } else { text };
        if text.trim().is_empty() {
            return Ok(Taken::Nothing);
        }
        let no_message = |why: String| {
            Failure::input(format!("line is no message: {why}"))
                .hint("`testimony observe --help` shows the fields of a message")
        };
        // A list would be read field by field, in an order nobody writes on purpose.
        if !text.trim_start().starts_with('{') {
            return Err(no_message("it is no JSON object".to_owned()));
        }
        match serde_json::from_str::<Message>(text) {
            Ok(message) => {
                self.engine.check(self.context.call(), &message)?;
                Ok(Taken::Message(Box::new(message)))
            }
            // Messages are the rule; only what is none is looked at again.
            Err(error) => match serde_json::from_str::<CarriedAct>(text) {
                Ok(act) => Ok(Taken::Act(Box::new(act))),
                Err(_) => Err(no_message(in_words(&error))),
            },
        }
    }

    /// Does an act again; whether it could not be.
    fn carry_out(&mut self, number: u64, act: &CarriedAct) -> Result<bool, Stop> {
        match self.engine.carry_out(self.context.call(), act) {
            Ok(carried) => {
                match self.context.json {
                    true => self.context.print(&format!("{}\n", json!(carried)))?,
                    false => {
                        let how = if carried.duplicate { "decided already" } else { "decided" };
                        self.context.print(&format!("line {number}: {} {how}\n", carried.fact))?;
                    }
                }
                Ok(false)
            }
            Err(error) => {
                let failure = Failure::from(error);
                if !is_of_one_message(&failure) {
                    return Err(failure.into());
                }
                self.tell_bad(number, &failure)?;
                Ok(true)
            }
        }
    }

    /// Has messages observed together; where one of them cannot be written, each by itself.
    fn observe(&mut self, group: Vec<(u64, Message)>) -> Result<(), Stop> {
        if group.is_empty() {
            return Ok(());
        }
        let (numbers, messages): (Vec<u64>, Vec<Message>) = group.into_iter().unzip();
        let call = self.context.call();
        match self.engine.observe(call, messages.clone(), Observing::default()) {
            Ok(answers) => return self.tell(&numbers, &answers),
            Err(error) => {
                let failure = Failure::from(error);
                if !is_of_one_message(&failure) {
                    return Err(failure.into());
                }
            }
        }
        for (number, message) in numbers.into_iter().zip(messages) {
            match self.engine.observe(call, vec![message], Observing::default()) {
                Ok(answers) => self.tell(&[number], &answers)?,
                Err(error) => {
                    let failure = Failure::from(error);
                    if !is_of_one_message(&failure) {
                        return Err(failure.into());
                    }
                    self.tell_bad(number, &failure)?;
                    if self.strict {
                        return Ok(());
                    }
                }
            }
        }
        Ok(())
    }

    fn tell(&mut self, numbers: &[u64], answers: &[Observed]) -> Result<(), Stop> {
        let mut out = BufWriter::new(io::stdout().lock());
        for (number, answer) in numbers.iter().zip(answers) {
            self.tally.messages += 1;
            self.tally.counts.add(&answer.counts);
            if self.proposing.is_some() && !answer.duplicate {
                self.told.extend(answer.evidence.clone());
            }
            if self.context.json {
                serde_json::to_writer(&mut out, answer).map_err(io::Error::from)?;
                writeln!(out)?;
            } else {
                write!(out, "line {number}: {}", tell::observed(answer))?;
                self.context.notices(&answer.notices);
            }
        }
        out.flush()?;
        Ok(())
    }

    /// Has the model read what was kept and answered since it was last asked.
    fn propose(&mut self) -> Result<(), Stop> {
        let told = std::mem::take(&mut self.told);
        let Some(proposing) = self.proposing.as_mut().filter(|_| !told.is_empty()) else { return Ok(()) };
        let ids: Vec<&str> = told.iter().map(String::as_str).collect();
        let mut tally = proposing::Tally::default();
        let ended = proposing.about(&ids, |batch, proposed| {
            if proposed.is_settled() {
                tally.add(batch, proposed);
            }
        })?;
        match self.context.json {
            true => self.context.print(&format!("{}\n", json!({"proposed": tally})))?,
            false => self.context.print(&tell::proposed(&tally))?,
        }
        if let Some(ended) = ended {
            self.context.say(&format!("note: no further proposals: {}", ended.reason));
            self.proposing = None;
        }
        Ok(())
    }

    fn tell_bad(&mut self, number: u64, failure: &Failure) -> Result<(), Stop> {
        self.tally.bad += 1;
        // Bad input outweighs a conflict: it will not go away by trying again.
        let exit = if failure.exit == Exit::Conflict { Exit::Conflict } else { Exit::Input };
        if self.tally.bad_exit != Some(Exit::Input) {
            self.tally.bad_exit = Some(exit);
        }
        if self.context.json {
            let mut out = io::stdout().lock();
            writeln!(out, "{}", json!({"line": number, "error": failure.to_json()}))?;
            out.flush()?;
        }
        self.context.say(&format!("error: line {number}: {}", failure.message));
        if let Some(hint) = failure.hint {
            self.context.say(&format!("hint: {hint}"));
        }
        Ok(())
    }
}

/// What is wrong with a line, by the name of the field and the column.
fn in_words(error: &serde_json::Error) -> String {
    error
        .to_string()
        .replace("struct SourceInput", "an object `{kind, ref}`")
        .replace("struct AttachmentInput", "an object `{name}`")
        .replace("struct Message", "an object")
        .replace(" at line 1 column ", " at column ")
}

/// Whether an error lies in one message and the others may go on.
fn is_of_one_message(failure: &Failure) -> bool {
    failure.code != "busy" && matches!(failure.exit, Exit::Input | Exit::Refused | Exit::Conflict)
}
