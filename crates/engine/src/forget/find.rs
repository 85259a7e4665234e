//! Finding what is meant: by ids, by the name of a source, by where and when messages were said.

use ledger::erase::Targets;
use ledger::evidence::Evidence;
use ledger::id::{ClaimId, EvidenceId, FactId, Kind, SourceId, VersionId};
use ledger::log::Row;
use ledger::store::{Read, Rows};
use ledger::time::Instant;

use super::{ATTEMPTS_MAX, Forget, Which};
use crate::error::EngineError;
use crate::subject::Snapshot;
use crate::{Call, Engine};

/// [`Which`], read against a memory.
pub(super) struct Filter {
    pub source: Option<SourceId>,
    session: Option<String>,
    from: Option<Instant>,
    to: Option<Instant>,
}

impl Filter {
    pub fn read(snapshot: &Snapshot, which: &Which) -> Result<Self, EngineError> {
        let Which { source, session, from, to } = which.clone();
        if source.is_none() && session.is_none() && from.is_none() && to.is_none() {
            let nothing = "nothing to forget; give a source, a session, or a time from which or before which";
            return Err(EngineError::Input(nothing.to_owned()));
        }
        if from.zip(to).is_some_and(|(from, to)| from >= to) {
            return Err(EngineError::Input("the time range is empty: `from` is not before `to`".to_owned()));
        }
        let source = source.map(|name| self::source(snapshot, &name)).transpose()?;
        Ok(Self { source, session, from, to })
    }

    pub fn means(&self, evidence: &Evidence) -> bool {
        let said = evidence.event_time.instant;
        self.source.is_none_or(|source| evidence.source == source)
            && self.session.as_ref().is_none_or(|session| evidence.words.session.as_ref() == Some(session))
            && self.from.is_none_or(|from| said >= from)
            && self.to.is_none_or(|to| said < to)
    }
}

impl Engine {
    /// The messages that `wanted` picks, in the order of the log, without their texts. Where they are all of one source, `of` spares
    /// reading the rest.
    pub(super) fn messages_where(
        &self,
        call: Call<'_>,
        of: Option<SourceId>,
        wanted: impl Fn(&Evidence) -> bool,
    ) -> Result<Vec<(EvidenceId, Evidence)>, EngineError> {
        let rows = of.map_or(Rows::Messages, Rows::MessagesOf);
        for _ in 0..ATTEMPTS_MAX {
            let mut found = Vec::new();
            let read = self.store().read_changes(call.scope, 0, rows, &mut |entry| {
                found.extend(entry.rows.into_iter().filter_map(|(position, row)| match row {
                    Row::Evidence(evidence) if wanted(&evidence) => Some((EvidenceId(position), evidence)),
                    _ => None,
                }));
            })?;
            if read == Read::Whole {
                found.sort_by_key(|(id, _)| *id);
                return Ok(found);
            }
        }
        let erased = "the log is being erased faster than it can be read; try again";
        Err(EngineError::Conflict(erased.to_owned()))
    }
}

/// What the ids or the source name. Messages meant otherwise are found in the log.
pub(super) fn targets(snapshot: &Snapshot, forget: &Forget) -> Result<Targets, EngineError> {
    let mut targets = Targets::default();
    let ids = match forget {
        Forget::Ids(ids) => ids.clone(),
        Forget::Source(name) => {
            targets.sources.insert(source(snapshot, name)?);
            return Ok(targets);
        }
        Forget::Messages(_) | Forget::Subject => return Ok(targets),
    };
    if ids.is_empty() {
        return Err(EngineError::Input("nothing to forget; give ids, `--source` or `--subject`".to_owned()));
    }
    let memory = &snapshot.memory;
    for id in &ids {
        let not_found = || EngineError::NotFound(id.chars().take(80).collect());
        let (kind, position) =
            snapshot.keys.as_ref().and_then(|keys| keys.ids.open(id)).ok_or_else(not_found)?;
        match kind {
            // Whether the message is there, the store will say.
            Kind::Evidence => _ = targets.evidence.insert(EvidenceId(position)),
            Kind::Claim => {
                memory.claim(ClaimId(position)).ok_or_else(not_found)?;
                targets.claims.insert(ClaimId(position));
            }
            Kind::Fact => {
                let fact = memory.fact(FactId(position)).ok_or_else(not_found)?;
                targets.claims.extend(
                    fact.causes.iter().map(|cause| ClaimId(*cause)).filter(|id| memory.claim(*id).is_some()),
                );
            }
            Kind::Version => {
                let (_, version) = memory.version(VersionId(position)).ok_or_else(not_found)?;
                targets.claims.extend(version.claims.iter().map(|support| support.claim));
            }
            Kind::Source => {
                memory.source(SourceId(position)).ok_or_else(not_found)?;
                targets.sources.insert(SourceId(position));
            }
            // Told apart before.
            Kind::Turn => return Err(not_found()),
        }
    }
    Ok(targets)
}

/// A source by its id, or as `kind:ref`.
pub(crate) fn source(snapshot: &Snapshot, name: &str) -> Result<SourceId, EngineError> {
    let not_found = || EngineError::NotFound(name.chars().take(80).collect());
    if let Some((Kind::Source, position)) = snapshot.keys.as_ref().and_then(|keys| keys.ids.open(name)) {
        let id = SourceId(position);
        return snapshot.memory.source(id).map(|_| id).ok_or_else(not_found);
    }
    if let Some((kind, reference)) = name.split_once(':')
        && let Some(id) = snapshot.memory.source_named(kind, reference)
    {
        return Ok(id);
    }
    // A bare reference will do where only one source has it.
    let mut named =
        snapshot.memory.sources().filter(|(_, source)| source.reference == name).map(|(id, _)| id);
    match (named.next(), named.next()) {
        (Some(id), None) => Ok(id),
        (Some(_), Some(_)) => {
            Err(EngineError::Input(format!("several sources are named `{name}`; write `kind:ref` or the id")))
        }
        _ => Err(not_found()),
    }
}
