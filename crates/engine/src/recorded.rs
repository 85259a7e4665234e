//! Recorded turns: what was chosen for a turn, from what, why, and what of it was used.
//!
//! A record holds ids and reasons, never words. What a candidate says is read from the memory as the turn saw it; of one that was
//! forgotten since, only its place is left.

use ledger::id::{Kind, Position, TurnId, VersionId};
use ledger::packet::handle;
use ledger::store::RecordedTurn;
use ledger::turn::{Candidate, TurnRecord};
use serde_json::Map;

use crate::answer::{BudgetText, CandidateText, TurnListed, TurnTold, TurnsListed};
use crate::error::EngineError;
use crate::recall::as_of;
use crate::view::View;
use crate::{Call, Engine, open_id};

/// Turns of a list, at most.
pub const TURNS_MAX: usize = 100;

impl Engine {
    /// The newest recorded turns, at most `limit` of them, or those older than the turn `before`.
    ///
    /// # Errors
    /// [`EngineError::Input`] for a limit that is not between 1 and [`TURNS_MAX`], [`EngineError::NotFound`] for an unknown `before`.
    pub fn turns(
        &self,
        call: Call<'_>,
        limit: usize,
        before: Option<&str>,
    ) -> Result<TurnsListed, EngineError> {
        if !(1..=TURNS_MAX).contains(&limit) {
            let detail = format!("limit {limit} is not between 1 and {TURNS_MAX}");
            return Err(EngineError::Input(detail));
        }
        self.read(call.scope, |snapshot| {
            let view =
                View { snapshot, registry: self.registry(), as_of: as_of(snapshot, call.now, None, None) };
            let mut found = match before {
                None => self.store().recent_turns(call.scope, limit + 1)?,
                Some(before) => {
                    let before = TurnId(open_id(snapshot, Kind::Turn, before)?);
                    self.turns_before(call, before, limit + 1)?
                }
            };
            let truncated = found.len() > limit;
            found.truncate(limit);
            Ok(TurnsListed {
                turns: found.iter().map(|one| listed(view, one)).collect(),
                watermark: view.as_of.watermark,
                truncated,
            })
        })
    }

    /// One recorded turn.
    ///
    /// # Errors
    /// [`EngineError::NotFound`] for a turn that is not there.
    pub fn recorded_turn(&self, call: Call<'_>, id: &str) -> Result<TurnTold, EngineError> {
        self.read(call.scope, |snapshot| {
            let turn = TurnId(open_id(snapshot, Kind::Turn, id)?);
            let not_found = || EngineError::NotFound(id.chars().take(80).collect());
            let (record, used) = self.store().turn(call.scope, turn)?.ok_or_else(not_found)?;
            let view = View { snapshot, registry: self.registry(), as_of: record.as_of };
            let candidates =
                record.candidates.iter().map(|candidate| told(view, &record, &used, candidate)).collect();
            let version = |version: VersionId| view.id(Kind::Version, version);
            Ok(TurnTold {
                turn: id.to_owned(),
                at: record.recorded_at.to_string(),
                policy: record.policy.clone(),
                triage: record.triage.to_string(),
                as_of: view.as_of_text(),
                watermark: record.as_of.watermark,
                budget: BudgetText { slots: record.budget.slots, tokens: record.budget.tokens },
                packet_tokens: record.packet_tokens,
                candidates,
                cut: record.candidates_cut,
                disputes: record
                    .disputes
                    .iter()
                    .map(|group| group.iter().copied().map(version).collect())
                    .collect(),
                used: used.iter().map(|place| handle(*place as usize)).collect(),
            })
        })
    }

    /// The turns older than `before`, newest first. They are numbered without gaps, so each is looked up.
    fn turns_before(
        &self,
        call: Call<'_>,
        before: TurnId,
        limit: usize,
    ) -> Result<Vec<RecordedTurn>, EngineError> {
        let mut found = Vec::new();
        for number in (1..before.0.seq).rev().take(limit) {
            let id = TurnId(Position::new(number, 0));
            let turn = self.store().turn(call.scope, id)?;
            found.extend(turn.map(|(record, used)| RecordedTurn { id, record, used }));
        }
        Ok(found)
    }
}

fn listed(view: View<'_>, recorded: &RecordedTurn) -> TurnListed {
    let RecordedTurn { id, record, used } = recorded;
    TurnListed {
        turn: view.id(Kind::Turn, *id),
        at: record.recorded_at.to_string(),
        policy: record.policy.clone(),
        triage: record.triage.to_string(),
        candidates: record.candidates.len(),
        selected: record.selected.len(),
        used: used.len(),
    }
}

fn told(view: View<'_>, record: &TurnRecord, used: &[u32], candidate: &Candidate) -> CandidateText {
    let memory = &view.snapshot.memory;
    let place = record.selected.iter().position(|selected| selected.version == candidate.version);
    let dropped = record.dropped.iter().find(|dropped| dropped.version == candidate.version);
    let known = memory.version(candidate.version);
    let relevance = f64::from(candidate.relevance) / 1_000_000.0;
    CandidateText {
        id: view.id(Kind::Version, candidate.version),
        item: known.and_then(|(fact, version)| view.item(fact, version, relevance, Map::new())),
        relevance,
        important: candidate.important,
        tokens: candidate.tokens,
        support: candidate.support,
        handle: place.map(handle),
        why: place.and_then(|place| record.selected.get(place)).map(|selected| selected.why.to_string()),
        reason: dropped.map(|dropped| dropped.reason.to_string()),
        used: place.is_some_and(|place| used.iter().any(|one| *one as usize == place)),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use ledger::admission::Policies;
    use ledger::reference::ReferenceStore;
    use ledger::scope::{Scope, Subject};
    use ledger::time::Instant;

    use super::*;
    use crate::forget::Forget;
    use crate::remember::Remember;
    use crate::tokens::Tokens;
    use crate::turn::Turn;

    #[test]
    fn a_turn_is_told_as_it_was_recorded() {
        let engine = Engine::new(Arc::new(ReferenceStore::new()), Policies::shipped(), Arc::new(Tokens));
        let ana = Scope::of(Subject::parse("ana").expect("a name"));
        let call = Call { scope: &ana, now: Instant::from_micros(1_000_000) };
        for text in ["I prefer tea in the morning", "I am allergic to penicillin"] {
            engine.remember(call, Remember { text: text.to_owned(), ..Remember::default() }).expect("kept");
        }
        let mut made = Vec::new();
        for _ in 0..5 {
            let turn = Turn::of("Which tea should I order for the morning?");
            made.push(engine.turn(call, &turn).expect("resolved"));
        }
        engine.used(call, &made[4].turn, &["M1".to_owned()]).expect("recorded");

        let first = engine.turns(call, 2, None).expect("listed");
        let names = |listed: &TurnsListed| -> Vec<String> {
            listed.turns.iter().map(|turn| turn.turn.clone()).collect()
        };
        assert_eq!(names(&first), [made[4].turn.clone(), made[3].turn.clone()]);
        assert!(first.truncated);
        assert_eq!((first.turns[0].used, first.turns[1].used), (1, 0));
        let second = engine.turns(call, 2, Some(&made[3].turn)).expect("listed");
        assert_eq!(names(&second), [made[2].turn.clone(), made[1].turn.clone()]);
        assert!(second.truncated);
        let last = engine.turns(call, 2, Some(&made[1].turn)).expect("listed");
        assert_eq!((names(&last), last.truncated), (vec![made[0].turn.clone()], false));
        assert!(matches!(engine.turns(call, 0, None), Err(EngineError::Input(_))));
        assert!(matches!(engine.turns(call, 101, None), Err(EngineError::Input(_))));

        let told = engine.recorded_turn(call, &made[4].turn).expect("told");
        let candidates: Vec<&String> = told.candidates.iter().map(|candidate| &candidate.id).collect();
        assert_eq!(candidates, made[4].candidates.iter().collect::<Vec<_>>());
        assert_eq!(told.used, ["M1"]);
        for candidate in &told.candidates {
            let selected = made[4].selected.iter().find(|selected| selected.id == candidate.id);
            let dropped = made[4].dropped.iter().find(|dropped| dropped.id == candidate.id);
            assert_eq!(candidate.handle.as_ref(), selected.map(|selected| &selected.handle));
            assert_eq!(candidate.why.as_ref(), selected.map(|selected| &selected.why));
            assert_eq!(candidate.reason.as_ref(), dropped.map(|dropped| &dropped.reason));
            assert_eq!(candidate.used, candidate.handle.as_deref() == Some("M1"));
            assert!(selected.is_none_or(|selected| {
                candidate.item.as_ref().is_some_and(|item| item.text == selected.text)
            }));
        }

        let gone = made[4].selected[0].id.clone();
        engine.forget(call, &Forget::Ids(vec![gone.clone()]), false).expect("forgotten");
        let told = engine.recorded_turn(call, &made[4].turn).expect("told");
        let left = told.candidates.iter().find(|candidate| candidate.id == gone).expect("its place is left");
        assert_eq!(left.item, None);

        let bo = Scope::of(Subject::parse("bo").expect("a name"));
        let foreign = engine.recorded_turn(Call { scope: &bo, ..call }, &made[4].turn);
        assert!(matches!(foreign, Err(EngineError::NotFound(_))));
    }
}
