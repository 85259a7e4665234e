//! From the memory's own structures to the texts of answers: one place, so that every verb tells a thing alike.

use ledger::claim::Claim;
use ledger::id::{ClaimId, Kind, Position, SourceId};
use ledger::memory::{Fact, Version};
use ledger::packet::{fidelity_word, last_said, tell};
use ledger::registry::Registry;
use ledger::secret::secret_like;
use ledger::time::{AsOf, Instant};

use crate::answer::{
    self, AsOfText, ClaimText, EvidenceText, FactText, Item, QuoteText, SourceText, SpanText, TransitionText,
    VersionText, value_json,
};
use crate::subject::Snapshot;

/// A snapshot looked at as of some moment.
#[derive(Clone, Copy)]
pub(crate) struct View<'read> {
    pub snapshot: &'read Snapshot,
    pub registry: &'read Registry,
    pub as_of: AsOf,
}

impl View<'_> {
    pub fn id(&self, kind: Kind, position: impl Into<Position>) -> String {
        let position = position.into();
        self.snapshot.keys.as_ref().map(|keys| answer::id(keys, kind, position)).unwrap_or_default()
    }

    pub fn fact(&self, fact: &Fact) -> Option<FactText> {
        let key = fact.key.as_ref()?;
        Some(FactText {
            id: self.id(Kind::Fact, fact.id),
            realm: key.realm.to_string(),
            entity: key.entity.to_string(),
            predicate: key.predicate.to_string(),
        })
    }

    /// The versions of the fact that contradict this one now, this one among them; `None` when it stands alone.
    pub fn dispute(&self, fact: &Fact, version: &Version) -> Option<Vec<String>> {
        let group = self.snapshot.memory.dispute(fact, &self.as_of);
        group
            .iter()
            .any(|member| member.id == version.id)
            .then(|| group.iter().map(|member| self.id(Kind::Version, member.id)).collect())
    }

    pub fn version(&self, fact: &Fact, version: &Version) -> Option<VersionText> {
        let memory = &self.snapshot.memory;
        let state = version.state(&self.as_of)?;
        let (believed, ended) = version.belief(&self.as_of)?;
        let claim = memory.told_by(version, &self.as_of)?;
        Some(VersionText {
            id: self.id(Kind::Version, version.id),
            value: value_json(claim.words.value()),
            validity: SpanText::new(state.validity.from(), state.validity.to()),
            belief: SpanText::new(believed, ended),
            standing: state.standing.to_string(),
            current: version.is_current(&self.as_of),
            support: memory.support(fact, version, &self.as_of),
            dispute: self.dispute(fact, version),
            fidelity: fidelity_word(memory, version, &self.as_of).to_owned(),
            last_confirmed_at: last_said(memory, version, &self.as_of).map(|said| said.to_string()),
        })
    }

    pub fn item(
        &self,
        fact: &Fact,
        version: &Version,
        score: f64,
        signals: serde_json::Map<String, serde_json::Value>,
    ) -> Option<Item> {
        let memory = &self.snapshot.memory;
        let told = self.version(fact, version)?;
        let claim = memory.told_by(version, &self.as_of)?;
        Some(Item {
            id: told.id,
            fact: Some(self.id(Kind::Fact, fact.id)),
            entity: Some(claim.words.entity.to_string()),
            predicate: Some(claim.predicate.clone()),
            value: told.value,
            text: tell(memory, self.registry, fact, version, &self.as_of)?,
            score,
            signals,
            validity: Some(told.validity),
            belief: Some(told.belief),
            support: told.support,
            dispute: told.dispute,
            fidelity: told.fidelity,
            event_time: told.last_confirmed_at.unwrap_or_default(),
            realm: Some(claim.realm.to_string()),
        })
    }

    pub fn claim(&self, id: ClaimId, claim: &Claim) -> ClaimText {
        let first = claim.words.quotes.first();
        let all: Vec<QuoteText> = claim
            .words
            .quotes
            .iter()
            .map(|quote| QuoteText {
                quote: quote.text().to_owned(),
                start: quote.span().start,
                end: quote.span().end,
            })
            .collect();
        ClaimText {
            claim: self.id(Kind::Claim, id),
            evidence: self.id(Kind::Evidence, claim.evidence),
            quote: first.text().to_owned(),
            start: first.span().start,
            end: first.span().end,
            quotes: if all.len() > 1 { all } else { Vec::new() },
            op: claim.op.to_string(),
            confidence: f64::from(claim.confidence_permille) / 1_000.0,
            policy: claim.policy.clone(),
            proposer: claim.proposer.clone(),
            inferred: claim.inferred,
        }
    }

    pub fn source(&self, id: SourceId) -> Option<SourceText> {
        let source = self.snapshot.memory.source(id)?;
        Some(SourceText {
            id: self.id(Kind::Source, id),
            kind: source.kind.as_str().to_owned(),
            reference: source.reference.clone(),
            fidelity: source.fidelity.to_string(),
            mode: source.mode.to_string(),
        })
    }

    pub fn evidence(
        &self,
        id: ledger::id::EvidenceId,
        evidence: &ledger::evidence::Evidence,
    ) -> Option<EvidenceText> {
        let known_hash = evidence.words.hash.0 != [0; 32];
        Some(EvidenceText {
            evidence: self.id(Kind::Evidence, id),
            source: self.source(evidence.source)?,
            author: evidence.author.to_string(),
            event_time: evidence.event_time.to_string(),
            observed_at: evidence.observed_at.to_string(),
            hash: known_hash.then(|| evidence.words.hash.to_string()),
            text: evidence.words.text.as_deref().map(without_secrets),
        })
    }

    /// The history of a fact as an observer at `as_of` saw it.
    pub fn transitions(&self, fact: &Fact) -> Vec<TransitionText> {
        let memory = &self.snapshot.memory;
        let mut all: Vec<_> = fact
            .versions
            .iter()
            .flat_map(|version| version.states.iter().map(move |state| (version, state)))
            .filter(|(_, state)| {
                state.cause.seq <= self.as_of.watermark && state.at <= self.as_of.believed_at
            })
            .collect();
        all.sort_by_key(|(version, state)| (state.cause, version.id));
        all.into_iter()
            .map(|(version, state)| {
                let act = memory.act(state.cause);
                let of_claim = memory.claim(ClaimId(state.cause)).is_some();
                TransitionText {
                    transition: state.kind.to_string(),
                    version: self.id(Kind::Version, version.id),
                    at: state.at.to_string(),
                    watermark: state.cause.seq,
                    claim: of_claim.then(|| self.id(Kind::Claim, state.cause)),
                    reason: act.map(|act| act.words.reason.clone()),
                    by: act.map(|act| act.words.by.clone()),
                    validity: SpanText::new(state.validity.from(), state.validity.to()),
                }
            })
            .collect()
    }

    pub fn as_of_text(&self) -> AsOfText {
        let latest = self.as_of.believed_at == Instant::MAX;
        AsOfText {
            valid_at: self.as_of.valid_at.to_string(),
            believed_at: (!latest).then(|| self.as_of.believed_at.to_string()),
        }
    }

    /// The versions of every fact that hold at the moment looked at, in the order of the log.
    pub fn current(&self) -> impl Iterator<Item = (&Fact, &Version)> {
        let as_of = self.as_of;
        self.snapshot.memory.facts().iter().flat_map(move |fact| {
            fact.versions
                .iter()
                .filter(move |version| version.is_current(&as_of))
                .map(move |version| (fact, version))
        })
    }
}

/// A text with what looks like a credential taken out: what the gate keeps out of memory must not come back as evidence.
pub(crate) fn without_secrets(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    let mut rest = text;
    // A text with this many secrets is withheld from there on.
    for _ in 0..32 {
        let Some(found) = secret_like(rest) else {
            shown.push_str(rest);
            return shown;
        };
        let (Some(before), Some(after)) = (rest.get(..found.span.start), rest.get(found.span.end..)) else {
            break;
        };
        shown.push_str(before);
        shown.push_str("[withheld: looks like a secret]");
        if after.len() == rest.len() {
            break;
        }
        rest = after;
    }
    shown.push_str("[withheld]");
    shown
}
