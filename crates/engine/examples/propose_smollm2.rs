//! What a real small model proposes, and what becomes of it: owners' messages of the BEAM chats and the owner statements.
//!
//! `tools/smollm2.sh cargo run --release -p engine --example propose_smollm2 -- [--sample N] [--free] [--show N]`
//!
//! The server's address is in `TESTIMONY_SMOLLM2_URL`. `--sample` messages are taken of each set, evenly; `--free` leaves out the
//! JSON schema, so that the model writes as it likes; `--show` prints that many admitted claims with their words. Ends with
//! an error when something is in the ledger that the words of its message do not carry, or counts do not balance.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, bail, ensure};
use engine::observe::{Message, Observing};
use engine::propose::model::{Asked, Dropped, ModelProposer, Outcome};
use engine::tokens::Tokens;
use engine::{Call, Engine};
use inference::Limits;
use inference::chat::Chat;
use inference::clock::{Clock, MachineClock};
use inference::tiers::{Models, ProposeSettings};
use inference::wire::WireModel;
use ledger::admission::Policies;
use ledger::claim::Realm;
use ledger::evidence::Author;
use ledger::log::{Changes, Row};
use ledger::reference::ReferenceStore;
use ledger::scope::{Scope, Subject};
use ledger::time::Instant;
use serde_json::{Value as Json, json};

/// How long one call may take; a small model that loops is cut off by its tokens long before.
const WITHIN: Duration = Duration::from_secs(300);

/// Tokens of one answer: two or three proposals, of which five are looked at. What a small model writes after that repeats.
const OUTPUT_TOKENS_MAX: u32 = 250;

struct Choices {
    sample: usize,
    free: bool,
    show: usize,
}

#[derive(Default)]
struct Figures {
    messages: u64,
    replies: u64,
    unanswered: u64,
    without_proposals: u64,
    received: u64,
    admitted: u64,
    duplicate: u64,
    failed: u64,
    tokens: u64,
    refused: BTreeMap<String, u64>,
    dropped: Dropped,
}

fn main() -> anyhow::Result<()> {
    let choices = read_arguments()?;
    #[allow(clippy::disallowed_methods, reason = "an example is a binary")]
    let url = std::env::var("TESTIMONY_SMOLLM2_URL")
        .context("TESTIMONY_SMOLLM2_URL is not set; run this through tools/smollm2.sh")?;
    let can = if choices.free { "[\"chat\"]" } else { "[\"chat\", \"json_schema\"]" };
    let text = format!(
        "[tier.small]\nprotocol = \"openai\"\nbase_url = \"{url}\"\nmodel = \"smollm2-135m\"\ncan = {can}\nwithin_s = {}\nretries = 0\noutput_tokens_max = {OUTPUT_TOKENS_MAX}",
        WITHIN.as_secs()
    );
    let models =
        Models::parse(Path::new("models.toml"), &text).map_err(|error| anyhow::anyhow!("{error}"))?;
    let environment: inference::key::Environment = Arc::new(|_| None);
    let chat: Arc<dyn Chat> = Arc::new(WireModel::connect(&models.tiers["small"], &environment));
    let data = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../data"));
    for (name, texts) in [("beam", beam(&data)?), ("owner-statements", statements(&data)?)] {
        measure(name, &sample(texts, choices.sample), &chat, &choices)?;
    }
    Ok(())
}

fn read_arguments() -> anyhow::Result<Choices> {
    let mut choices = Choices { sample: 100, free: false, show: 0 };
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        let mut number = || arguments.next().context("a number is missing")?.parse().context("no number");
        match argument.as_str() {
            "--sample" => choices.sample = number()?,
            "--show" => choices.show = number()?,
            "--free" => choices.free = true,
            _ => bail!("unknown argument `{argument}`"),
        }
    }
    Ok(choices)
}

/// As many as asked for, evenly over all.
fn sample(texts: Vec<String>, count: usize) -> Vec<String> {
    let all = texts.len();
    let take = count.min(all);
    (0..take).map(|place| texts[place * all / take].clone()).collect()
}

/// What the people of the BEAM chats wrote, without the marks of the data set behind it.
fn beam(data: &Path) -> anyhow::Result<Vec<String>> {
    let mut folders: Vec<PathBuf> = std::fs::read_dir(data.join("beam-100k"))?
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<Result<_, _>>()?;
    folders.sort();
    let mut texts = Vec::new();
    for folder in folders.iter().filter(|folder| folder.is_dir()) {
        let chat: Json = serde_json::from_str(&std::fs::read_to_string(folder.join("chat.json"))?)?;
        let turns = chat
            .as_array()
            .into_iter()
            .flatten()
            .flat_map(|batch| batch["turns"].as_array().into_iter().flatten());
        for message in turns.flat_map(|turn| turn.as_array().into_iter().flatten()) {
            let content = message["content"].as_str().unwrap_or_default();
            let own = content.split("->->").next().unwrap_or_default().trim();
            if message["role"] == "user" && !own.is_empty() {
                texts.push(own.to_owned());
            }
        }
    }
    Ok(texts)
}

fn statements(data: &Path) -> anyhow::Result<Vec<String>> {
    let mut texts = Vec::new();
    for (file, column) in [("statements.tsv", 7), ("not-statements.tsv", 3)] {
        let text = std::fs::read_to_string(data.join("owner-statements").join(file))?;
        let cells = text.lines().skip(1).filter_map(|line| line.split('\t').nth(column));
        texts.extend(cells.map(|cell| cell.replace("\\n", "\n")));
    }
    texts.dedup();
    Ok(texts)
}

fn measure(name: &str, texts: &[String], chat: &Arc<dyn Chat>, choices: &Choices) -> anyhow::Result<()> {
    let engine = Engine::new(Arc::new(ReferenceStore::new()), Policies::shipped(), Arc::new(Tokens));
    let scope = Scope::of(Subject::parse(name)?);
    let call = Call { scope: &scope, now: "2026-03-02T10:00:00Z".parse::<Instant>()? };
    for (number, text) in texts.iter().enumerate() {
        let message: Message = serde_json::from_value(json!({
            "source": {"kind": "chat", "ref": name}, "author": "owner", "external_id": number.to_string(),
            "event_time": "2026-03-02T10:00:00+01:00[Europe/Zagreb]", "text": text,
        }))?;
        engine.observe(call, vec![message], Observing { rules: false, ..Observing::default() })?;
    }
    let settings = ProposeSettings {
        tokens_per_day: u64::MAX / 2,
        batch_messages: 1,
        batch_tokens: 1_500,
        ..ProposeSettings::of("small")
    };
    let proposer = ModelProposer::new(chat.clone(), settings);
    let clock = MachineClock::default();
    let mut figures = Figures::default();
    let mut after = None;
    loop {
        let batch = engine.next_batch(call, &proposer, Asked { after, since: None })?;
        let proposed = engine.propose(call, &proposer, &batch, &Limits::within(WITHIN))?;
        after = batch.through;
        figures.messages += batch.len() as u64;
        match proposed.outcome {
            Outcome::Nothing => break,
            Outcome::Read => figures.replies += 1,
            _ => {
                figures.unanswered += 1;
                eprintln!("not answered: {}", proposed.reason.unwrap_or_default());
                ensure!(figures.unanswered < 10, "the server does not answer");
                continue;
            }
        }
        let counts = proposed.counts;
        let sum = counts.admitted + counts.refused + counts.duplicate + counts.failed;
        ensure!(counts.received == sum, "counts do not balance: {counts:?}");
        figures.without_proposals += u64::from(counts.received == 0);
        figures.received += counts.received;
        figures.admitted += counts.admitted;
        figures.duplicate += counts.duplicate;
        figures.failed += counts.failed;
        figures.tokens += proposed.tokens;
        figures.dropped.add(&proposed.dropped);
        for refused in proposed.messages.iter().flat_map(|one| &one.refused) {
            *figures.refused.entry(refused.code.clone()).or_default() += 1;
        }
    }
    let seconds = clock.elapsed().as_secs_f64();
    println!(
        "{name}: {} messages, {} replies in {seconds:.0} s, {} tokens",
        figures.messages, figures.replies, figures.tokens
    );
    println!("  replies without a proposal for the gate: {}", figures.without_proposals);
    let refused: u64 = figures.refused.values().sum();
    println!(
        "  received {} = admitted {} + refused {refused} + duplicate {} + failed {}",
        figures.received, figures.admitted, figures.duplicate, figures.failed
    );
    println!("  refused: {:?}", figures.refused);
    let dropped: Vec<_> = figures.dropped.reasons().into_iter().filter(|(_, count)| *count > 0).collect();
    println!("  dropped before the gate: {dropped:?}");
    look(&engine, &scope, figures.admitted, choices.show)
}

/// Reads the ledger back: every claim stands on words of its own message.
fn look(engine: &Engine, scope: &Scope, admitted: u64, show: usize) -> anyhow::Result<()> {
    let Changes::Appended(entries) = engine.store().changes_since(scope, 0)? else { bail!("rewritten") };
    let mut claims = 0;
    for (_, row) in entries.into_iter().flat_map(|entry| entry.rows) {
        let Row::Claim(claim) = row else { continue };
        let found =
            engine.store().evidence(scope, &[claim.evidence])?.pop().flatten().context("no message")?;
        let text = found.words.text.context("no text")?;
        ensure!(claim.realm == Realm::Owner && found.author == Author::Owner, "a claim of somebody else");
        ensure!(engine.registry().get(&claim.predicate).is_some(), "predicate `{}`", claim.predicate);
        for quote in claim.words.quotes.iter() {
            let (start, end) = (quote.span().start as usize, quote.span().end as usize);
            ensure!(
                text.as_bytes().get(start..end) == Some(quote.text().as_bytes()),
                "a quote that does not stand"
            );
        }
        if claims < show as u64 {
            let quotes: Vec<&str> = claim.words.quotes.iter().map(|quote| quote.text()).collect();
            let value = claim.words.value().map(ToString::to_string).unwrap_or_default();
            println!(
                "  - {} {} {} = {value} | {}",
                claim.op,
                claim.words.entity,
                claim.predicate,
                quotes.join(" … ")
            );
        }
        claims += 1;
    }
    ensure!(claims == admitted, "{claims} claims stand, {admitted} were admitted");
    Ok(())
}
