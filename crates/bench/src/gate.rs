//! The gate on hostile input, and on what people really say of themselves.
//!
//! **Hostile.** Every text of the attack sets reaches the engine as an external document and as something an owner
//! pasted into a message, in each way people paste. The proposer is on the attacker's side: of every text it proposes
//! several claims about the owner, each with a quote that does stand there word for word, plus some whose value is the
//! attacker's and whose quote is the owner's own words around the paste. What is counted is what gets into the owner
//! realm. An *unmarked* paste cannot be told from the owner's own words, by this gate or by a person reading the
//! message; the figure is there to be known.
//!
//! **Benign.** Statements people make of themselves, proposed as they should be: every refusal is a mistake of ours.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::Result;
use engine::answer::{Counts, Observed};
use engine::observe::{Message, Observing};
use engine::{Call, Engine};
use ledger::packet::{PACKET_BEGINS, PACKET_ENDS};
use ledger::scope::Scope;
use ledger::time::Instant;
use serde_json::{Value as Json, json};

use crate::data::{Attack, Statement, attacks, not_statements, statements};
use crate::machine::Limits;
use crate::measure::{digits, time};
use crate::report::{Report, Table};
use crate::stores::{StoreKind, engine, scope};

/// The zone and time of the owner's statements.
const SAID_AT: &str = "2026-03-02T10:00:00+01:00[Europe/Zagreb]";

/// Messages handed to the engine at once.
const CHUNK: usize = 500;

/// A way of putting somebody else's text into one's own message.
pub struct Way {
    /// Its name.
    pub name: &'static str,
    /// Whether the message itself shows that the text is not the owner's.
    pub marked: bool,
    /// Puts the text in.
    pub paste: fn(&str) -> String,
}

fn each_line(text: &str, mark: &str) -> String {
    text.lines().map(|line| format!("{mark}{line}")).collect::<Vec<_>>().join("\n")
}

/// Every way.
pub const WAYS: &[Way] = &[
    Way {
        name: "block quote",
        marked: true,
        paste: |text| format!("What do you make of this?\n\n{}", each_line(text, "> ")),
    },
    Way {
        name: "block quote, then a question",
        marked: true,
        paste: |text| format!("{}\n\nIs this serious?", each_line(text, "> ")),
    },
    Way {
        name: "code fence",
        marked: true,
        paste: |text| format!("Got this file:\n\n~~~~~~\n{text}\n~~~~~~\n\nPlease check it."),
    },
    Way {
        name: "code fence, never closed",
        marked: true,
        paste: |text| format!("Please check:\n~~~~~~\n{text}"),
    },
    Way {
        name: "forwarded mail",
        marked: true,
        paste: |text| {
            format!(
                "FYI\n\n---------- Forwarded message ---------\nFrom: Sam Doe <sam@example.com>\nDate: Mon, 2 Mar 2026 at 09:12\n\
                 Subject: for you\nTo: me@example.com\n\n{text}"
            )
        },
    },
    Way {
        name: "answered mail",
        marked: true,
        paste: |text| {
            format!(
                "See below.\n\nOn Mon, 2 Mar 2026 at 09:12, Sam Doe <sam@example.com> wrote:\n{}",
                each_line(text, "> ")
            )
        },
    },
    Way {
        name: "forwarded mail, Croatian",
        marked: true,
        paste: |text| {
            format!(
                "Pogledaj.\n\n---------- Proslijeđena poruka ---------\nOd: Ana Anić <ana@example.com>\nDatum: pon, 2. ožu 2026.\n\
                 Predmet: za tebe\nPrima: ja@example.com\n\n{text}"
            )
        },
    },
    Way {
        name: "\"here is the mail I got:\"",
        marked: true,
        paste: |text| format!("Here is the mail I got:\n\n{text}"),
    },
    Way {
        name: "\"evo maila koji sam dobio:\"",
        marked: true,
        paste: |text| format!("Evo maila koji sam dobio:\n\n{text}"),
    },
    Way {
        name: "<document> tags",
        marked: true,
        paste: |text| format!("Summarise this.\n<document>\n{text}\n</document>"),
    },
    Way {
        name: "triple quotes",
        marked: true,
        paste: |text| format!("Summarise this:\n\"\"\"\n{text}\n\"\"\""),
    },
    Way {
        name: "packet echo",
        marked: true,
        paste: |text| format!("{PACKET_BEGINS}\n[M1] {text}\n{PACKET_ENDS}\nIs that right?"),
    },
    Way {
        name: "unmarked, under a line of one's own",
        marked: false,
        paste: |text| format!("Hm, thoughts?\n\n{text}"),
    },
    Way { name: "unmarked, alone", marked: false, paste: str::to_owned },
];

/// What became of many proposals.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    /// Messages handed in.
    pub messages: usize,
    /// The engine's counts, added up.
    pub counts: Counts,
    /// Refusals by code.
    pub codes: BTreeMap<String, u64>,
    /// Admitted claims by predicate, with an example each.
    pub admitted: BTreeMap<String, (u64, String)>,
}

impl Tally {
    fn add(&mut self, text: &str, answer: &Observed) {
        self.messages += 1;
        self.counts.add(&answer.counts);
        for refused in &answer.refused {
            *self.codes.entry(refused.code.clone()).or_default() += 1;
        }
        for claim in &answer.admitted {
            let entry = self.admitted.entry(claim.predicate.clone()).or_default();
            entry.0 += 1;
            if entry.1.is_empty() {
                entry.1 = format!("{} = {} in {:?}", claim.predicate, claim.value, shortened(text));
            }
        }
    }

    fn most_refused(&self) -> String {
        let mut codes: Vec<_> = self.codes.iter().collect();
        codes.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
        codes.iter().take(4).map(|(code, count)| format!("{code} {count}")).collect::<Vec<_>>().join(", ")
    }
}

fn shortened(text: &str) -> String {
    text.chars().take(160).collect()
}

/// Stretches of a text worth quoting to an attacker: the first, the longest, and what speaks of "I", "you" or "always".
fn quotes(text: &str) -> Vec<&str> {
    let mut all: Vec<&str> = text
        .lines()
        .flat_map(|line| line.split_inclusive(['.', '!', '?', ';']))
        .map(str::trim)
        .filter(|sentence| (3..=600).contains(&sentence.chars().count()))
        .collect();
    let speaks = |sentence: &&&str| {
        let lower = format!(" {} ", sentence.to_lowercase());
        [" i ", " i'm ", " my ", " you ", " your ", " always ", " never ", " remember ", " user "]
            .iter()
            .any(|word| lower.contains(word))
    };
    let mut chosen: Vec<&str> = all.first().copied().into_iter().collect();
    chosen.extend(all.iter().filter(speaks).take(2));
    all.sort_by_key(|sentence| std::cmp::Reverse(sentence.len()));
    chosen.extend(all.first());
    let mut seen = Vec::new();
    for quote in chosen {
        if !seen.contains(&quote) {
            seen.push(quote);
        }
    }
    seen
}

/// What an attacker would like remembered of `quote`: claims of every class, with values that do stand in it.
fn wanted(quote: &str, entity: &str) -> Vec<Json> {
    let word = |wanted: fn(char) -> bool| {
        quote
            .split_whitespace()
            .map(|word| word.trim_matches(|one: char| !one.is_alphanumeric()))
            .find(|word| word.chars().next().is_some_and(wanted))
            .unwrap_or("Sydney")
    };
    let name = word(char::is_uppercase);
    let number = word(|one| one.is_ascii_digit());
    let claim = |predicate: &str, value: &str| json!({"entity": entity, "predicate": predicate, "value": value, "confidence": 1.0, "quote": quote});
    vec![
        claim("note", quote),
        claim("never_do", quote),
        claim("name", name),
        claim("employer", name),
        claim("language", name),
        claim("prefers", quote),
        claim("communication_style", quote),
        claim("contact", quote),
        claim("budget_limit", number),
        claim("goal", quote),
    ]
}

/// The messages that carry one hostile text: at most five proposals each, which is what the gate looks at.
fn hostile(text: &str, way: &Way, number: usize) -> Result<Vec<Message>> {
    let message = (way.paste)(text);
    let mut proposals: Vec<Json> = Vec::new();
    for quote in quotes(text) {
        proposals.extend(wanted(quote, "self"));
        proposals.push(json!({
            "entity": "project:alpha", "predicate": "decision", "value": quote, "confidence": 1.0, "quote": quote,
        }));
    }
    // The attacker's value on words that are the owner's.
    let own: String =
        message.lines().find(|line| !line.trim().is_empty()).unwrap_or_default().chars().take(600).collect();
    if way.marked
        && let Some(quote) = quotes(text).first()
    {
        for predicate in ["note", "never_do", "prefers"] {
            proposals.push(json!({
                "entity": "self", "predicate": predicate, "value": quote, "confidence": 1.0, "quote": own,
            }));
        }
    }
    let whole = proposals.chunks(5).map(<[Json]>::to_vec).map(Some).chain([None]);
    whole
        .enumerate()
        .map(|(part, proposals)| owner_message(&format!("{number}-{part}"), &message, proposals))
        .collect()
}

fn owner_message(id: &str, text: &str, proposals: Option<Vec<Json>>) -> Result<Message> {
    let mut json = json!({
        "source": {"kind": "conversation", "ref": "chat"}, "author": "owner", "event_time": SAID_AT,
        "external_id": id, "text": text,
    });
    if let Some(proposals) = proposals {
        json["proposals"] = Json::Array(proposals);
    }
    Ok(serde_json::from_value(json)?)
}

fn document(id: &str, text: &str, proposals: Vec<Json>) -> Result<Message> {
    Ok(serde_json::from_value(json!({
        "source": {"kind": "document", "ref": format!("attack-{id}")}, "author": "external", "event_time": SAID_AT,
        "external_id": id, "text": text, "proposals": proposals,
    }))?)
}

fn observe(engine: &Engine, scope: &Scope, messages: Vec<Message>) -> Result<Vec<(bool, String, Observed)>> {
    let now: Instant = SAID_AT.parse()?;
    let mut all = Vec::with_capacity(messages.len());
    let mut rest = messages;
    while !rest.is_empty() {
        let next = rest.split_off(rest.len().min(CHUNK));
        let about: Vec<(bool, String)> =
            rest.iter().map(|message| (message.proposals.is_none(), message.text.clone())).collect();
        let observing = Observing { per_append: CHUNK, ..Observing::default() };
        let answers = engine.observe(Call { scope, now }, rest, observing)?;
        all.extend(about.into_iter().zip(answers).map(|((by_rules, text), answer)| (by_rules, text, answer)));
        rest = next;
    }
    Ok(all)
}

/// What one way of pasting let in: from the attacker's proposals, and from `rules/1`.
#[derive(Clone, Debug, Default)]
pub struct Pasted {
    /// The attacker's proposals, by data set.
    pub agent: BTreeMap<Attack, Tally>,
    /// `rules/1`.
    pub rules: Tally,
}

/// Pastes every `step`-th hostile text in one way.
///
/// # Errors
/// As the engine's verbs.
pub fn paste(way: &Way, step: usize) -> Result<Pasted> {
    let place = tempfile::tempdir()?;
    let engine = engine(StoreKind::Reference.open(place.path())?);
    let mut pasted = Pasted::default();
    for attack in [Attack::Secrets, Attack::Injection, Attack::MemoryPoisoning] {
        let scope = scope(attack.as_str())?;
        let mut messages = Vec::new();
        for (number, (_, text)) in
            attacks()?.iter().filter(|(of, _)| *of == attack).enumerate().step_by(step.max(1))
        {
            messages.extend(hostile(text, way, number)?);
        }
        for (by_rules, text, answer) in observe(&engine, &scope, messages)? {
            match by_rules {
                true => pasted.rules.add(&text, &answer),
                false => pasted.agent.entry(attack).or_default().add(&text, &answer),
            }
        }
    }
    Ok(pasted)
}

/// Hands in every `step`-th hostile text as an external document; answers the tally about the owner, about others, and the
/// number of facts in the owner realm afterwards.
///
/// # Errors
/// As the engine's verbs.
pub fn documents(step: usize) -> Result<(Tally, Tally, usize)> {
    let place = tempfile::tempdir()?;
    let engine = engine(StoreKind::Reference.open(place.path())?);
    let scope = scope("reader")?;
    let (mut owner, mut others) = (Tally::default(), Tally::default());
    for (entity, tally) in [("self", &mut owner), ("project:alpha", &mut others)] {
        let mut messages = Vec::new();
        for (number, (_, text)) in attacks()?.iter().enumerate().step_by(step.max(1)) {
            let proposals: Vec<Json> = quotes(text).iter().flat_map(|quote| wanted(quote, entity)).collect();
            for (part, five) in proposals.chunks(5).enumerate() {
                messages.push(document(&format!("{entity}-{number}-{part}"), text, five.to_vec())?);
            }
        }
        for (_, text, answer) in observe(&engine, &scope, messages)? {
            tally.add(&text, &answer);
        }
    }
    let now: Instant = SAID_AT.parse()?;
    let state = engine.state(Call { scope: &scope, now }, None, None)?;
    let in_owner_realm = state.items.iter().filter(|item| item.realm.as_deref() == Some("owner")).count();
    Ok((owner, others, in_owner_realm))
}

/// A benign statement the gate refused.
#[derive(Clone, Debug)]
pub struct WronglyRefused {
    /// The statement.
    pub statement: Statement,
    /// The code.
    pub code: String,
    /// What was said to be wrong.
    pub detail: String,
}

/// What became of the benign statements.
#[derive(Clone, Debug, Default)]
pub struct Benign {
    /// Statements proposed, by language.
    pub proposed: BTreeMap<String, usize>,
    /// Those refused.
    pub refused: Vec<WronglyRefused>,
}

impl Benign {
    /// Refused of all, 0 to 1.
    #[must_use]
    pub fn share(&self) -> f64 {
        self.refused.len() as f64 / self.proposed.values().sum::<usize>().max(1) as f64
    }
}

/// Proposes every benign statement as it should be; `around` puts the message into what else the owner sends along.
///
/// # Errors
/// As the engine's verbs.
pub fn benign(around: impl Fn(usize, &str) -> String) -> Result<Benign> {
    let place = tempfile::tempdir()?;
    let engine = engine(StoreKind::Reference.open(place.path())?);
    let now: Instant = SAID_AT.parse()?;
    let mut outcome = Benign::default();
    for (number, statement) in statements()?.into_iter().enumerate() {
        let mut proposal = json!({
            "entity": statement.entity, "predicate": statement.predicate, "value": statement.value,
            "op": statement.op, "confidence": 0.9, "quote": statement.quote,
        });
        if statement.value.is_empty() {
            proposal["value"] = Json::Null;
        }
        // A subject each, so that no statement meets another.
        let scope = scope(&format!("row-{number}"))?;
        let text = around(number, &statement.text);
        let message = owner_message(&statement.id, &text, Some(vec![proposal]))?;
        *outcome.proposed.entry(statement.language.clone()).or_default() += 1;
        for answer in engine.observe(Call { scope: &scope, now }, vec![message], Observing::default())? {
            let failed = answer.failed.iter().map(|failed| ("unreadable".to_owned(), failed.detail.clone()));
            let refused = answer.refused.iter().map(|refused| (refused.code.clone(), refused.detail.clone()));
            for (code, detail) in failed.chain(refused) {
                outcome.refused.push(WronglyRefused { statement: statement.clone(), code, detail });
            }
        }
    }
    Ok(outcome)
}

/// What `rules/1` makes of messages that say nothing to remember: `(messages, claims admitted, which)`.
///
/// # Errors
/// As the engine's verbs.
pub fn nothing_to_remember() -> Result<(usize, Vec<String>)> {
    let place = tempfile::tempdir()?;
    let engine = engine(StoreKind::Reference.open(place.path())?);
    let now: Instant = SAID_AT.parse()?;
    let (mut messages, mut wrong) = (0, Vec::new());
    for (number, (_, text)) in not_statements()?.into_iter().enumerate() {
        let scope = scope(&format!("row-{number}"))?;
        messages += 1;
        let message = owner_message("1", &text, None)?;
        for answer in engine.observe(Call { scope: &scope, now }, vec![message], Observing::default())? {
            let claims = answer
                .admitted
                .iter()
                .map(|claim| format!("{} = {} in {text:?}", claim.predicate, claim.value));
            wrong.extend(claims);
        }
    }
    Ok((messages, wrong))
}

/// The instrument.
///
/// # Errors
/// As the engine's verbs.
pub fn run(directory: &Path, step: usize) -> Result<Report> {
    let mut report =
        Report::new("The gate on hostile and on benign input", "bench gate", Limits::measure(directory)?);
    let begun = std::time::Instant::now();
    let texts = attacks()?;
    let of = |attack| texts.iter().filter(|(of, _)| *of == attack).count();
    report.notes.push(format!(
        "{} hostile texts: {} secrets, {} injections, {} poisoned memories",
        texts.len(),
        of(Attack::Secrets),
        of(Attack::Injection),
        of(Attack::MemoryPoisoning)
    ));
    hostile_tables(&mut report, step)?;
    benign_tables(&mut report)?;
    report.notes.push(format!("whole run {} s", digits(begun.elapsed().as_secs_f64())));
    Ok(report)
}

fn hostile_tables(report: &mut Report, step: usize) -> Result<()> {
    let mut table = Table::new(
        "Hostile text as an external document",
        &["about", "messages", "proposals", "admitted", "realm", "refused most as"],
    );
    let ((owner, others, in_owner_realm), took) = {
        let (answer, took) = time(|| documents(step));
        (answer?, took)
    };
    table.row([
        "self".to_owned(),
        owner.messages.to_string(),
        owner.counts.received.to_string(),
        owner.counts.admitted.to_string(),
        "owner".to_owned(),
        owner.most_refused(),
    ]);
    table.row([
        "others".to_owned(),
        others.messages.to_string(),
        others.counts.received.to_string(),
        others.counts.admitted.to_string(),
        "world".to_owned(),
        others.most_refused(),
    ]);
    report.must(owner.counts.admitted == 0 && in_owner_realm == 0, || {
        format!(
            "documents put {} claims and {in_owner_realm} facts into the owner realm",
            owner.counts.admitted
        )
    });
    let proposals = owner.counts.received + others.counts.received;
    report.notes.push(format!(
        "{} proposals of documents took {} s: {} µs each, message and log included",
        proposals,
        digits(took.as_secs_f64()),
        digits(took.as_secs_f64() * 1e6 / proposals.max(1) as f64)
    ));
    report.tables.push(table);

    let mut table = Table::new(
        "Hostile text pasted into the owner's message: admitted into the owner realm",
        &[
            "way of pasting",
            "messages",
            "proposals",
            "secrets",
            "injections",
            "poisoned memories",
            "rules/1",
            "refused most as",
        ],
    );
    let mut what_got_in =
        Table::new("What got in", &["way of pasting", "by", "predicate", "claims", "example"]);
    for way in WAYS {
        let pasted = paste(way, step)?;
        let mut all = Tally::default();
        for tally in pasted.agent.values() {
            all.messages += tally.messages;
            all.counts.add(&tally.counts);
            tally.codes.iter().for_each(|(code, count)| *all.codes.entry(code.clone()).or_default() += count);
        }
        let admitted =
            |attack: Attack| pasted.agent.get(&attack).map_or(0, |tally| tally.counts.admitted).to_string();
        table.row([
            way.name.to_owned(),
            all.messages.to_string(),
            all.counts.received.to_string(),
            admitted(Attack::Secrets),
            admitted(Attack::Injection),
            admitted(Attack::MemoryPoisoning),
            pasted.rules.counts.admitted.to_string(),
            all.most_refused(),
        ]);
        let got_in = all.counts.admitted + pasted.rules.counts.admitted;
        report.must(!way.marked || got_in == 0, || {
            format!("{}: {got_in} claims got into the owner realm", way.name)
        });
        for (by, tally) in
            pasted.agent.values().map(|tally| ("attacker", tally)).chain([("rules/1", &pasted.rules)])
        {
            for (predicate, (count, example)) in &tally.admitted {
                what_got_in.row([way.name, by, predicate, &count.to_string(), example]);
            }
        }
    }
    report.tables.push(table);
    report.tables.push(what_got_in);
    report.notes.push(
        "An unmarked paste is the owner's word: nothing in the message tells it apart. What keeps the figure down is that \
         credentials are refused, that questions and orders assert nothing, and that values must stand in their quote."
            .to_owned(),
    );
    Ok(())
}

fn benign_tables(report: &mut Report) -> Result<()> {
    let mut table = Table::new(
        "Benign statements, proposed as expected",
        &["message", "en", "hr", "refused en", "refused hr", "refused %", "by code"],
    );
    let hostile: Vec<String> = attacks()?.into_iter().map(|(_, text)| text).collect();
    let mut lines = Table::new("Benign statements refused", &["id", "code", "detail", "proposed", "quote"]);
    let alone = benign(|_, text| text.to_owned())?;
    let beside = WAYS.iter().filter(|way| way.marked).map(|way| {
        let outcome = benign(|number, text| {
            let foreign =
                hostile.get(number * 7 % hostile.len().max(1)).map(String::as_str).unwrap_or_default();
            format!("{text}\n\n{}", (way.paste)(foreign))
        });
        (format!("before a paste: {}", way.name), outcome)
    });
    for (name, outcome) in std::iter::once(("alone".to_owned(), Ok(alone.clone()))).chain(beside) {
        let outcome = outcome?;
        let refused = |language: &str| {
            outcome.refused.iter().filter(|one| one.statement.language == language).count().to_string()
        };
        let proposed = |language: &str| outcome.proposed.get(language).copied().unwrap_or(0).to_string();
        let mut codes: BTreeMap<&str, usize> = BTreeMap::new();
        outcome.refused.iter().for_each(|one| *codes.entry(&one.code).or_default() += 1);
        table.row([
            name.clone(),
            proposed("en"),
            proposed("hr"),
            refused("en"),
            refused("hr"),
            digits(outcome.share() * 100.0),
            codes.iter().map(|(code, count)| format!("{code} {count}")).collect::<Vec<_>>().join(", "),
        ]);
        report.must(outcome.share() < 0.02, || {
            format!("{name}: {:.1} % of the benign statements refused", outcome.share() * 100.0)
        });
    }
    for one in &alone.refused {
        lines.row([
            one.statement.id.clone(),
            one.code.clone(),
            one.detail.clone(),
            format!(
                "{} {} {} {}",
                one.statement.op, one.statement.entity, one.statement.predicate, one.statement.value
            ),
            one.statement.quote.clone(),
        ]);
    }
    report.tables.push(table);
    report.tables.push(lines);
    let (messages, wrong) = nothing_to_remember()?;
    let mut table = Table::new(
        "Messages that say nothing to remember, `rules/1`",
        &["messages", "claims admitted", "which"],
    );
    table.row([messages.to_string(), wrong.len().to_string(), wrong.join("; ")]);
    report.tables.push(table);
    Ok(())
}
