//! Why: the receipt of a memory, down to the quoted words.

use ledger::claim::Claim;
use ledger::id::{ClaimId, EvidenceId, FactId, Kind, SourceId, TurnId, VersionId};
use ledger::memory::{Fact, Version};

use crate::answer::Why;
use crate::error::EngineError;
use crate::recall::as_of;
use crate::view::View;
use crate::{Call, Engine};

impl Engine {
    /// The way from `id` (a version, fact, claim or piece of evidence) to the words behind it.
    ///
    /// # Errors
    /// [`EngineError::NotFound`] for anything that is not there, whatever the reason.
    pub fn why(&self, call: Call<'_>, id: &str) -> Result<Why, EngineError> {
        self.read(call.scope, |snapshot| {
            let view =
                View { snapshot, registry: self.registry(), as_of: as_of(snapshot, call.now, None, None) };
            let not_found = || EngineError::NotFound(id.chars().take(80).collect());
            let (kind, position) =
                snapshot.keys.as_ref().and_then(|keys| keys.ids.open(id)).ok_or_else(not_found)?;
            let memory = &snapshot.memory;
            let concerned = match kind {
                Kind::Version => {
                    let (fact, version) = memory.version(VersionId(position)).ok_or_else(not_found)?;
                    Concerned::of_versions(Some(fact), with_the_other_side(view, fact, vec![version]))
                }
                Kind::Fact => {
                    let fact = memory.fact(FactId(position)).ok_or_else(not_found)?;
                    Concerned::of_versions(Some(fact), fact.versions.iter().collect())
                }
                Kind::Claim => {
                    let claim = memory.claim(ClaimId(position)).ok_or_else(not_found)?;
                    let fact = memory.fact(claim.fact).ok_or_else(not_found)?;
                    let own = supported(fact, ClaimId(position));
                    let mut concerned =
                        Concerned::of_versions(Some(fact), with_the_other_side(view, fact, own));
                    // A retraction supports no version, and is a receipt all the same.
                    if !concerned.claims.contains(&ClaimId(position)) {
                        concerned.claims.push(ClaimId(position));
                    }
                    concerned
                }
                Kind::Evidence => Concerned {
                    fact: None,
                    versions: Vec::new(),
                    claims: claims_on(view, EvidenceId(position)),
                    evidence: vec![EvidenceId(position)],
                },
                Kind::Source | Kind::Turn => {
                    let known = match kind {
                        Kind::Turn => self.store().turn(call.scope, TurnId(position))?.is_some(),
                        _ => memory.source(SourceId(position)).is_some(),
                    };
                    if !known {
                        return Err(not_found());
                    }
                    let kind = if kind == Kind::Turn { "turn" } else { "source" };
                    return Err(EngineError::Input(format!(
                        "`{id}` is a {kind}; ask why of a version, a fact, a claim or a piece of evidence"
                    )));
                }
            };
            self.receipt(call, view, id, concerned)?.ok_or_else(not_found)
        })
    }

    fn receipt(
        &self,
        call: Call<'_>,
        view: View<'_>,
        id: &str,
        concerned: Concerned<'_>,
    ) -> Result<Option<Why>, EngineError> {
        let memory = &view.snapshot.memory;
        let claims: Vec<(ClaimId, &Claim)> = concerned
            .claims
            .iter()
            .filter_map(|id| memory.claim(*id).map(|claim| (*id, claim.as_ref())))
            .collect();
        let mut evidence = concerned.evidence;
        evidence.extend(claims.iter().map(|(_, claim)| claim.evidence));
        evidence.sort_unstable();
        evidence.dedup();
        let found = self.store().evidence(call.scope, &evidence)?;
        let told: Vec<_> = evidence
            .iter()
            .zip(&found)
            .filter_map(|(id, found)| view.evidence(*id, found.as_ref()?))
            .collect();
        if told.is_empty() {
            return Ok(None);
        }
        Ok(Some(Why {
            item: id.to_owned(),
            fact: concerned.fact.and_then(|fact| view.fact(fact)),
            versions: concerned
                .versions
                .iter()
                .zip(std::iter::repeat(concerned.fact))
                .filter_map(|(version, fact)| view.version(fact?, version))
                .collect(),
            claims: claims.iter().map(|(id, claim)| view.claim(*id, claim)).collect(),
            evidence: told,
            transitions: concerned.fact.map(|fact| view.transitions(fact)).unwrap_or_default(),
            watermark: view.as_of.watermark,
        }))
    }
}

/// What a receipt is about.
struct Concerned<'read> {
    fact: Option<&'read Fact>,
    versions: Vec<&'read Version>,
    claims: Vec<ClaimId>,
    evidence: Vec<EvidenceId>,
}

impl<'read> Concerned<'read> {
    fn of_versions(fact: Option<&'read Fact>, versions: Vec<&'read Version>) -> Self {
        let mut claims: Vec<ClaimId> =
            versions.iter().flat_map(|version| version.claims.iter().map(|support| support.claim)).collect();
        claims.sort_unstable();
        claims.dedup();
        Self { fact, versions, claims, evidence: Vec::new() }
    }
}

/// The versions, and those they contradict now: a receipt of one side alone would settle the dispute in silence.
fn with_the_other_side<'read>(
    view: View<'read>,
    fact: &'read Fact,
    own: Vec<&'read Version>,
) -> Vec<&'read Version> {
    let group = view.snapshot.memory.dispute(fact, &view.as_of);
    let mut all = own;
    if all.iter().any(|version| group.iter().any(|member| member.id == version.id)) {
        for member in group {
            if !all.iter().any(|version| version.id == member.id) {
                all.push(member);
            }
        }
    }
    all
}

fn supported(fact: &Fact, claim: ClaimId) -> Vec<&Version> {
    fact.versions
        .iter()
        .filter(|version| version.claims.iter().any(|support| support.claim == claim))
        .collect()
}

fn claims_on(view: View<'_>, evidence: EvidenceId) -> Vec<ClaimId> {
    let mut claims: Vec<ClaimId> = view
        .snapshot
        .memory
        .claims()
        .filter(|(_, claim)| claim.evidence == evidence)
        .map(|(id, _)| id)
        .collect();
    claims.sort_unstable();
    claims
}
