//! Candidates: what a turn considers, each with the features a policy decides by.

use ledger::claim::{Claim, Realm};
use ledger::entity::EntityRef;
use ledger::id::{FactId, VersionId};
use ledger::memory::{Fact, Version};
use ledger::packet::{self, tell};
use ledger::registry::{Class, Predicate};
use ledger::time::Moment;
use ledger::turn::{CANDIDATES_MAX, Candidate, Features};
use ledger::value::Value;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::Engine;
use crate::ask::Question;
use crate::lexical::{Hit, How, Query};
use crate::names::{ALSO_CALLED, Names, mere_parts};
use crate::recall::{matches, round};
use crate::turn::Turn;
use crate::view::View;
use crate::walk::Walk;
use crate::wording::Wording;

/// A disputed item's share of the line that says so, in tokens.
const DISPUTE_LINE_SHARE: u32 = 9;

/// How many of the best matching relations are followed one step.
const RELATIONS_FOLLOWED_MAX: usize = 4;

/// How many facts are considered about what one of them leads to.
const RELATED_MAX: usize = 4;

/// What a turn considers.
pub(crate) struct Considered {
    pub candidates: Vec<Candidate>,
    /// How many more were found than could be considered.
    pub cut: u32,
    /// How many match the message's own words.
    pub own_matches: usize,
}

/// A version on its way to being a candidate.
struct Found<'read> {
    fact: &'read Fact,
    version: &'read Version,
    score: f32,
    coverage: f32,
    named: bool,
    hinted: f32,
    hop: Option<u8>,
    led_from: Option<VersionId>,
}

impl<'read> Found<'read> {
    fn unmatched(fact: &'read Fact, version: &'read Version) -> Self {
        Self {
            fact,
            version,
            score: 0.0,
            coverage: 0.0,
            named: false,
            hinted: 0.0,
            hop: None,
            led_from: None,
        }
    }
}

impl Engine {
    /// What the turn considers: what matches its words or hints, what may matter without matching, what a matching
    /// relation leads to, and in a deep turn what is found by walking.
    pub(crate) fn candidates(
        &self,
        view: View<'_>,
        (turn, question): (&Turn, &Question),
        notices: &mut Vec<String>,
    ) -> Considered {
        let mut found: Vec<Found<'_>> = Vec::new();
        let query = &question.words;
        let dense = self.dense_of_facts(&view.snapshot.dense);
        let now = Moment::utc(view.as_of.valid_at);
        let (own, more) = matches(view, question, dense, CANDIDATES_MAX);
        let own_matches = own.len();
        let mut names = Names::default();
        let parts = mere_parts(&turn.message);
        for (fact, version, matched) in own {
            let named = is_named(view, &mut names, query, &parts, fact, &matched.hit);
            let found_so = Found::unmatched(fact, version);
            found.push(Found { score: matched.score, coverage: matched.hit.coverage, named, ..found_so });
        }
        for (name, words) in &turn.hints {
            let (hinted, _) = matches(view, &Question::read(words, &now), None, CANDIDATES_MAX);
            if hinted.is_empty() {
                notices.push(format!("hint `{name}` matches nothing; it was passed over"));
            }
            for (fact, version, hit) in hinted {
                match found.iter_mut().find(|known| known.version.id == version.id) {
                    Some(known) => {
                        known.score = known.score.max(hit.score);
                        known.hinted = known.hinted.max(hit.score);
                    }
                    None => {
                        let found_so = Found::unmatched(fact, version);
                        found.push(Found { score: hit.score, hinted: hit.score, ..found_so });
                    }
                }
            }
        }
        leave_out_mere_names(&mut found);
        if turn.deep {
            self.walk_into(view, turn, &mut found, notices);
        }
        found.sort_by(|left, right| {
            right.score.total_cmp(&left.score).then(left.version.id.cmp(&right.version.id))
        });
        let mut cut = u32::from(more) + found.len().saturating_sub(CANDIDATES_MAX) as u32;
        found.truncate(CANDIDATES_MAX);
        let mut seen: FxHashSet<VersionId> = found.iter().map(|one| one.version.id).collect();
        let standing = view.snapshot.profile().filter_map(|fact| view.snapshot.memory.fact(fact));
        for (fact, version) in
            standing.flat_map(|fact| fact.versions.iter().map(move |version| (fact, version)))
        {
            if !version.is_current(&view.as_of) || !seen.insert(version.id) {
                continue;
            }
            match found.len() < CANDIDATES_MAX {
                true => found.push(Found::unmatched(fact, version)),
                false => cut += 1,
            }
        }
        related(view, &mut found, &mut seen);
        whole_disputes(view, &mut found);
        let threshold = self.calibrated_threshold(&turn.message).unwrap_or(0.0);
        Considered { candidates: self.featured(view, &found, threshold), cut, own_matches }
    }

    /// Adds what a walk over relations found, its steps the best matches of all.
    fn walk_into<'read>(
        &self,
        view: View<'read>,
        turn: &Turn,
        found: &mut Vec<Found<'read>>,
        notices: &mut Vec<String>,
    ) {
        let walk = Walk::of(view, &turn.message);
        notices.extend(walk.notices());
        let Some(path) = walk.paths.first() else { return };
        let mut before = None;
        for (place, step) in path.steps.iter().enumerate() {
            let hop = (place + 1) as u8;
            // The last step holds the answer and stands first.
            let score = 1.0 - 0.01 * (path.steps.len() - 1 - place) as f32;
            match found.iter_mut().find(|known| known.version.id == step.version.id) {
                Some(known) => {
                    known.score = score;
                    known.hop = Some(hop);
                    known.led_from = before;
                }
                None => {
                    let found_so = Found::unmatched(step.fact, step.version);
                    found.push(Found { score, hop: Some(hop), led_from: before, ..found_so });
                }
            }
            before = Some(step.version.id);
        }
    }

    fn featured(&self, view: View<'_>, found: &[Found<'_>], threshold: f64) -> Vec<Candidate> {
        let mut disputed: Vec<FactId> = Vec::new();
        let mut questions: FxHashMap<(&EntityRef, &str), u32> = FxHashMap::default();
        let mut place_of: FxHashMap<VersionId, u32> = FxHashMap::default();
        let mut wording = Wording::default();
        let mut candidates: Vec<Candidate> = Vec::with_capacity(found.len());
        for one in found {
            let dispute = match view.snapshot.memory.dispute(one.fact, &view.as_of).is_empty() {
                true => None,
                false => Some(disputed.iter().position(|known| *known == one.fact.id).unwrap_or_else(|| {
                    disputed.push(one.fact.id);
                    disputed.len() - 1
                }) as u32),
            };
            let Some((mut candidate, claim)) = self.candidate(view, one, dispute, threshold) else {
                continue;
            };
            let next = questions.len() as u32;
            candidate.features.about =
                *questions.entry((&claim.words.entity, claim.predicate.as_str())).or_insert(next);
            let place = candidates.len() as u32;
            let value = claim.words.value().map(ToString::to_string).unwrap_or_default();
            candidate.features.repeats = wording.repeated(place, &claim.words.entity, &value);
            candidate.features.led_from = one.led_from.and_then(|from| place_of.get(&from).copied());
            place_of.insert(candidate.version, place);
            candidates.push(candidate);
        }
        candidates
    }

    fn candidate<'read>(
        &self,
        view: View<'read>,
        found: &Found<'read>,
        dispute: Option<u32>,
        threshold: f64,
    ) -> Option<(Candidate, &'read Claim)> {
        let memory = &view.snapshot.memory;
        let Found { fact, version, .. } = *found;
        let claim = memory.value_of(version)?;
        let predicate: &Predicate = self.registry().get(&claim.predicate)?;
        let line = tell(memory, self.registry(), fact, version, &view.as_of)?;
        // A note is free words: below the score measured to be worth showing it counts as one that does not match. What a
        // predicate says is found by its name as well, and is not what was measured.
        let is_below = predicate.class == Class::Note && round(found.score) < threshold;
        let score = if is_below { 0.0 } else { found.score };
        let confirmed_at = packet::last_said(memory, version, &view.as_of)?;
        let candidate = Candidate {
            version: version.id,
            // What is said of the owner is what matters without a match; a document's word never is, whatever its predicate.
            class: if claim.realm == Realm::Owner { predicate.class } else { Class::World },
            important: predicate.important && claim.realm == Realm::Owner,
            relevance: millionths(score),
            tokens: self.tokens.count(&format!("[M12] {line}\n")) + dispute.map_or(0, |_| DISPUTE_LINE_SHARE),
            support: memory.support(fact, version, &view.as_of) as u32,
            dispute,
            confirmed_at,
            features: Features {
                coverage: (f64::from(found.coverage) * 1_000.0).round() as u16,
                named: found.named,
                hinted: millionths(found.hinted),
                age_days: days_between(confirmed_at.micros(), view.as_of.valid_at.micros()),
                hop: found.hop,
                ..Features::default()
            },
        };
        Some((candidate, claim))
    }
}

fn millionths(score: f32) -> u32 {
    (f64::from(score) * 1_000_000.0).round() as u32
}

/// Whole days from the first instant to the second, in microseconds; 0 when it is not later.
fn days_between(from: i64, to: i64) -> u32 {
    const DAY: i64 = 86_400_000_000;
    u32::try_from(to.saturating_sub(from).max(0) / DAY).unwrap_or(u32::MAX)
}

/// Whether the words that matched hold every word of the entity's name, or of one of its aliases.
fn is_named<'read>(
    view: View<'read>,
    names: &mut Names<'read>,
    query: &Query,
    parts: &[String],
    fact: &'read Fact,
    hit: &Hit,
) -> bool {
    let Some(key) = fact.key.as_ref().filter(|key| !key.entity.is_owner()) else { return false };
    let asked: Vec<&str> = query.asked().collect();
    let matched: Vec<&str> = hit
        .matched_terms
        .iter()
        .filter_map(|matched| {
            let term = view.snapshot.words.term(matched.term);
            let asked = asked.get(usize::from(matched.asked))?;
            let counts = match matched.how {
                How::Neighbour => is_same_word(asked, term),
                How::Compound => true,
                How::Word | How::OtherStem => !parts.iter().any(|part| part == asked),
            };
            counts.then_some(term)
        })
        .collect();
    let of_entity = names.of(view.snapshot, &key.entity, key.realm);
    of_entity.iter().any(|name| name.iter().all(|word| matched.contains(&word.as_str())))
}

/// A misspelling keeps the beginning of a word, and its letters but for one left out, doubled or moved: `eror` is `error`,
/// `mango` is not `mongo`, and of three letters nothing can be said.
fn is_same_word(asked: &str, term: &str) -> bool {
    let letters = |word: &str| word.chars().collect::<Vec<char>>();
    let (mut one, mut other) = (letters(asked), letters(term));
    let begins_alike = one.iter().take(2).eq(other.iter().take(2));
    one.sort_unstable();
    other.sort_unstable();
    one.len() > 3 && begins_alike && (one.len() != other.len() || one == other)
}

/// Another name of something is for finding it; shown it is only where nothing else about the thing was found.
fn leave_out_mere_names(found: &mut Vec<Found<'_>>) {
    let is_name = |one: &Found<'_>| one.fact.key.as_ref().is_some_and(|key| &*key.predicate == ALSO_CALLED);
    let told: FxHashSet<EntityRef> = found
        .iter()
        .filter(|one| !is_name(one))
        .filter_map(|one| one.fact.key.as_ref().map(|key| key.entity.clone()))
        .collect();
    found.retain(|one| !is_name(one) || one.fact.key.as_ref().is_none_or(|key| !told.contains(&key.entity)));
}

/// Adds what the best matching relations lead to: facts about their value, in the same realm, that did not match.
fn related<'read>(view: View<'read>, found: &mut Vec<Found<'read>>, seen: &mut FxHashSet<VersionId>) {
    let memory = &view.snapshot.memory;
    let relations: Vec<(VersionId, Realm, &EntityRef)> = found
        .iter()
        .filter(|one| one.score > 0.0)
        .filter_map(|one| {
            let claim = memory.value_of(one.version)?;
            match claim.words.value() {
                Some(Value::Entity(entity)) if !entity.is_owner() => {
                    Some((one.version.id, claim.realm, entity))
                }
                _ => None,
            }
        })
        .take(RELATIONS_FOLLOWED_MAX)
        .collect();
    for (from, realm, entity) in relations {
        let facts = view.snapshot.about(entity).iter().filter_map(|fact| memory.fact(*fact));
        let same_realm = facts.filter(|fact| {
            fact.key.as_ref().is_some_and(|key| key.realm == realm && &*key.predicate != ALSO_CALLED)
        });
        let current = same_realm.flat_map(|fact| {
            let versions = fact.versions.iter().filter(|version| version.is_current(&view.as_of));
            versions.map(move |version| (fact, version))
        });
        for (fact, version) in current.take(RELATED_MAX) {
            if found.len() < CANDIDATES_MAX && seen.insert(version.id) {
                let found_so = Found::unmatched(fact, version);
                found.push(Found { hop: Some(1), led_from: Some(from), ..found_so });
            }
        }
    }
}

/// A dispute is considered whole: the members that did not match come along.
fn whole_disputes<'read>(view: View<'read>, found: &mut Vec<Found<'read>>) {
    let mut missing: Vec<Found<'read>> = Vec::new();
    for one in found.iter() {
        for member in view.snapshot.memory.dispute(one.fact, &view.as_of) {
            let known = found.iter().chain(&missing).any(|known| known.version.id == member.id);
            if !known {
                missing.push(Found::unmatched(one.fact, member));
            }
        }
    }
    found.extend(missing);
}
