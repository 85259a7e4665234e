//! `testimony study`.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use engine::study::{Corpus, InLanguage, OTHERS_MAX, Point, Studied, Study, Tongue, chart};
use engine::{Call, Engine};
use inference::Cancel;
use ledger::calibration::{Calibration, WORDS};

use testimony::embedding::embed;

use crate::context::{Context, Outcome};
use crate::failure::{Exit, Failure, Stop};
use crate::tell;

/// Measure what recall shows, and calibrate it
///
/// Keeps the notes of a corpus in a memory of their own, asks every question of it, and tells at each threshold how often the
/// right note is shown, how many others are, and how often nothing is shown where nothing fits. It then takes the threshold
/// that shows most right notes with at most so many others a question. No data directory is touched.
///
/// A corpus of one's own is a directory with `notes.toml` and `questions.toml`; `docs/guides/evaluation.md` says how to write
/// one. The file of `--write` goes into the directory of `--policies`, as `recall/NAME.toml`.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  testimony study
  testimony study --language hr --svg curve.svg
  testimony study --corpus my-notes --write policies/recall/mine.toml")]
pub(crate) struct Arguments {
    /// The embedding model; `words` for recall by words alone [default: the one in use]
    #[arg(long, value_name = "NAME")]
    model: Option<String>,
    /// The language of notes and questions
    #[arg(long, value_enum, default_value_t = Asked::Both)]
    language: Asked,
    /// A directory with notes and questions of one's own
    #[arg(long, value_name = "DIR")]
    corpus: Option<PathBuf>,
    /// Other notes shown a question that are put up with, on the average
    #[arg(long, value_name = "N", default_value_t = OTHERS_MAX)]
    others: f64,
    /// Write the thresholds to this file, beside those of other models that it has
    #[arg(long, value_name = "FILE")]
    write: Option<PathBuf>,
    /// Write the curves as a picture
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
}

#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Asked {
    /// English
    En,
    /// Croatian
    Hr,
    /// Each, and across the two
    Both,
}

pub(crate) fn run(context: &Context, arguments: Arguments) -> Outcome {
    let engine = || match arguments.model.as_deref() {
        Some(WORDS) => context.by_words(),
        _ => context.in_memory(),
    };
    let in_use = engine()?.model_name().to_owned();
    if let Some(other) = arguments.model.as_deref().filter(|name| *name != in_use) {
        return Err(Failure::input(format!("model `{other}` is not there; `{in_use}` is"))
            .hint("leave `--model` out for the one in use, or name `words`")
            .into());
    }
    if !(0.0..=1_000.0).contains(&arguments.others) {
        return Err(Failure::input(format!("`--others {}` is outside 0 to 1000", arguments.others)).into());
    }
    let corpus = match &arguments.corpus {
        Some(directory) => {
            let text = |name: &str| read(&directory.join(name));
            Corpus::parse(&text("notes.toml")?, &text("questions.toml")?)?
        }
        None => Corpus::shipped()?,
    };
    let written = match arguments.write.as_deref().filter(|path| path.exists()) {
        Some(path) => Calibration::parse(&path.display().to_string(), &read(path)?)
            .map_err(|error| Failure::input(error.to_string()))?,
        None => Calibration::new("recall/measured", Vec::new()),
    };
    let tongues: &[Tongue] = match arguments.language {
        Asked::En => &[Tongue::English],
        Asked::Hr => &[Tongue::Croatian],
        Asked::Both => &Tongue::ALL,
    };
    let settle = |engine: &Engine, call: Call<'_>| match engine.model() {
        Some(_) => embed(engine, call, usize::MAX, &Cancel::default(), |_| {}).map(drop).map_err(Stop::from),
        None => Ok(()),
    };
    let study = Study { corpus: &corpus, engine: &engine, settle: &settle, others_max: arguments.others };
    let studied = study.run(tongues)?;
    if let Some(path) = &arguments.svg {
        write(path, &chart::svg(&studied))?;
    }
    if let Some(path) = &arguments.write {
        write(path, &written.with(studied.measured()).written())?;
        context.say(&format!("thresholds of `{}` written to `{}`", studied.model, path.display()));
    }
    context.answer(&studied, told)?;
    Ok(Exit::Done)
}

fn read(path: &Path) -> Result<String, Stop> {
    std::fs::read_to_string(path).map_err(|error| Failure::file("read", path, &error).into())
}

#[allow(clippy::disallowed_methods, reason = "a file the user names, not of a data directory")]
fn write(path: &Path, text: &str) -> Result<(), Stop> {
    std::fs::write(path, text).map_err(|error| Failure::file("write", path, &error).into())
}

/// The figures as a page of Markdown.
fn told(studied: &Studied) -> String {
    let mut page = format!(
        "# Study of `{}`\n\nAt most {} memories are shown; at most {} others a question are put up with. Shares of questions, \
         with the 95 % interval. *Held out*: threshold chosen on one half of the questions, measured on the other.\n\n\
         | asked | kept | notes | questions | threshold | right shown | asked straight out | others | abstained | held out: right | others | abstained |\n\
         |---|---|---|---|---|---|---|---|---|---|---|---|\n",
        studied.model, studied.shown_max, studied.others_max
    );
    for one in &studied.languages {
        let Point { threshold, right, others, abstained, .. } = one.chosen;
        _ = writeln!(
            page,
            "| {} | {} | {} | {} + {} | {threshold:.3} | {} ({}) | {} | {others:.2} | {} ({}) | {} | {:.2} | {} |",
            one.asked,
            one.notes_in,
            one.notes,
            one.questions_with_a_note,
            one.questions_without,
            share(right),
            between(one.right_interval),
            share(one.asked_directly.right),
            share(abstained),
            between(one.abstained_interval),
            share(one.held_out.right),
            one.held_out.others,
            share(one.held_out.abstained),
        );
    }
    page.push_str(
        "\n## Whole turns at that threshold\n\n| asked | kept | right in the packet | others that match | nothing \
         matches where there is none | profile | tokens | looked into memory |\n|---|---|---|---|---|---|---|---|\n",
    );
    for one in &studied.languages {
        let turns = one.turns;
        _ = writeln!(
            page,
            "| {} | {} | {} | {:.2} | {} | {:.1} | {:.0} | {} |",
            one.asked,
            one.notes_in,
            share(turns.right),
            turns.others,
            share(turns.abstained),
            turns.profile,
            turns.tokens,
            share(turns.retrieved)
        );
    }
    for one in &studied.languages {
        in_language(&mut page, one);
    }
    page
}

fn in_language(page: &mut String, one: &InLanguage) {
    _ = writeln!(page, "\n## Asked in `{}`, kept in `{}`\n", one.asked, one.notes_in);
    page.push_str("| questions | count | right shown | others | abstained |\n|---|---|---|---|---|\n");
    for of in &one.kinds {
        let (right, abstained) = match of.kind.has_no_note() {
            true => (String::new(), share(of.point.abstained)),
            false => (share(of.point.right), String::new()),
        };
        _ = writeln!(
            page,
            "| {} | {} | {right} | {:.2} | {abstained} |",
            of.kind.as_str(),
            of.questions,
            of.point.others
        );
    }
    page.push_str("\n| threshold | right shown | others | abstained |\n|---|---|---|---|\n");
    for point in one.curve.iter().step_by(10) {
        let Point { threshold, right, others, abstained, .. } = *point;
        _ = writeln!(page, "| {threshold:.2} | {} | {others:.2} | {} |", share(right), share(abstained));
    }
    if !one.missed.is_empty() {
        let missed: Vec<String> = one.missed.iter().map(|missed| format!("`{}`", missed.question)).collect();
        _ = writeln!(
            page,
            "\nNot shown: {}: {}",
            tell::count(missed.len() as u64, "note", "notes"),
            missed.join(", ")
        );
    }
}

fn share(share: f64) -> String {
    format!("{:.1} %", share * 100.0)
}

fn between((low, high): (f64, f64)) -> String {
    format!("{:.1} to {:.1}", low * 100.0, high * 100.0)
}
