//! `testimony demo`.

use std::io::{self, Write};

use engine::answer::{Observed, Recalled};
use engine::forget::Forget;
use engine::observe::{Message, Observing};
use engine::recall::Recall;
use engine::turn::Turn;
use engine::{Call, Engine};
use ledger::scope::{Scope, Subject};
use ledger::time::Instant;
use serde_json::{Value as Json, json};
use testimony::Config;

use crate::commands::{forget, why};
use crate::context::{Context, Outcome, instant};
use crate::failure::{Exit, Failure, Stop};
use crate::tell;

/// Play a short story and show the receipts
///
/// Five bundled messages are remembered, asked about, corrected, looked at in the past, disputed and forgotten, in a temporary
/// directory that is removed afterwards, or in --data for looking on. Every step is printed with what the ledger says of it.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  testimony demo
  testimony demo --keep --data ./demo && testimony --data ./demo --subject demo state")]
pub(crate) struct Arguments {
    /// Play in --data and leave it there, instead of in a temporary directory
    #[arg(long)]
    keep: bool,
}

/// What is said in the story.
const STORY: &str = include_str!("demo.jsonl");

pub(crate) fn run(context: &Context, arguments: Arguments) -> Outcome {
    let temporary = match arguments.keep {
        true => None,
        false => Some(
            tempfile::tempdir().map_err(|error| Failure::file("create", &std::env::temp_dir(), &error))?,
        ),
    };
    let data =
        temporary.as_ref().map_or_else(|| context.data.clone(), |directory| directory.path().join("data"));
    let subject = Subject::parse("demo").map_err(|error| Failure::input(error.to_string()))?;
    let scope = Scope::of(subject);
    let engine = testimony::open(Config::at(data.clone()))?;
    let mut stage = Stage { engine: &engine, scope: &scope, json: context.json, steps: Vec::new() };
    play(&mut stage)?;
    let steps = std::mem::take(&mut stage.steps);
    let kept = arguments.keep.then(|| data.display().to_string());
    if context.json {
        context.answer(&json!({"steps": steps, "data": kept}), |_| String::new())?;
        return Ok(Exit::Done);
    }
    let mut out = io::stdout().lock();
    writeln!(out, "\nWhat to try next")?;
    if let Some(kept) = kept {
        writeln!(out, "  testimony --data {kept} --subject demo timeline")?;
    }
    for command in [
        "testimony remember \"I live in Zagreb.\"",
        "testimony recall \"where do I live?\"",
        "testimony why ve_…            the receipt of what recall answered",
        "testimony import auto conversations.json",
        "testimony --help",
    ] {
        writeln!(out, "  {command}")?;
    }
    Ok(Exit::Done)
}

fn play(stage: &mut Stage<'_>) -> Result<(), Stop> {
    let mut story = Vec::new();
    for line in STORY.lines() {
        let told = |error: serde_json::Error| Failure::input(format!("the bundled story: {error}"));
        story.push(serde_json::from_str::<Message>(line).map_err(told)?);
    }
    let mut story = story.into_iter();
    let mut next = || story.next().into_iter().collect::<Vec<Message>>();

    stage.title("Remember", "The owner says two things in March. Rules, not a model, read them.")?;
    stage.say("2026-03-02T08:00:30Z", next())?;

    stage.title(
        "Only the owner speaks for the owner",
        "The assistant claims something about the owner. The gate refuses it.",
    )?;
    stage.say("2026-03-02T08:00:40Z", next())?;

    stage.title("Ask, and see the receipt", "The answer leads back to the words.")?;
    let found = stage.ask("2026-03-10T08:00:00Z", "when may meetings start?", None)?;
    stage.receipt("2026-03-10T08:00:00Z", &found)?;

    stage.title(
        "Correct",
        "In April the owner says something else. The old truth is closed, not overwritten.",
    )?;
    stage.say("2026-04-06T06:31:00Z", next())?;
    stage.ask("2026-05-01T08:00:00Z", "when may meetings start?", None)?;

    stage.title("Travel in time", "What held on 15 March?")?;
    stage.ask("2026-05-01T08:00:00Z", "when may meetings start?", Some("2026-03-15"))?;

    stage.title("Dispute", "Two documents disagree. Both are shown, neither is chosen in silence.")?;
    stage.say("2026-05-06T08:00:00Z", next())?;
    stage.say("2026-05-06T08:00:10Z", next())?;
    stage.ask("2026-05-06T08:01:00Z", "how many employees has Acme?", None)?;

    stage.title(
        "A turn",
        "What a model would be handed for one message, within a budget of tokens; then the same again.",
    )?;
    stage.turn("2026-05-06T08:02:00Z", "Book a meeting with Ana tomorrow")?;

    stage.title("Forget", "The owner takes the correction back. Its words are gone from every file; what they had ended stands again.")?;
    stage.forget("2026-05-07T08:00:00Z")?;
    stage.ask("2026-05-07T08:01:00Z", "when may meetings start?", None)?;

    stage.title("Verify", "Every chain, quote and history once more.")?;
    stage.verify("2026-05-07T08:02:00Z")
}

/// Where the story is played: step by step, to people as it happens, to programs as one list at the end.
struct Stage<'play> {
    engine: &'play Engine,
    scope: &'play Scope,
    json: bool,
    steps: Vec<Json>,
}

impl Stage<'_> {
    fn call(&self, now: &str) -> Result<Call<'_>, Failure> {
        let now: Instant = instant("the bundled story", now)?;
        Ok(Call { scope: self.scope, now })
    }

    fn title(&mut self, title: &str, what: &str) -> Result<(), Stop> {
        if !self.json {
            writeln!(io::stdout(), "\n{title}\n  {what}")?;
        }
        self.steps.push(json!({"step": title, "about": what, "answers": []}));
        Ok(())
    }

    /// Prints what was done and the answer, a little further in.
    fn show(&mut self, did: &str, answer: &impl serde::Serialize, told: &str) -> Result<(), Stop> {
        if !self.json {
            let told = told.trim_end().replace('\n', "\n    ");
            writeln!(io::stdout(), "  > {did}\n    {told}")?;
        }
        let answer = serde_json::to_value(answer).map_err(io::Error::from)?;
        if let Some(answers) = self.steps.last_mut().and_then(|step| step["answers"].as_array_mut()) {
            answers.push(json!({"did": did, "answer": answer}));
        }
        Ok(())
    }

    fn say(&mut self, now: &str, messages: Vec<Message>) -> Result<(), Stop> {
        let said: Vec<String> = messages.iter().map(|one| format!("{}: {}", one.author, one.text)).collect();
        let answers: Vec<Observed> = self.engine.observe(self.call(now)?, messages, Observing::default())?;
        for (said, answer) in said.iter().zip(&answers) {
            self.show(said, answer, &tell::observed(answer))?;
        }
        Ok(())
    }

    fn ask(&mut self, now: &str, query: &str, valid_at: Option<&str>) -> Result<Recalled, Stop> {
        let valid_at = valid_at.map(|text| instant("the bundled story", text)).transpose()?;
        let asked = Recall { valid_at, limit: 3, ..Recall::of(query) };
        let answer = self.engine.recall(self.call(now)?, &asked)?;
        let did = match valid_at {
            Some(valid_at) => format!("recall \"{query}\" --valid-at {valid_at}"),
            None => format!("recall \"{query}\""),
        };
        self.show(&did, &answer, &tell::recalled(&answer))?;
        Ok(answer)
    }

    fn receipt(&mut self, now: &str, found: &Recalled) -> Result<(), Stop> {
        let Some(first) = found.items.first() else { return Ok(()) };
        let answer = self.engine.why(self.call(now)?, &first.id)?;
        self.show(&format!("why {}", first.id), &answer, &why::told(&answer))
    }

    fn turn(&mut self, now: &str, message: &str) -> Result<(), Stop> {
        let answer = self.engine.turn(self.call(now)?, &Turn::of(message))?;
        let told = format!("{}, {} tokens\n{}", answer.triage, answer.packet.tokens, answer.packet.text);
        self.show(&format!("turn \"{message}\""), &answer, &told)?;
        let again = self.engine.replay(self.call(now)?, &answer.turn)?;
        let told = if again.identical { "identical" } else { "different" };
        self.show(&format!("replay {}", answer.turn), &again, told)
    }

    /// Forgets the message of the correction, found through its receipt.
    fn forget(&mut self, now: &str) -> Result<(), Stop> {
        let found = self.engine.recall(self.call(now)?, &Recall::of("when may meetings start?"))?;
        let Some(first) = found.items.first() else { return Ok(()) };
        let receipt = self.engine.why(self.call(now)?, &first.id)?;
        let ids: Vec<String> = receipt.evidence.iter().map(|one| one.evidence.clone()).collect();
        let did = format!("forget {}", ids.join(" "));
        let answer = self.engine.forget(self.call(now)?, &Forget::Ids(ids), false)?;
        self.show(&did, &answer, &forget::told(&answer))
    }

    fn verify(&mut self, now: &str) -> Result<(), Stop> {
        let answer = self.engine.verify_all(self.call(now)?.now)?;
        let told = if answer.ok { "all is well" } else { "DAMAGED" };
        self.show("verify", &answer, told)
    }
}
