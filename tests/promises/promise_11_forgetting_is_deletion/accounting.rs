//! Accounting: an erasure leaves the ledger that never saw the erased words, but for ids.
//!
//! Random lives: shared support, chains of corrections, retractions, late letters, living pages, copies, disputes and their
//! end. Then something is forgotten, by a random way of asking. What is left is compared with a second life in which the
//! same things happened at the same instants, and the erased words were never said. Each case has a number, which is the
//! seed; `TESTIMONY_CASES=10000` runs that many, from `TESTIMONY_FIRST_CASE=5000` on if that is given, and `TESTIMONY_CASE=17`
//! runs one.

use std::collections::{BTreeMap, BTreeSet};

use engine::answer::{Forgotten, Receipt};
use engine::forget::{Forget, Which};
use engine::history::Resolve;
use engine::{Call, EngineError};
use ledger::id::{ClaimId, Position, SourceId};
use ledger::memory::{Fact, Memory, Version};
use ledger::time::{AsOf, Instant};
use proofs::{Keeper, World, at};
use serde_json::{Value as Json, json};

use crate::speak::{Dice, claim, with};

/// Cases in an everyday run.
const CASES: u64 = 150;

/// Where words come from: kind, name, and whether it is the owner who speaks.
const SOURCES: &[(&str, &str, bool)] = &[
    ("conversation", "c1", true),
    ("conversation", "c2", true),
    ("document", "report", false),
    ("document", "register", false),
    ("document", "copy of the report", false),
    ("document", "page", false),
    ("note", "notes", true),
];

/// Sources of which the newest edition stands.
const LIVING: &[usize] = &[5, 6];

const SESSIONS: &[&str] = &["standup", "retreat"];

/// Something somebody says in one sentence.
#[derive(Clone, PartialEq, Debug)]
struct Sentence {
    text: String,
    proposal: Json,
}

#[derive(Clone, Debug)]
struct Message {
    source: usize,
    session: Option<&'static str>,
    said: Instant,
    sentences: Vec<Sentence>,
}

#[derive(Clone, Debug)]
enum Step {
    Says(Message),
    /// One of the disputes of then is decided; which, the numbers choose.
    Decides(usize, usize),
}

/// What a second life leaves out: messages by their step, single sentences by step and place.
#[derive(Default)]
struct Unsaid {
    messages: BTreeSet<usize>,
    sentences: BTreeSet<(usize, usize)>,
}

/// A life that was lived: where things went, and what was decided.
struct Life {
    world: World,
    messages: BTreeMap<usize, String>,
    claims: BTreeMap<String, (usize, usize)>,
    facts: Vec<(String, bool)>,
    versions: Vec<(String, bool)>,
    decided: BTreeMap<usize, Decision>,
}

/// A dispute's fact, the value kept and the claims it stood on, told without ids. A decision for words that were forgotten is
/// no decision for the next who says the same.
#[derive(Clone, PartialEq, Debug)]
struct Decision {
    fact: String,
    kept: Json,
    on: BTreeSet<String>,
}

fn sentence(dice: &mut Dice, owner: bool) -> Sentence {
    let cities = ["Zagreb", "Split", "Rijeka"];
    let games = ["chess", "rowing"];
    let city = *dice.pick(&cities);
    let said = |text: String, proposal: Json| Sentence { text, proposal };
    let since = format!("20{}-01-01", 20 + dice.below(5));
    match (owner, dice.below(6)) {
        (true, 0 | 1) => {
            let text = format!("I live in {city}");
            said(text.clone(), claim("self", "home_city", city, &text))
        }
        (true, 2) => {
            let text = format!("I have lived in {city} since {since}");
            said(text.clone(), with(claim("self", "home_city", city, &text), json!({"valid_from": since})))
        }
        (true, 3) => {
            let text = format!("I no longer live in {city}");
            said(text.clone(), with(claim("self", "home_city", city, &text), json!({"op": "retract"})))
        }
        (true, _) => {
            let game = *dice.pick(&games);
            let gone = dice.below(4) == 0;
            let text = format!("I {} {game}", if gone { "no longer like" } else { "like" });
            let proposal = claim("self", "likes", game, &text);
            said(text, if gone { with(proposal, json!({"op": "retract"})) } else { proposal })
        }
        (false, 0..3) => {
            let people = *dice.pick(&["250", "300", "350"]);
            let text = format!("Acme has {people} employees");
            said(text.clone(), claim("acme", "headcount", people, &text))
        }
        (false, 3) => {
            let text = format!("Acme is based in {city} since {since}");
            said(text.clone(), with(claim("acme", "based_in", city, &text), json!({"valid_from": since})))
        }
        (false, _) => {
            let text = format!("Acme is based in {city}");
            said(text.clone(), claim("acme", "based_in", city, &text))
        }
    }
}

/// The instant of a step; nothing else happens then.
fn clock(step: usize) -> Instant {
    Instant::from_micros(at("2026-06-01").micros() + step as i64 * 3_600_000_000)
}

fn story(dice: &mut Dice) -> Vec<Step> {
    let length = 3 + dice.below(12);
    let mut steps: Vec<Step> = Vec::new();
    for step in 0..length {
        if step > 2 && dice.below(6) == 0 {
            steps.push(Step::Decides(dice.below(8), dice.below(8)));
            continue;
        }
        let source = dice.below(SOURCES.len());
        // Mostly in order; now and then a letter that was long on its way. No two at the same instant. Editions come in order:
        // what a late one drops is decided by those that are there when it comes.
        let late = dice.below(4) == 0 && !LIVING.contains(&source);
        let late = if late { 1 + dice.below(3_000) as i64 } else { 0 };
        let said = Instant::from_micros(
            clock(step).micros() - late * 3_600_000_000 - 60_000_000 * (1 + step as i64),
        );
        let mut sentences: Vec<Sentence> = Vec::new();
        for _ in 0..1 + dice.below(3) {
            let next = sentence(dice, SOURCES[source].2);
            let about = |one: &Sentence| (one.proposal["predicate"].clone(), one.proposal["value"].clone());
            if !sentences.iter().any(|known| about(known) == about(&next)) {
                sentences.push(next);
            }
        }
        let session = if dice.below(2) == 0 { Some(*dice.pick(SESSIONS)) } else { None };
        steps.push(Step::Says(Message { source, session, said, sentences }));
    }
    steps
}

fn spoken(step: usize, message: &Message, sentences: &[&Sentence]) -> Json {
    let (kind, name, owner) = SOURCES[message.source];
    let mut text: String = sentences.iter().map(|one| format!("{}. ", one.text)).collect();
    text.push_str(&format!("That is message {step}."));
    let mut source = json!({"kind": kind, "ref": name});
    if LIVING.contains(&message.source) {
        source["mode"] = json!("living");
    }
    if name.starts_with("copy") {
        source["lineage"] = json!("document:report");
    }
    json!({
        "source": source, "author": if owner { "owner" } else { "external" }, "text": text,
        "session": message.session, "event_time": message.said.to_string(),
        "proposals": sentences.iter().map(|one| one.proposal.clone()).collect::<Vec<Json>>(),
    })
}

impl Life {
    /// Lives a story from `first` on, leaving out what is unsaid. What was decided is decided again where it can be.
    fn live(
        &mut self,
        story: &[Step],
        first: usize,
        unsaid: &Unsaid,
        decided: Option<&BTreeMap<usize, Decision>>,
    ) {
        for (step, what) in story.iter().enumerate().skip(first) {
            match what {
                Step::Says(message) if !unsaid.messages.contains(&step) => self.say(step, message, unsaid),
                Step::Says(_) => {}
                Step::Decides(fact, kept) => match decided {
                    None => self.decide_some(step, *fact, *kept),
                    Some(decided) => {
                        if let Some(decision) = decided.get(&step) {
                            self.decide(step, decision);
                        }
                    }
                },
            }
        }
    }

    fn new() -> Self {
        Self {
            world: World::new(Keeper::Reference),
            messages: BTreeMap::new(),
            claims: BTreeMap::new(),
            facts: Vec::new(),
            versions: Vec::new(),
            decided: BTreeMap::new(),
        }
    }

    fn call(&self, step: usize) -> Call<'_> {
        Call { scope: &self.world.me, now: clock(step) }
    }

    fn say(&mut self, step: usize, message: &Message, unsaid: &Unsaid) {
        let said: Vec<(usize, &Sentence)> = message
            .sentences
            .iter()
            .enumerate()
            .filter(|(place, _)| !unsaid.sentences.contains(&(step, *place)))
            .collect();
        let sentences: Vec<&Sentence> = said.iter().map(|(_, sentence)| *sentence).collect();
        let observed = self.world.observe(&clock(step).to_string(), spoken(step, message, &sentences));
        assert_eq!(observed.counts.admitted, observed.counts.received, "{observed:#?}");
        self.messages.extend(observed.evidence.map(|id| (step, id)));
        let living = LIVING.contains(&message.source);
        for ((place, _), claim) in said.iter().zip(observed.admitted) {
            self.claims.insert(claim.claim, (step, *place));
            self.facts.push((claim.fact, living));
            self.versions.extend(claim.version.map(|version| (version, living)));
        }
    }

    fn decide_some(&mut self, step: usize, fact: usize, kept: usize) {
        let disputes = self.world.engine.disputes(self.call(step), None, None).expect("disputes").disputes;
        if disputes.is_empty() {
            return;
        }
        let dispute = &disputes[fact % disputes.len()];
        let kept = &dispute.versions[kept % dispute.versions.len()];
        let told = Decision {
            fact: format!("{} {} {}", dispute.fact.realm, dispute.fact.entity, dispute.fact.predicate),
            kept: kept.value.clone(),
            on: BTreeSet::new(),
        };
        let on = self.grounds(step, &told.fact, &told.kept);
        self.resolve(step, &dispute.fact.id, &kept.id);
        self.decided.insert(step, Decision { on, ..told });
    }

    /// The claims that a value in dispute stands on. Words for the same value that were overruled at the time are none of
    /// them: nobody decided for those.
    fn grounds(&self, step: usize, named: &str, value: &Json) -> BTreeSet<String> {
        let memory = self.world.memory();
        let then = memory.now(clock(step));
        let is_named = |fact: &&Fact| {
            let key = fact.key.as_ref();
            key.is_some_and(|key| format!("{} {} {}", key.realm, key.entity, key.predicate) == named)
        };
        let is_of = |version: &&Version| {
            let claim = memory.value_of(version);
            claim.is_some_and(|claim| engine::answer::value_json(claim.words.value()) == *value)
        };
        let facts = memory.facts().iter().filter(is_named);
        let disputed = facts.flat_map(|fact| memory.dispute(fact, &then)).filter(is_of);
        disputed.flat_map(|version| version.supporting(u64::MAX)).map(|claim| told(&memory, claim)).collect()
    }

    fn decide(&self, step: usize, decision: &Decision) {
        let disputes = self.world.engine.disputes(self.call(step), None, None).expect("disputes").disputes;
        let named =
            |fact: &engine::answer::FactText| format!("{} {} {}", fact.realm, fact.entity, fact.predicate);
        let dispute = disputes.iter().find(|dispute| named(&dispute.fact) == decision.fact);
        let kept = dispute
            .and_then(|dispute| dispute.versions.iter().find(|version| version.value == decision.kept))
            .filter(|_| !self.grounds(step, &decision.fact, &decision.kept).is_disjoint(&decision.on));
        if let Some((dispute, kept)) = dispute.zip(kept) {
            self.resolve(step, &dispute.fact.id, &kept.id);
        }
    }

    fn resolve(&self, step: usize, fact: &str, keep: &str) {
        let (reason, by) = (format!("decided in step {step}"), "the owner".to_owned());
        let resolve = Resolve { fact: fact.to_owned(), keep: keep.to_owned(), reason, by };
        self.world.engine.resolve_dispute(self.call(step), &resolve).expect("resolved");
    }
}

/// What is to be forgotten, and which messages go by it; `None` where that is for the engine to say.
fn choose(dice: &mut Dice, life: &Life, story: &[Step]) -> (Forget, Option<BTreeSet<usize>>) {
    let said = |wanted: &dyn Fn(&Message) -> bool| -> BTreeSet<usize> {
        let messages = story.iter().enumerate().filter_map(|(step, what)| match what {
            Step::Says(message) if life.messages.contains_key(&step) && wanted(message) => Some(step),
            _ => None,
        });
        messages.collect()
    };
    let named = |source: usize| format!("{}:{}", SOURCES[source].0, SOURCES[source].1);
    let fixed = |all: &[(String, bool)]| -> Vec<String> {
        let living: BTreeSet<&String> = all.iter().filter(|(_, living)| *living).map(|(id, _)| id).collect();
        all.iter().map(|(id, _)| id.clone()).filter(|id| !living.contains(id)).collect()
    };
    match dice.below(8) {
        0 | 1 => {
            let source = dice.below(SOURCES.len());
            let going = said(&|message| message.source == source);
            if !going.is_empty() {
                return (Forget::Source(named(source)), Some(going));
            }
        }
        2 => {
            let session = *dice.pick(SESSIONS);
            let going = said(&|message| message.session == Some(session));
            if !going.is_empty() {
                let which = Which { session: Some(session.to_owned()), ..Which::default() };
                return (Forget::Messages(which), Some(going));
            }
        }
        3 => {
            let all: Vec<Instant> = story
                .iter()
                .filter_map(|step| match step {
                    Step::Says(message) => Some(message.said),
                    Step::Decides(..) => None,
                })
                .collect();
            let (one, other) = (*dice.pick(&all), *dice.pick(&all));
            // Half open: the message of the last instant stays.
            let (from, to) = (one.min(other), one.max(other));
            let source = if dice.below(2) == 0 { Some(dice.below(SOURCES.len())) } else { None };
            let going = said(&|message| {
                message.said >= from
                    && message.said < to
                    && source.is_none_or(|source| message.source == source)
            });
            if !going.is_empty() {
                let source = source.map(named);
                let which = Which { source, from: Some(from), to: Some(to), ..Which::default() };
                return (Forget::Messages(which), Some(going));
            }
        }
        4 => {
            let some: Vec<String> = life
                .claims
                .iter()
                .filter(|(_, (step, _))| {
                    matches!(&story[*step], Step::Says(message) if !LIVING.contains(&message.source))
                })
                .map(|(id, _)| id.clone())
                .filter(|_| dice.below(3) == 0)
                .collect();
            if !some.is_empty() {
                return (Forget::Ids(some), None);
            }
        }
        5 => {
            if let Some(id) = fixed(&life.facts).first() {
                return (Forget::Ids(vec![id.clone()]), None);
            }
        }
        6 => {
            if let Some(id) = fixed(&life.versions).last() {
                return (Forget::Ids(vec![id.clone()]), None);
            }
        }
        _ => {}
    }
    let all: Vec<usize> = life.messages.keys().copied().collect();
    let mut going: BTreeSet<usize> = all.iter().copied().filter(|_| dice.below(3) == 0).collect();
    going.insert(*dice.pick(&all));
    (Forget::Ids(going.iter().map(|step| life.messages[step].clone()).collect()), Some(going))
}

/// Everything an observer could tell two ledgers apart by, but for ids, places in the log and the order of rows.
///
/// `of_now`: only what somebody sees who knows everything by now. When an edition of a living page is forgotten, what it had
/// dropped ends with the next edition; that is known from the erasure on, and not from when that edition came. Versions that
/// stood apart until then, and whose claims all went over to others, are of the past, too.
fn account(world: &World, of_now: bool) -> Vec<String> {
    let memory = world.memory();
    let mut lines: Vec<String> = Vec::new();
    let mut said: BTreeSet<SourceId> = BTreeSet::new();
    for (_, evidence) in world.store.evidence_after(&world.me, None, 10_000).expect("evidence") {
        said.insert(evidence.source);
        let session = evidence.words.session.unwrap_or_default();
        let source = name(&memory, evidence.source);
        lines.push(format!("message of {source} at {} in `{session}`", evidence.event_time));
    }
    for source in said {
        let known = memory.source(source).expect("a source");
        lines.push(format!("source {} {:?} from {:?}", name(&memory, source), known.mode, known.authority));
    }
    for fact in memory.facts() {
        lines.extend(account_of_fact(&memory, fact, of_now));
    }
    for (id, claim) in memory.claims() {
        let lapsed = if memory.is_lapsed(id) { " (lapsed)" } else { "" };
        lines.push(format!("claim {}{lapsed} of {}", told(&memory, id), claim.words.value_key()));
    }
    lines.sort();
    lines
}

fn name(memory: &Memory, source: SourceId) -> String {
    memory
        .source(source)
        .map(|known| format!("{}:{}", known.kind.as_str(), known.reference))
        .unwrap_or_default()
}

/// A claim, told without ids.
fn told(memory: &Memory, id: ClaimId) -> String {
    memory.claim(id).map_or_else(
        || "a claim that is not there".to_owned(),
        |claim| {
            let quotes: Vec<&str> = claim.words.quotes.iter().map(|quote| quote.text()).collect();
            format!(
                "\u{201c}{}\u{201d} {} {}",
                quotes.join(" "),
                name(memory, claim.source),
                claim.event_time
            )
        },
    )
}

fn account_of_fact(memory: &Memory, fact: &Fact, of_now: bool) -> Vec<String> {
    let when =
        |position: Position| memory.recorded_when(position.seq).map(|at| at.to_string()).unwrap_or_default();
    let key = format!("{:?}", fact.key);
    let mut lines = Vec::new();
    let is_told = |version: &&Version| !of_now || version.supporting(u64::MAX).next().is_some();
    for version in fact.versions.iter().filter(is_told) {
        let value = memory.value_of(version).map(|claim| claim.words.value_key()).unwrap_or_default();
        let mut supports: Vec<String> = version
            .claims
            .iter()
            .map(|support| {
                let until = support.until.map(when).unwrap_or_default();
                format!("{} since {} until {until}", told(memory, support.claim), when(support.since))
            })
            .collect();
        supports.sort();
        let states: Vec<String> = version
            .states
            .iter()
            .map(|state| {
                format!("{} {} {:?} {}", when(state.cause), state.kind, state.validity, state.standing)
            })
            .collect();
        if !of_now {
            lines.push(format!("{key} = {value}: {states:?} on {supports:?}"));
        }
        lines.extend(looks(memory, fact, version, (&key, &value), of_now));
    }
    lines
}

/// What observers of several moments hold of a version.
fn looks(
    memory: &Memory,
    fact: &Fact,
    version: &Version,
    (key, value): (&str, &str),
    of_now: bool,
) -> Vec<String> {
    let days = ["2023-06-01", "2026-02-01", "2026-06-01T06:00:00Z", "2027-01-01"];
    let mut lines = Vec::new();
    for valid_at in days.map(at) {
        let earlier = [at("2026-06-01T04:30:00Z"), at("2026-06-01T09:30:00Z")];
        let earlier = earlier.into_iter().filter(|_| !of_now);
        for believed_at in earlier.chain([Instant::MAX]) {
            let watermark = memory.watermark_at(believed_at);
            let as_of = AsOf { valid_at, believed_at, watermark };
            let Some(state) = version.state(&as_of) else { continue };
            lines.push(format!(
                "{key} = {value} at {valid_at} as of {believed_at}: {:?} {} current {} support {} disputed {}",
                state.validity,
                state.standing,
                version.is_current(&as_of),
                memory.support(fact, version, &as_of),
                memory.dispute(fact, &as_of).iter().any(|other| other.id == version.id),
            ));
        }
    }
    lines
}

/// A dry run told before what the real run then did.
fn came_true(life: &Life, dry: &Forgotten, real: &Forgotten, case: u64) {
    assert!(dry.dry_run && dry.receipt.is_none() && real.list.is_empty(), "case {case}");
    assert_eq!(dry.erased, real.erased, "case {case}");
    assert_eq!((&dry.kept, &dry.reopened), (&real.kept, &real.reopened), "case {case}");
    let of = |fate: &str, kind: &str| -> BTreeSet<String> {
        let things = dry.list.iter().filter(|thing| thing.fate == fate && thing.kind == kind);
        things.map(|thing| thing.id.clone()).collect()
    };
    let set = |ids: &[String]| ids.iter().cloned().collect::<BTreeSet<String>>();
    let gone = |prefix: &str| -> BTreeSet<String> {
        real.erased.ids.iter().filter(|id| id.starts_with(prefix)).cloned().collect()
    };
    for (kind, prefix) in [("source", "so_"), ("message", "ev_"), ("version", "ve_")] {
        assert_eq!(of("goes", kind), gone(prefix), "case {case}");
    }
    assert_eq!(of("reduced", "message").len(), real.erased.reduced, "case {case}");
    assert_eq!(of("stays", "version"), set(&real.kept), "case {case}");
    assert_eq!(of("reopens", "version"), set(&real.reopened), "case {case}");
    assert!(dry.list.iter().all(|thing| !thing.text.is_empty()), "case {case}: {:#?}", dry.list);
    let now = Call { scope: &life.world.me, now: at("2027-01-01") };
    for id in &real.erased.ids {
        let answer = life.world.engine.why(now, id);
        assert!(matches!(answer, Err(EngineError::NotFound(_))), "case {case}: {id} still answers");
    }
    for id in real.kept.iter().chain(&real.reopened).chain(&of("reduced", "message")) {
        life.world.engine.why(now, id).unwrap_or_else(|error| panic!("case {case}: {id} is gone: {error}"));
    }
}

/// The receipt holds, and none that says anything else does.
fn receipt_holds(life: &Life, receipt: &Receipt, case: u64) {
    let now = Call { scope: &life.world.me, now: at("2027-01-01") };
    let checked = life.world.engine.check_receipt(now, receipt).expect("checked");
    assert!(checked.ok, "case {case}: {checked:#?}");
    let changes: [fn(&mut Receipt); 6] = [
        |receipt| receipt.rows.claims += 1,
        |receipt| receipt.by.push('x'),
        |receipt| receipt.at = at("2020-01-01").to_string(),
        |receipt| receipt.watermark -= 1,
        |receipt| receipt.chain = receipt.chain.replace(['0', '1', '2'], "3"),
        |receipt| receipt.asked = "subject".to_owned(),
    ];
    for change in changes {
        let mut changed = receipt.clone();
        change(&mut changed);
        assert!(
            !life.world.engine.check_receipt(now, &changed).expect("checked").ok,
            "case {case}: {changed:#?}"
        );
    }
}

fn run(case: u64) {
    let mut dice = Dice::new(case.wrapping_mul(0x0001_0000_01b3));
    let story = story(&mut dice);
    let mut life = Life::new();
    // The last steps are lived after the erasure, so that what comes later comes to the same, too.
    let until = story.len() - dice.below(3).min(story.len() - 1);
    life.live(&story[..until], 0, &Unsaid::default(), None);
    if life.messages.is_empty() {
        return;
    }
    let (forget, expected) = choose(&mut dice, &life, &story[..until]);
    // What was decided after words went was decided on what was left; so decisions are taken from this life.
    let now = Call { scope: &life.world.me, now: clock(until) };
    let dry = life.world.engine.forget(now, &forget, true).expect("told");
    let real = life.world.engine.forget(now, &forget, false).expect("forgotten");
    came_true(&life, &dry, &real, case);

    let mut unsaid = Unsaid::default();
    let step_of: BTreeMap<&String, usize> = life.messages.iter().map(|(step, id)| (id, *step)).collect();
    for id in &real.erased.ids {
        if let Some(step) = step_of.get(id) {
            unsaid.messages.insert(*step);
        }
        if let Some(place) = life.claims.get(id) {
            unsaid.sentences.insert(*place);
        }
    }
    if let Some(expected) = expected {
        assert_eq!(unsaid.messages, expected, "case {case}: {forget:?}");
    }
    if let Forget::Source(_) = forget {
        // What comes from it later is kept out.
        let source = unsaid.messages.first().map(|step| match &story[*step] {
            Step::Says(message) => message.source,
            Step::Decides(..) => unreachable!("messages are said"),
        });
        for (step, what) in story.iter().enumerate().skip(until) {
            if matches!(what, Step::Says(message) if Some(message.source) == source) {
                unsaid.messages.insert(step);
            }
        }
    }
    let told = format!("case {case}, {forget:?}");
    let mut never = Life::new();
    never.live(&story[..until], 0, &unsaid, Some(&life.decided));
    let of_now = unsaid
        .messages
        .iter()
        .any(|step| matches!(&story[*step], Step::Says(message) if LIVING.contains(&message.source)));
    compare(&life, &never, of_now, &told, "after the erasure");

    life.live(&story, until, &unsaid, Some(&BTreeMap::new()));
    never.live(&story, until, &unsaid, Some(&BTreeMap::new()));
    compare(&life, &never, of_now, &told, "later");
    receipt_holds(&life, real.receipt.as_ref().expect("a receipt"), case);
    let verified =
        life.world.engine.verify(Call { scope: &life.world.me, now: at("2027-01-01") }).expect("verified");
    assert!(verified.ok, "case {case}: {verified:#?}");
}

fn compare(life: &Life, never: &Life, of_now: bool, told: &str, when: &str) {
    let (erased, never_saw) = (account(&life.world, of_now), account(&never.world, of_now));
    if erased != never_saw {
        let only = |one: &[String], other: &[String]| -> String {
            one.iter().filter(|line| !other.contains(line)).map(|line| format!("  {line}\n")).collect()
        };
        panic!(
            "{told}, {when}:\nonly after the erasure\n{}only where it was never said\n{}",
            only(&erased, &never_saw),
            only(&never_saw, &erased),
        );
    }
}

/// A page drops a value, brings it back and goes on saying it; then somebody decides for it. The decision stands when the
/// edition that brought it back is forgotten, because the next one says it, too.
#[test]
fn a_decision_outlives_the_edition_that_brought_its_words_back() {
    let world = World::new(Keeper::Reference);
    let words = "Acme has 250 employees";
    let edition = |day: &str, text: &str, proposal: Json| {
        let source = json!({"kind": "document", "ref": "page", "mode": "living"});
        let said = json!({"source": source, "author": "external", "event_time": day, "text": text, "proposals": [proposal]});
        world.observe(day, said).evidence.expect("an edition")
    };
    let based = |city: &str| claim("acme", "based_in", city, &format!("based in {city}"));
    edition("2026-06-01", words, claim("acme", "headcount", "250", words));
    edition("2026-06-02", "Acme is based in Zagreb", based("Zagreb"));
    let back = edition("2026-06-03", &format!("{words}. It is based in Split"), based("Split"));
    edition("2026-06-04", &format!("{words}. It is based in Rijeka"), based("Rijeka"));
    let other = "Acme has 300 employees";
    let _ = world.document("register", "2026-06-05", other, &[claim("acme", "headcount", "300", other)]);
    let decided = Call { scope: &world.me, now: at("2026-06-06") };
    let disputes = world.engine.disputes(decided, None, None).expect("disputes").disputes;
    let [dispute] = disputes.as_slice() else { panic!("one dispute: {disputes:#?}") };
    let kept =
        dispute.versions.iter().find(|version| version.value == json!(250)).expect("what the page says");
    let resolve = Resolve {
        fact: dispute.fact.id.clone(),
        keep: kept.id.clone(),
        reason: "the page is kept by Acme".to_owned(),
        by: "the owner".to_owned(),
    };
    world.engine.resolve_dispute(decided, &resolve).expect("resolved");

    let now = Call { scope: &world.me, now: at("2026-06-07") };
    world.engine.forget(now, &Forget::Ids(vec![back]), false).expect("forgotten");
    let disputes = world.engine.disputes(now, None, None).expect("disputes").disputes;
    assert!(disputes.is_empty(), "{disputes:#?}");
    let current = looks_now(&world, "headcount", at("2026-06-07"));
    assert_eq!(current, ["250"]);
    assert!(world.engine.verify(now).expect("verified").ok);
}

/// The values held of a predicate at a moment, by somebody who knows everything.
fn looks_now(world: &World, predicate: &str, valid_at: Instant) -> Vec<String> {
    let memory = world.memory();
    let as_of = memory.now(valid_at);
    let of = |fact: &&Fact| fact.key.as_ref().is_some_and(|key| &*key.predicate == predicate);
    let versions = memory.facts().iter().filter(of).flat_map(|fact| &fact.versions);
    let current = versions.filter(|version| version.is_current(&as_of));
    current.filter_map(|version| memory.value_of(version)).map(|claim| claim.words.value_key()).collect()
}

#[test]
#[allow(clippy::disallowed_methods, reason = "the cases may be chosen from outside")]
fn what_is_left_is_what_there_would_be_had_it_never_been_said() {
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    match number("TESTIMONY_CASE") {
        Some(case) => run(case),
        None => {
            let first = number("TESTIMONY_FIRST_CASE").unwrap_or(0);
            (first..first + number("TESTIMONY_CASES").unwrap_or(CASES)).for_each(run);
        }
    }
}
