//! Verifying: the bytes are what was written, the quotes stand where they say, and the history follows from the claims.

use ledger::adjudicate::retell;
use ledger::id::{ClaimId, EvidenceId, FactId, Position};
use ledger::memory::Memory;
use ledger::receipt::first_broken;
use ledger::scope::Scope;
use ledger::store::{Damage, StoreErrorKind};
use ledger::time::Instant;

use crate::answer::{DamageText, Verified};
use crate::error::EngineError;
use crate::subject::Snapshot;
use crate::{Call, Engine};

impl Engine {
    /// Checks the store, every subject's chain, every quote and every history.
    ///
    /// # Errors
    /// As the store's reads; what is merely wrong is told in the answer.
    pub fn verify_all(&self, now: Instant) -> Result<Verified, EngineError> {
        let mut all = Verified {
            ok: true,
            subjects: 0,
            appends: 0,
            rows: 0,
            erased: 0,
            quotes: 0,
            facts: 0,
            damage: Vec::new(),
        };
        all.damage.extend(told(&self.store().unreadable()?));
        let shared = told(&self.store().verify_shared()?);
        let is_sound = shared.is_empty();
        all.damage.extend(shared);
        for subject in self.store().subjects()? {
            let scope = Scope::of(subject);
            let one = match self.verify_log(Call { scope: &scope, now }, is_sound) {
                // Said above, by group of keys; the other subjects are looked at all the same.
                Err(EngineError::Store(error)) if error.kind() == StoreErrorKind::Key => {
                    if all.damage.is_empty() {
                        all.damage.push(DamageText { place: "keys".to_owned(), what: error.to_string() });
                    }
                    all.subjects += 1;
                    continue;
                }
                one => one?,
            };
            all.subjects += 1;
            all.appends += one.appends;
            all.rows += one.rows;
            all.erased += one.erased;
            all.quotes += one.quotes;
            all.facts += one.facts;
            all.damage.extend(one.damage);
        }
        if let Some(number) = first_broken(&self.store().destructions()?) {
            let what = "does not follow from those before it".to_owned();
            all.damage.push(DamageText { place: format!("record {number} of destroyed subjects"), what });
        }
        all.ok = all.damage.is_empty();
        Ok(all)
    }

    /// Checks one subject, and what all of them share.
    ///
    /// # Errors
    /// As [`Engine::verify_all`].
    pub fn verify(&self, call: Call<'_>) -> Result<Verified, EngineError> {
        let shared = told(&self.store().verify_shared()?);
        let mut verified = self.verify_log(call, shared.is_empty())?;
        verified.damage.extend(shared);
        verified.ok = verified.damage.is_empty();
        Ok(verified)
    }

    /// Checks one subject, and nothing that it shares with others: for whoever looks at all of them in turn.
    ///
    /// # Errors
    /// As [`Engine::verify_all`].
    pub fn verify_subject(&self, call: Call<'_>) -> Result<Verified, EngineError> {
        self.verify_log(call, true)
    }

    /// Checks a subject's log and, where the store is sound, what is folded from it.
    fn verify_log(&self, call: Call<'_>, is_sound: bool) -> Result<Verified, EngineError> {
        let stored = self.store().verify(call.scope)?;
        let mut verified = Verified {
            ok: true,
            subjects: 1,
            appends: stored.appends,
            rows: stored.rows,
            erased: stored.erased,
            quotes: 0,
            facts: 0,
            damage: told(&stored.damage),
        };
        // A log whose bytes are damaged cannot be folded; what is wrong with it is already said.
        if is_sound && verified.damage.is_empty() {
            self.read(call.scope, |snapshot| {
                self.check_quotes(call, snapshot, &mut verified)?;
                self.check_histories(snapshot, &mut verified);
                Ok(())
            })?;
        }
        verified.ok = verified.damage.is_empty();
        Ok(verified)
    }

    fn check_quotes(
        &self,
        call: Call<'_>,
        snapshot: &Snapshot,
        verified: &mut Verified,
    ) -> Result<(), EngineError> {
        let mut by_evidence: Vec<(EvidenceId, ClaimId)> =
            snapshot.memory.claims().map(|(id, claim)| (claim.evidence, id)).collect();
        by_evidence.sort_unstable();
        for chunk in by_evidence.chunks(500) {
            let ids: Vec<EvidenceId> = chunk.iter().map(|(evidence, _)| *evidence).collect();
            let found = self.store().evidence(call.scope, &ids)?;
            for ((_, id), evidence) in chunk.iter().zip(found) {
                let Some(claim) = snapshot.memory.claim(*id) else { continue };
                verified.quotes += 1;
                let text = match &evidence {
                    None => {
                        verified.damage.push(damage(id.0, "its evidence is missing"));
                        continue;
                    }
                    // Where only quotes are kept, the quote itself is the evidence.
                    Some(evidence) => evidence.words.text.as_deref(),
                };
                let stands =
                    text.is_none_or(|text| claim.words.quotes.iter().all(|quote| quote.stands_in(text)));
                if !stands {
                    verified.damage.push(damage(id.0, "its quote does not stand in its evidence"));
                }
            }
        }
        Ok(())
    }

    /// Works every fact's history out again from its causes and compares.
    fn check_histories(&self, snapshot: &Snapshot, verified: &mut Verified) {
        for fact in snapshot.memory.facts() {
            verified.facts += 1;
            let stored = held_spans(&snapshot.memory, fact.id);
            let first = Position::new(u64::MAX, 0);
            let again = retell(&snapshot.memory, self.registry(), fact.id, &fact.causes, first);
            if stored != held_spans(&again.memory, fact.id) {
                verified.damage.push(damage(fact.id.0, "its history does not follow from its claims"));
            }
        }
    }
}

fn told(damage: &[Damage]) -> Vec<DamageText> {
    damage.iter().map(|one| DamageText { place: one.place.clone(), what: one.what.clone() }).collect()
}

fn damage(position: Position, what: &str) -> DamageText {
    DamageText { place: format!("row {position}"), what: what.to_owned() }
}

/// What is held of a fact after each of its causes, told without ids.
fn held_spans(memory: &Memory, fact: FactId) -> Vec<String> {
    let Some(fact) = memory.fact(fact) else { return Vec::new() };
    let mut lines: Vec<String> = fact
        .versions
        .iter()
        .flat_map(|version| version.states.iter().map(move |state| (version, state)))
        .map(|(version, state)| {
            let value = memory.value_of(version).map(|claim| claim.words.value_key()).unwrap_or_default();
            format!("{} {} {} {:?} {value}", state.cause, state.at, state.standing, state.validity)
        })
        .collect();
    lines.sort();
    lines
}
