//! Reading a story: from its lines to its steps.
//!
//! Everything before the first `at` is for the reader, as are lines that begin with `#` and empty lines. Lines that
//! begin with `|` tell what came of the step above them; they are dropped here and written again by the player.

use serde_json::{Map, Value as Json, json};

/// A story: lines for the reader, and steps.
pub struct Script {
    /// Everything in the order of the file, without what came of the steps.
    pub lines: Vec<Line>,
}

/// A line of a story.
pub enum Line {
    /// For the reader; copied as it is.
    Text(String),
    /// A step, as it is written.
    Step(Step, String),
}

/// One thing that happens.
#[derive(Clone, Debug)]
pub enum Step {
    /// `at 2026-03-01 09:00`
    At(String),
    /// `this is the memory of Ana`: from here on everything is said and asked in hers.
    Owner(String),
    /// Somebody says something.
    Says(Says),
    /// `remember: …`
    Remember(String),
    /// `ask: …`, `ask of 2026-03-15: …`, `ask as believed on 2026-03-15: …`, `ask the messages: …`, `ask at most 3: …`
    Ask {
        query: String,
        valid_at: Option<String>,
        believed_at: Option<String>,
        messages: bool,
        limit: Option<usize>,
    },
    /// `what holds?`, `what holds on …?`, `what was believed on …?`
    State { valid_at: Option<String>, believed_at: Option<String> },
    /// `turn: …`, `turn by turn/1: …`, `turn in 200 tokens: …`, `turn about alpha: …`
    Turn { message: String, policy: Option<String>, tokens: Option<u32>, topic: Option<String> },
    /// `begin turn: …`: resolved, but not yet recorded.
    Begin(String),
    /// `finish the turns`
    Finish,
    /// `used in turn 1: M1 M2`
    Used(usize, Vec<String>),
    /// `replay turn 1`
    Replay(usize),
    /// `take in hand: …`: the memory found first, for the steps that speak of `what was taken`, in whosever memory.
    Take(String),
    /// `why: …`, `why what was taken`
    Why(Option<String>),
    /// `history of: …`, `history of what was taken`
    History(Option<String>),
    /// `disputes?`
    Disputes,
    /// `Ana decides for 250 employees, because: …`
    Decide { by: String, value: String, reason: String },
    /// `forget message 2`, `forget document "x"`, `forget session "x"`, `forget from 2026-03-01 to 2026-04-01`, `forget what is
    /// known of: …`, `forget what was taken`, `forget everything`
    Forget(String),
    /// `what would go, to forget session "x"?`: the same, only told.
    WouldForget(String),
    /// `lift document "x"`: what was forgotten of it may be learnt again.
    Lift(String),
    /// `check the ledger`
    Check,
    /// `the ledger now:`
    Ledger,
}

/// Somebody says something somewhere.
#[derive(Clone, Debug)]
pub struct Says {
    /// Who: the owner by name, `the assistant`, `the service`, or anybody else.
    pub speaker: String,
    /// The sort of source.
    pub kind: String,
    /// The name of the source.
    pub reference: String,
    /// The words.
    pub text: String,
    /// What else the source is: its mode, fidelity, retention, lineage.
    pub more: Map<String, Json>,
    /// The session it was said in, if any.
    pub session: Option<String>,
    /// When it was said, if not now.
    pub event_time: Option<String>,
    /// What is proposed; `None` leaves it to the rules.
    pub proposals: Option<Vec<Json>>,
    /// Whether the last packet stands below the text.
    pub with_packet: bool,
}

/// Reads a story.
///
/// # Errors
/// The number of a line that is no step, and why.
pub fn read(text: &str) -> Result<Script, String> {
    read_from(text, false)
}

/// Reads steps alone, which need no `at` before them.
///
/// # Errors
/// As [`read`].
pub fn read_steps(text: &str) -> Result<Vec<Step>, String> {
    let steps = read_from(text, true)?.lines.into_iter().filter_map(|line| match line {
        Line::Step(step, _) => Some(step),
        Line::Text(_) => None,
    });
    Ok(steps.collect())
}

fn read_from(text: &str, mut begun: bool) -> Result<Script, String> {
    let mut lines = Vec::new();
    let all: Vec<&str> = text.lines().collect();
    let mut number = 0;
    while number < all.len() {
        let line = all[number];
        let start = number;
        number += 1;
        if line.starts_with('|') {
            continue;
        }
        begun |= line.starts_with("at ");
        if !begun || line.trim().is_empty() || line.starts_with('#') {
            lines.push(Line::Text(line.to_owned()));
            continue;
        }
        let mut step = step(line).map_err(|error| format!("line {}: {error}", start + 1))?;
        let mut written = vec![line.to_owned()];
        if let Step::Says(says) = &mut step {
            while let Some(next) = all.get(number).filter(|next| next.starts_with("  ")) {
                belongs(says, next).map_err(|error| format!("line {}: {error}", number + 1))?;
                written.push((*next).to_owned());
                number += 1;
            }
        }
        lines.push(Line::Step(step, written.join("\n")));
    }
    Ok(Script { lines })
}

/// A line that belongs to what somebody said: more of the words, or what is proposed of them.
fn belongs(says: &mut Says, line: &str) -> Result<(), String> {
    if let Some(words) = line.strip_prefix("    ") {
        if !says.text.is_empty() {
            says.text.push('\n');
        }
        says.text.push_str(words.strip_prefix('.').filter(|rest| rest.is_empty()).unwrap_or(words));
        return Ok(());
    }
    let line = line.trim();
    let proposals = says.proposals.get_or_insert_default();
    if let Some(raw) = line.strip_prefix("proposed as is: ") {
        proposals.push(serde_json::from_str(raw).map_err(|error| error.to_string())?);
        return Ok(());
    }
    let (op, rest) = match (line, line.strip_prefix("proposed: "), line.strip_prefix("proposed no longer: "))
    {
        ("nothing is proposed", ..) => return Ok(()),
        (_, Some(rest), _) => ("assert", rest),
        (_, _, Some(rest)) => ("retract", rest),
        _ => return Err(format!("`{line}` is no proposal")),
    };
    let mut words = words(rest)?.into_iter();
    let mut next = |what: &str| words.next().ok_or_else(|| format!("the proposal has no {what}"));
    let mut proposal = json!({"op": op, "entity": next("entity")?, "predicate": next("predicate")?});
    proposal["value"] = Json::String(next("value")?);
    let quote = next("quote")?;
    proposal["confidence"] = next("confidence")?.parse::<f64>().map_err(|error| error.to_string())?.into();
    let quotes: Vec<&str> = quote.split(" ... ").collect();
    match quotes.len() {
        1 => proposal["quote"] = quote.into(),
        _ => proposal["quotes"] = json!(quotes),
    }
    while let Some(word) = words.next() {
        let when = words.next().ok_or_else(|| format!("`{word}` what?"))?;
        match word.as_str() {
            "from" => proposal["valid_from"] = when.into(),
            "to" => proposal["valid_to"] = when.into(),
            _ => return Err(format!("`{word}` is no part of a proposal")),
        }
    }
    proposals.push(proposal);
    Ok(())
}

/// The words of a line; what stands between quotation marks is one word.
fn words(line: &str) -> Result<Vec<String>, String> {
    let mut words = Vec::new();
    let mut rest = line.trim();
    while !rest.is_empty() {
        let (word, after) = match rest.strip_prefix('"') {
            Some(quoted) => quoted.split_once('"').ok_or("a quotation mark is not closed")?,
            None => rest.split_once(' ').unwrap_or((rest, "")),
        };
        words.push(word.to_owned());
        rest = after.trim_start();
    }
    Ok(words)
}

fn step(line: &str) -> Result<Step, String> {
    let own = |text: &str| text.trim().to_owned();
    if let Some(time) = line.strip_prefix("at ") {
        let fits = time.len() == 16
            && format!("{}:00Z", time.replace(' ', "T")).parse::<ledger::time::Instant>().is_ok();
        return if fits { Ok(Step::At(own(time))) } else { Err(format!("`{time}` is no time")) };
    }
    if let Some(name) = line.strip_prefix("this is the memory of ") {
        return Ok(Step::Owner(own(name)));
    }
    match line {
        "the ledger now:" => return Ok(Step::Ledger),
        "disputes?" => return Ok(Step::Disputes),
        "why what was taken" => return Ok(Step::Why(None)),
        "history of what was taken" => return Ok(Step::History(None)),
        "check the ledger" => return Ok(Step::Check),
        "finish the turns" => return Ok(Step::Finish),
        "what holds?" => return Ok(Step::State { valid_at: None, believed_at: None }),
        _ => {}
    }
    let between = |before: &str, after: &str| {
        line.strip_prefix(before).and_then(|rest| rest.strip_suffix(after)).map(own)
    };
    if let Some(day) = between("what holds on ", "?") {
        return Ok(Step::State { valid_at: Some(day), believed_at: None });
    }
    if let Some(day) = between("what was believed on ", "?") {
        return Ok(Step::State { valid_at: Some(day.clone()), believed_at: Some(day) });
    }
    if let Some(turn) = line.strip_prefix("replay turn ") {
        return turn.parse().map(Step::Replay).map_err(|_| format!("`{turn}` is no turn"));
    }
    if let Some(what) = line.strip_prefix("forget ") {
        return Ok(Step::Forget(own(what)));
    }
    if let Some(what) = between("what would go, to forget ", "?") {
        return Ok(Step::WouldForget(what));
    }
    if let Some(what) = line.strip_prefix("lift ") {
        return Ok(Step::Lift(own(what)));
    }
    if let Some(says) = says(line)? {
        return Ok(Step::Says(says));
    }
    let Some((head, rest)) = line.split_once(": ") else { return Err(format!("`{line}` is no step")) };
    let ask = |valid_at: Option<&str>, believed_at: Option<&str>, messages| Step::Ask {
        query: own(rest),
        valid_at: valid_at.map(own),
        believed_at: believed_at.map(own),
        messages,
        limit: None,
    };
    let turn = |policy: Option<&str>| Step::Turn {
        message: own(rest),
        policy: policy.map(own),
        tokens: None,
        topic: None,
    };
    match head {
        "remember" => return Ok(Step::Remember(own(rest))),
        "ask" => return Ok(ask(None, None, false)),
        "ask the messages" => return Ok(ask(None, None, true)),
        "turn" => return Ok(turn(None)),
        "begin turn" => return Ok(Step::Begin(own(rest))),
        "take in hand" => return Ok(Step::Take(own(rest))),
        "why" => return Ok(Step::Why(Some(own(rest)))),
        "history of" => return Ok(Step::History(Some(own(rest)))),
        _ => {}
    }
    if let Some(day) = head.strip_prefix("ask of ") {
        return Ok(ask(Some(day), None, false));
    }
    if let Some(day) = head.strip_prefix("ask as believed on ") {
        return Ok(ask(None, Some(day), false));
    }
    if let Some(policy) = head.strip_prefix("turn by ") {
        return Ok(turn(Some(policy)));
    }
    if let Some(topic) = head.strip_prefix("turn about ") {
        return Ok(Step::Turn { message: own(rest), policy: None, tokens: None, topic: Some(own(topic)) });
    }
    if let Some(tokens) = head.strip_prefix("turn in ").and_then(|rest| rest.strip_suffix(" tokens")) {
        let tokens = tokens.parse().map_err(|_| format!("`{tokens}` is no number"))?;
        return Ok(Step::Turn { message: own(rest), policy: None, tokens: Some(tokens), topic: None });
    }
    if let Some(limit) = head.strip_prefix("ask at most ") {
        let limit = limit.parse().map_err(|_| format!("`{limit}` is no number"))?;
        return Ok(Step::Ask {
            query: own(rest),
            valid_at: None,
            believed_at: None,
            messages: false,
            limit: Some(limit),
        });
    }
    if let Some(turn) = head.strip_prefix("used in turn ") {
        let turn = turn.parse().map_err(|_| format!("`{turn}` is no turn"))?;
        return Ok(Step::Used(turn, rest.split_whitespace().map(str::to_owned).collect()));
    }
    if let Some((by, value)) =
        head.strip_suffix(", because").and_then(|head| head.split_once(" decides for "))
    {
        return Ok(Step::Decide { by: own(by), value: own(value), reason: own(rest) });
    }
    Err(format!("`{line}` is no step"))
}

/// `Ana says in "chat": …`, `Ana pastes the last packet in "chat": …`, `document "x" (…) says: …`.
fn says(line: &str) -> Result<Option<Says>, String> {
    let Some((head, text)) =
        line.split_once("\": ").or_else(|| line.strip_suffix("\":").map(|head| (head, "")))
    else {
        return in_brackets(line);
    };
    let (speaker, reference, with_packet) =
        match (head.split_once(" says in \""), head.split_once(" pastes the last packet in \"")) {
            (Some((speaker, reference)), _) => (speaker, reference, false),
            (_, Some((speaker, reference))) => (speaker, reference, true),
            _ => return in_brackets(line),
        };
    if reference.contains('"') {
        return in_brackets(line);
    }
    Ok(Some(Says {
        speaker: speaker.to_owned(),
        kind: "conversation".to_owned(),
        reference: reference.to_owned(),
        text: text.trim().to_owned(),
        more: Map::new(),
        session: None,
        event_time: None,
        proposals: None,
        with_packet,
    }))
}

/// What is said by things, and what is said with something to be known about it in brackets.
fn in_brackets(line: &str) -> Result<Option<Says>, String> {
    let Some((head, text)) =
        line.split_once(" says: ").or_else(|| line.strip_suffix(" says:").map(|head| (head, "")))
    else {
        return Ok(None);
    };
    let (head, brackets) = match head.strip_suffix(')').and_then(|head| head.split_once(" (")) {
        Some((head, brackets)) => (head, brackets),
        None => (head, ""),
    };
    let Some((kind, reference)) = head.strip_suffix('"').and_then(|head| head.split_once(" \"")) else {
        return Ok(None);
    };
    let (speaker, kind) = match kind.strip_suffix(" in") {
        Some(speaker) => (speaker, "conversation"),
        None => ("somebody", kind),
    };
    let mut says = Says {
        speaker: speaker.to_owned(),
        kind: kind.to_owned(),
        reference: reference.to_owned(),
        text: text.trim().to_owned(),
        more: Map::new(),
        session: None,
        event_time: None,
        proposals: None,
        with_packet: false,
    };
    for known in brackets.split(", ").filter(|known| !known.is_empty()) {
        if known == "living" {
            says.more.insert("mode".to_owned(), "living".into());
        } else if known == "a summary" {
            says.more.insert("fidelity".to_owned(), "structured_summary".into());
        } else if known == "only quotes are kept" {
            says.more.insert("retention".to_owned(), "quotes".into());
        } else if let Some(of) = known.strip_prefix("copied from document ") {
            says.more.insert("lineage".to_owned(), format!("document:{}", of.trim_matches('"')).into());
        } else if let Some(session) = known.strip_prefix("in session ") {
            says.session = Some(session.to_owned());
        } else if let Some(time) = known.strip_prefix("written on ") {
            says.event_time = Some(time.to_owned());
        } else {
            return Err(format!("`({known})` says nothing about a source"));
        }
    }
    Ok(Some(says))
}
