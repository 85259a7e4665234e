//! The dry run: the same plan, told thing by thing and not carried out.

use ledger::evidence::Evidence;
use ledger::id::{EvidenceId, Kind, SourceId, VersionId};
use ledger::memory::Memory;

use super::{Forget, Prepared};
use crate::answer::{Foreseen, Forgotten};
use crate::error::EngineError;
use crate::recall::as_of;
use crate::subject::Snapshot;
use crate::view::{View, without_secrets};
use crate::{Call, Engine};

/// Letters of a message that are shown.
const EXCERPT: usize = 80;

/// Messages read whole at a time.
const PIECE: usize = 500;

impl Engine {
    /// What forgetting would do.
    pub(super) fn foresee(&self, call: Call<'_>, forget: &Forget) -> Result<Forgotten, EngineError> {
        if let Forget::Subject = forget {
            let messages: Vec<EvidenceId> =
                self.messages_where(call, None, |_| true)?.into_iter().map(|(id, _)| id).collect();
            let (told, _) = self.whole_subject(call)?;
            let list = self.read(call.scope, |snapshot| {
                let teller = Teller { call, view: view(self, snapshot, call), list: Vec::new() };
                let memory = &snapshot.memory;
                let versions: Vec<VersionId> = versions_of(memory).collect();
                let sources: Vec<SourceId> = memory.sources().map(|(id, _)| id).collect();
                let teller = teller.sources(&sources).messages(self, "goes", &messages)?;
                Ok(teller.versions("goes", &versions).list)
            })?;
            return Ok(Forgotten { dry_run: true, list, ..told });
        }
        self.read(call.scope, |snapshot| {
            let Prepared { plan, told, .. } = self.prepare(call, snapshot, forget)?;
            let teller = Teller { call, view: view(self, snapshot, call), list: Vec::new() };
            let erasure = &plan.erasure;
            let sources: Vec<SourceId> = erasure.remove.sources.iter().copied().map(SourceId).collect();
            let messages: Vec<EvidenceId> = erasure.remove.evidence.iter().copied().map(EvidenceId).collect();
            let reduced: Vec<EvidenceId> = erasure.reduce.iter().map(|(id, _)| *id).collect();
            let teller = teller
                .sources(&sources)
                .messages(self, "goes", &messages)?
                .messages(self, "reduced", &reduced)?
                .versions("goes", &plan.gone)
                .versions("stays", &plan.kept)
                .versions("reopens", &plan.reopened);
            Ok(Forgotten { dry_run: true, list: teller.list, ..told })
        })
    }
}

fn view<'read>(engine: &'read Engine, snapshot: &'read Snapshot, call: Call<'_>) -> View<'read> {
    View { snapshot, registry: engine.registry(), as_of: as_of(snapshot, call.now, None, None) }
}

fn versions_of(memory: &Memory) -> impl Iterator<Item = VersionId> + '_ {
    memory.facts().iter().flat_map(|fact| fact.versions.iter().map(|version| version.id))
}

/// Tells one kind of thing after another.
struct Teller<'read> {
    call: Call<'read>,
    view: View<'read>,
    list: Vec<Foreseen>,
}

impl Teller<'_> {
    fn tell(&mut self, fate: &str, kind: &str, id: String, text: String) {
        self.list.push(Foreseen { fate: fate.to_owned(), kind: kind.to_owned(), id, text });
    }

    fn sources(mut self, sources: &[SourceId]) -> Self {
        for id in sources {
            let Some(source) = self.view.source(*id) else { continue };
            self.tell("goes", "source", source.id, format!("{}:{}", source.kind, source.reference));
        }
        self
    }

    fn messages(mut self, engine: &Engine, fate: &str, ids: &[EvidenceId]) -> Result<Self, EngineError> {
        for piece in ids.chunks(PIECE) {
            for (id, found) in piece.iter().zip(engine.store().evidence(self.call.scope, piece)?) {
                let text = found.as_ref().map(excerpt).unwrap_or_default();
                let id = self.view.id(Kind::Evidence, *id);
                self.tell(fate, "message", id, text);
            }
        }
        Ok(self)
    }

    fn versions(mut self, fate: &str, ids: &[VersionId]) -> Self {
        for id in ids {
            let known = self.view.snapshot.memory.version(*id);
            let item =
                known.and_then(|(fact, version)| self.view.item(fact, version, 1.0, serde_json::Map::new()));
            let text = item.map(|item| item.text).unwrap_or_default();
            let id = self.view.id(Kind::Version, *id);
            self.tell(fate, "version", id, text);
        }
        self
    }
}

/// When a message was said, by whom, and how it begins, in one line.
fn excerpt(evidence: &Evidence) -> String {
    let text = evidence.words.text.as_deref().map(without_secrets).unwrap_or_default();
    let line = text.split_whitespace().collect::<Vec<&str>>().join(" ");
    let mut shown: String = line.chars().take(EXCERPT).collect();
    if shown.len() < line.len() {
        shown.push('\u{2026}');
    }
    format!("{} {}: {shown}", evidence.event_time, evidence.author)
}
