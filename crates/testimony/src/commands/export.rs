//! `testimony export`.

use std::fmt::Write as _;
use std::io::{self, BufWriter, Write};

use engine::export::Told;
use serde_json::json;

use crate::context::{Context, Outcome};
use crate::failure::{Exit, Stop};
use crate::tell;

/// Write everything of the subject to standard output
///
/// As JSON Lines it is what `observe` takes: messages with their claims, and decided disputes between them. As Markdown it is a page to read. The words are told whole, also
/// those that other answers withhold.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  testimony export > memory.jsonl
  testimony export | testimony --data ./other observe -
  testimony export --format markdown > memory.md")]
pub(crate) struct Arguments {
    /// The form
    #[arg(long, value_enum, default_value_t = Form::Jsonl)]
    format: Form,
}

#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Form {
    /// Messages with their claims, one a line
    Jsonl,
    /// What holds, what held, and the words behind it
    Markdown,
}

pub(crate) fn run(context: &Context, arguments: Arguments) -> Outcome {
    let engine = context.look()?;
    if arguments.format == Form::Markdown {
        let told = engine.tell_everything(context.call())?;
        let page = page(context.scope.subject().as_str(), &told);
        context.answer(&json!({"markdown": page}), |_| page.clone())?;
        return Ok(Exit::Done);
    }
    let mut out = BufWriter::new(io::stdout().lock());
    let exported = engine.export(context.call(), |message| -> Result<(), Stop> {
        serde_json::to_writer(&mut out, message).map_err(io::Error::from)?;
        writeln!(out)?;
        Ok(())
    })?;
    out.flush()?;
    context.say(&format!(
        "{}, {}, {}, watermark {}",
        tell::count(exported.messages, "message", "messages"),
        tell::count(exported.claims, "claim", "claims"),
        tell::count(exported.acts, "decision", "decisions"),
        exported.watermark
    ));
    if exported.quotes_only > 0 {
        context.say(&format!(
            "note: of {} only the quoted words are kept, and told",
            tell::count(exported.quotes_only, "message", "messages")
        ));
    }
    if exported.acts_left_out > 0 {
        context.say(&format!(
            "note: {} on words that are forgotten cannot be told",
            tell::count(exported.acts_left_out, "decision", "decisions")
        ));
    }
    Ok(Exit::Done)
}

/// Everything as a page.
fn page(subject: &str, everything: &[Told]) -> String {
    let mut page = format!("# What is remembered of {}\n", plain(subject));
    if everything.is_empty() {
        page.push_str("\nNothing.\n");
    }
    let mut class = "";
    for told in everything {
        if told.class != class {
            class = &told.class;
            _ = write!(page, "\n## {}\n\n", capital(class));
        }
        let entity =
            if told.fact.entity == "self" { String::new() } else { format!("{}: ", told.fact.entity) };
        if told.current.is_empty() {
            _ = writeln!(page, "- {}{} (no longer)", plain(&entity), plain(&told.label));
        }
        for item in &told.current {
            let disputed = if item.dispute.is_some() { " **disputed**" } else { "" };
            let since = item.validity.as_ref().map(tell::span).unwrap_or_default();
            let value = plain(&tell::value(&item.value));
            _ = writeln!(page, "- {}{}: {value}{disputed} ({since})", plain(&entity), plain(&told.label));
        }
        for (quote, source, said) in &told.quotes {
            _ = writeln!(page, "  - \u{201c}{}\u{201d} ({}, {said})", plain(quote), plain(source));
        }
        for item in &told.before {
            let when = item.validity.as_ref().map(tell::span).unwrap_or_default();
            _ = writeln!(page, "  - before: {} ({when})", plain(&tell::value(&item.value)));
        }
    }
    page
}

/// A text that Markdown shows as it stands, on one line.
fn plain(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '\\' | '`' | '*' | '_' | '#' | '[' | ']' | '<' | '>' | '|' | '&' => {
                shown.extend(['\\', character])
            }
            character if character.is_control() => shown.push(' '),
            character => shown.push(character),
        }
    }
    shown
}

fn capital(word: &str) -> String {
    let mut characters = word.chars();
    characters.next().map(|first| first.to_uppercase().chain(characters).collect()).unwrap_or_default()
}
