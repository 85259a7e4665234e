//! Adjudication, version `adjudication/1`: from everything that was said of one fact to what is held of it.
//!
//! The rule is a function of the *set* of testimony, not of the order it arrived in, so that late evidence is placed
//! where it belongs and the order of arrival cannot decide what is current. It has three steps:
//!
//! 1. **Each voice by itself.** A voice is one lineage (in the owner realm there is one voice: the owner). Its
//!    statements are laid over each other in the order they were *said*: each covers the stretch of time it speaks of,
//!    and what was said later lies on top. An open statement covers everything from its beginning; one with an end
//!    covers only its own stretch, and what held before goes on after it.
//! 2. **Voices together.** Equal values of several voices that meet in time become one run. A value that some voice
//!    explicitly dates later than anything said for the value before it follows it; it does not contradict it.
//! 3. Values of several voices that still overlap contradict each other and stand side by side: a **dispute**.
//!
//! What changed is then found by comparing the runs with the versions that stood before; see [`crate::adjudicate`].

use std::collections::BTreeSet;

use crate::id::{ClaimId, Position};
use crate::time::{Instant, Span};

/// Something said or done that bears on one fact.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Input {
    /// The claim's or act's place in the log.
    pub position: Position,
    /// What it was.
    pub kind: InputKind,
}

/// The kinds of input. A `value` is the number of a canonical value among those of the fact.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum InputKind {
    /// A voice says that a value holds.
    Assert {
        /// Which value.
        value: u32,
        /// Who says so.
        voice: u32,
        /// From when it is said to hold.
        begins: Instant,
        /// Whether the words themselves name that beginning.
        begins_explicitly: bool,
        /// Until when, if the words name an end.
        ends: Option<Instant>,
        /// When it was said.
        said_at: Instant,
    },
    /// A voice says that a value, or whatever held, no longer holds.
    Retract {
        /// Which value; `None` for whatever held.
        value: Option<u32>,
        /// Who says so.
        voice: u32,
        /// From when it no longer holds.
        at: Instant,
        /// When it was said.
        said_at: Instant,
    },
    /// A claim no longer counts from an instant on: its source was withdrawn, or a new edition dropped its words.
    Lapse {
        /// The claim.
        claim: ClaimId,
        /// From when.
        at: Instant,
    },
    /// A lapsed claim counts again.
    Restore {
        /// The claim.
        claim: ClaimId,
        /// From when.
        at: Instant,
    },
    /// An act decided a dispute: what was said before it for another value that stood beside the kept one ends where the
    /// two began to contradict each other.
    Resolve {
        /// The value kept.
        keep: u32,
        /// When it was in dispute.
        at: Instant,
    },
}

/// A value together with one stretch of time it is held for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Run {
    /// Which value.
    pub value: u32,
    /// When it holds in the world.
    pub span: Span,
    /// The claims it rests on, in the order of the log.
    pub claims: Vec<ClaimId>,
    /// Whether it is held at all; a run that is not was covered or overruled whole.
    pub held: bool,
}

/// One voice's piece of the timeline.
#[derive(Clone, Debug)]
struct Piece {
    value: u32,
    from: Instant,
    to: Option<Instant>,
    begins_explicitly: bool,
    /// Whether no words say when it ends: it ends, if at all, only because the voice then said something else.
    open_ended: bool,
    /// The latest instant at which the voice said so.
    last_said: Instant,
    claims: Vec<ClaimId>,
    /// Claims of the piece that still count; when none is left the piece ends.
    counting: Vec<ClaimId>,
    /// Set while the piece ends only because its claims lapsed, so that restoring them restores it.
    lapsed: bool,
}

/// Settles what is held, given everything said so far. `inputs` are in the order of the log.
#[must_use]
pub fn settle(inputs: &[Input]) -> Vec<Run> {
    let mut runs = lay(&decided(inputs));
    runs.extend(covered_whole(inputs, &runs));
    runs.sort_by(|left, right| {
        (left.span.from(), left.value, &left.claims).cmp(&(right.span.from(), right.value, &right.claims))
    });
    runs
}

/// Lays all statements over each other, voice by voice, and joins the voices. Acts of resolution are not looked at.
fn lay(inputs: &[Input]) -> Vec<Run> {
    let mut voices: Vec<(u32, Vec<Piece>)> = Vec::new();
    let mut order: Vec<&Input> = inputs.iter().collect();
    order.sort_by_key(|input| (said_at(&input.kind), input.position));
    for input in order {
        match &input.kind {
            InputKind::Assert { voice, .. } => {
                if let Some(piece) = Piece::stated(input) {
                    cover(timeline(&mut voices, *voice), piece);
                }
            }
            InputKind::Retract { value, voice, at, .. } => {
                end(timeline(&mut voices, *voice), *value, *at);
            }
            InputKind::Lapse { claim, at } => {
                voices.iter_mut().for_each(|(_, pieces)| lapse(pieces, *claim, *at));
            }
            InputKind::Restore { claim, at } => {
                voices.iter_mut().for_each(|(_, pieces)| restore(pieces, *claim, *at));
            }
            InputKind::Resolve { .. } => {}
        }
    }
    let mut runs = join(voices.into_iter().flat_map(|(_, pieces)| pieces).collect());
    succeed(&mut runs);
    runs.into_iter().filter_map(Joined::into_run).collect()
}

/// The statements as the acts of resolution leave them: those that lost end where the contradiction began, or are gone.
fn decided(inputs: &[Input]) -> Vec<Input> {
    let mut standing: Vec<Input> = Vec::with_capacity(inputs.len());
    for input in inputs {
        let InputKind::Resolve { keep, at } = input.kind else {
            standing.push(input.clone());
            continue;
        };
        let runs = lay(&standing);
        let Some(kept) = runs.iter().find(|run| run.value == keep && run.span.contains(at)) else { continue };
        let contradicted = kept.span.from();
        let lost: BTreeSet<ClaimId> = runs
            .iter()
            .filter(|run| run.value != keep && run.span.contains(at))
            .flat_map(|run| run.claims.iter().copied())
            .collect();
        // As if each lost statement had been taken back at once, from where the contradiction began: so it still ends what
        // its own voice had said before it, and nothing older comes back.
        standing = standing
            .into_iter()
            .flat_map(|statement| {
                let taken_back = taken_back(&statement, &lost, contradicted);
                std::iter::once(statement).chain(taken_back)
            })
            .collect();
    }
    standing
}

/// The number of voices whose statement in force at `at` is `value`: what support means for a version.
///
/// `same_origin` maps a voice to the one it is a copy of, or to itself.
#[must_use]
pub fn voices_for(inputs: &[Input], value: u32, at: Instant, same_origin: impl Fn(u32) -> u32) -> usize {
    let inputs = decided(inputs);
    let voices: BTreeSet<u32> = inputs
        .iter()
        .filter_map(|input| match input.kind {
            InputKind::Assert { voice, .. } => Some(voice),
            _ => None,
        })
        .collect();
    let speaking = voices.into_iter().filter(|voice| {
        let own: Vec<Input> = inputs
            .iter()
            .filter(|input| match &input.kind {
                InputKind::Assert { voice: of, .. } | InputKind::Retract { voice: of, .. } => of == voice,
                InputKind::Lapse { .. } | InputKind::Restore { .. } => true,
                InputKind::Resolve { .. } => false,
            })
            .cloned()
            .collect();
        lay(&own).iter().any(|run| run.value == value && run.span.contains(at))
    });
    speaking.map(same_origin).collect::<BTreeSet<u32>>().len()
}

/// The retraction that a lost statement is followed by; `None` for the others.
fn taken_back(statement: &Input, lost: &BTreeSet<ClaimId>, contradicted: Instant) -> Option<Input> {
    let InputKind::Assert { value, voice, begins, said_at, .. } = statement.kind else { return None };
    lost.contains(&ClaimId(statement.position)).then(|| Input {
        position: statement.position,
        kind: InputKind::Retract { value: Some(value), voice, at: contradicted.max(begins), said_at },
    })
}

fn said_at(kind: &InputKind) -> Instant {
    match kind {
        InputKind::Assert { said_at, .. } | InputKind::Retract { said_at, .. } => *said_at,
        InputKind::Lapse { at, .. } | InputKind::Restore { at, .. } => *at,
        InputKind::Resolve { .. } => Instant::MAX,
    }
}

fn timeline(voices: &mut Vec<(u32, Vec<Piece>)>, voice: u32) -> &mut Vec<Piece> {
    let place = voices.iter().position(|(known, _)| *known == voice).unwrap_or_else(|| {
        voices.push((voice, Vec::new()));
        voices.len() - 1
    });
    &mut voices[place].1
}

impl Piece {
    /// The piece an assertion lays down; `None` for other inputs and for an empty stretch.
    fn stated(input: &Input) -> Option<Self> {
        let InputKind::Assert { value, begins, begins_explicitly, ends, said_at, .. } = input.kind else {
            return None;
        };
        let span = Span::new(begins, ends).ok()?;
        let claim = ClaimId(input.position);
        Some(Self {
            value,
            from: span.from(),
            to: span.to(),
            begins_explicitly,
            open_ended: ends.is_none(),
            last_said: said_at,
            claims: vec![claim],
            counting: vec![claim],
            lapsed: false,
        })
    }

    fn covers(&self, at: Instant) -> bool {
        self.from <= at && self.to.is_none_or(|to| at < to)
    }

    fn meets(&self, other: &Self) -> bool {
        self.to.is_none_or(|to| other.from <= to) && other.to.is_none_or(|to| self.from <= to)
    }

    fn absorb(&mut self, older: Self) {
        if older.from < self.from {
            self.from = older.from;
            self.begins_explicitly = older.begins_explicitly;
        }
        if older.to.is_none() || older.to > self.to && self.to.is_some() {
            self.open_ended = older.open_ended;
        }
        self.to = self.to.zip(older.to).map(|(left, right)| left.max(right));
        self.last_said = self.last_said.max(older.last_said);
        self.claims.splice(0..0, older.claims);
        self.counting.splice(0..0, older.counting);
        self.lapsed = false;
    }
}

/// Lays a new statement over a voice's timeline, which stays sorted and free of overlaps.
fn cover(timeline: &mut Vec<Piece>, mut new: Piece) {
    let mut kept = Vec::with_capacity(timeline.len() + 2);
    for mut old in timeline.drain(..) {
        if old.value == new.value && old.meets(&new) {
            // Said again: one stretch. An explicit end said later cuts an open one short.
            if new.to.is_some() && old.to.is_none() && old.from <= new.from {
                old.to = new.to;
                old.open_ended = false;
            }
            new.absorb(old);
            continue;
        }
        let overlap = new.to.is_none_or(|to| old.from < to) && old.to.is_none_or(|to| new.from < to);
        if !overlap {
            kept.push(old);
            continue;
        }
        if let Some(end) = new.to.filter(|end| old.to.is_none_or(|to| *end < to)) {
            let mut after = old.clone();
            after.from = end;
            kept.push(after);
        }
        if old.from < new.from {
            old.to = Some(new.from);
            old.lapsed = false;
            kept.push(old);
        }
    }
    kept.push(new);
    kept.sort_by_key(|piece| piece.from);
    *timeline = kept;
}

/// Ends the value in force at `at`, and what was to follow of the same value.
fn end(timeline: &mut Vec<Piece>, value: Option<u32>, at: Instant) {
    let matches = |piece: &Piece| value.is_none_or(|value| piece.value == value);
    timeline.retain(|piece| !(matches(piece) && piece.from >= at));
    if let Some(piece) = timeline.iter_mut().find(|piece| matches(piece) && piece.covers(at)) {
        piece.to = Some(at);
        piece.open_ended = false;
        piece.lapsed = false;
    }
}

fn lapse(timeline: &mut [Piece], claim: ClaimId, at: Instant) {
    for piece in timeline.iter_mut().filter(|piece| piece.counting.contains(&claim)) {
        piece.counting.retain(|counting| *counting != claim);
        if piece.counting.is_empty() && piece.covers(at) && piece.from < at {
            piece.to = Some(at);
            piece.lapsed = true;
        }
    }
}

fn restore(timeline: &mut [Piece], claim: ClaimId, at: Instant) {
    let Some(place) = timeline.iter().rposition(|piece| piece.claims.contains(&claim)) else { return };
    // What took the value's place in the meantime stays; the restored value goes on up to it.
    let next = timeline.get(place + 1).map(|piece| piece.from);
    let piece = &mut timeline[place];
    if !piece.counting.contains(&claim) {
        piece.counting.push(claim);
    }
    if piece.lapsed {
        piece.to = next;
        piece.lapsed = false;
    }
    piece.last_said = piece.last_said.max(at);
}

/// A value's stretch as one or several voices state it.
#[derive(Debug)]
struct Joined {
    value: u32,
    from: Instant,
    to: Option<Instant>,
    begins_explicitly: bool,
    /// Whether no words say when it ends.
    open_ended: bool,
    last_said: Instant,
    claims: Vec<ClaimId>,
}

impl Joined {
    fn into_run(mut self) -> Option<Run> {
        self.claims.sort_unstable();
        self.claims.dedup();
        let span = Span::new(self.from, self.to).ok()?;
        Some(Run { value: self.value, span, claims: self.claims, held: true })
    }
}

/// Joins equal values that meet in time, whoever states them.
fn join(mut pieces: Vec<Piece>) -> Vec<Joined> {
    pieces.sort_by(|left, right| {
        (left.value, left.from, &left.claims).cmp(&(right.value, right.from, &right.claims))
    });
    let mut runs: Vec<Joined> = Vec::with_capacity(pieces.len());
    for piece in pieces {
        if let Some(run) = runs.last_mut()
            && run.value == piece.value
            && run.to.is_none_or(|to| piece.from <= to)
        {
            if piece.to.is_none() || run.to.is_some() && piece.to > run.to {
                run.open_ended = piece.open_ended;
            }
            run.to = run.to.zip(piece.to).map(|(left, right)| left.max(right));
            run.last_said = run.last_said.max(piece.last_said);
            run.claims.extend(piece.claims);
            continue;
        }
        runs.push(Joined {
            value: piece.value,
            from: piece.from,
            to: piece.to,
            begins_explicitly: piece.begins_explicitly,
            open_ended: piece.open_ended,
            last_said: piece.last_said,
            claims: piece.claims,
        });
    }
    runs
}

/// A value explicitly dated later than anything said for a value before it, whose end no words name, follows that value;
/// what the earlier voice says later does not reach back over it.
fn succeed(runs: &mut [Joined]) {
    runs.sort_by_key(|run| (run.from, run.value));
    for later in 1..runs.len() {
        if !runs[later].begins_explicitly {
            continue;
        }
        let begins = runs[later].from;
        let (before, _) = runs.split_at_mut(later);
        for earlier in before.iter_mut() {
            let goes_on = earlier.to.is_none_or(|to| begins < to);
            if earlier.open_ended && goes_on && earlier.from < begins && earlier.last_said <= begins {
                earlier.to = Some(begins);
            }
        }
    }
}

/// A run, not held, for every statement of which nothing is left on any timeline.
fn covered_whole(inputs: &[Input], runs: &[Run]) -> Vec<Run> {
    let standing: BTreeSet<ClaimId> = runs.iter().flat_map(|run| run.claims.iter().copied()).collect();
    let mut covered: Vec<Run> = Vec::new();
    for input in inputs {
        let claim = ClaimId(input.position);
        let InputKind::Assert { value, begins, ends, .. } = input.kind else { continue };
        if standing.contains(&claim) {
            continue;
        }
        let Ok(span) = Span::new(begins, ends) else { continue };
        match covered.iter_mut().find(|run| run.value == value && run.span.touches(&span)) {
            Some(run) => {
                run.span = run.span.cover(&span);
                run.claims.push(claim);
            }
            None => covered.push(Run { value, span, claims: vec![claim], held: false }),
        }
    }
    covered
}
