//! Messages: what was said, as it was taken in, newest first.

use ledger::evidence::Evidence;
use ledger::id::{EvidenceId, Kind, SourceId};

use crate::answer::{AttachmentText, MessageText, MessagesListed};
use crate::error::EngineError;
use crate::forget::source_named;
use crate::recall::{as_of, check_page};
use crate::view::{View, without_secrets};
use crate::{Call, Engine, open_id};

/// Which messages are listed; all that is given holds.
#[derive(Clone, Debug)]
pub struct Messages {
    /// Of this source: an id, or `kind:ref`.
    pub source: Option<String>,
    /// Of any source of this kind.
    pub kind: Option<String>,
    /// Of this session.
    pub session: Option<String>,
    /// Messages, at most.
    pub limit: usize,
    /// The id of the last message of the page before; from the newest, when left out.
    pub after: Option<String>,
}

impl Engine {
    /// The messages, the newest first by the order in which they were taken in.
    ///
    /// # Errors
    /// [`EngineError::Input`] for a limit out of bounds, [`EngineError::NotFound`] for an unknown source or `after`.
    pub fn messages(&self, call: Call<'_>, wanted: &Messages) -> Result<MessagesListed, EngineError> {
        check_page(wanted.limit)?;
        let held = self.held(call.scope);
        let snapshot = held.read(self.store(), call.scope, self.policies())?;
        let view = View {
            snapshot: &snapshot,
            registry: self.registry(),
            as_of: as_of(&snapshot, call.now, None, None),
        };
        let source = wanted.source.as_deref().map(|name| source_named(&snapshot, name)).transpose()?;
        let after = wanted.after.as_deref().map(|id| open_id(&snapshot, Kind::Evidence, id)).transpose()?;
        let sources: Option<Vec<SourceId>> = (source.is_some() || wanted.kind.is_some()).then(|| {
            let all = snapshot.memory.sources().filter(|(id, known)| {
                source.is_none_or(|source| source == *id)
                    && wanted.kind.as_deref().is_none_or(|kind| known.kind.as_str() == kind)
            });
            all.map(|(id, _)| id).collect()
        });
        let mut ids: Vec<EvidenceId> = {
            let mut passages = held.passages();
            passages.catch_up(self.store(), call.scope, &snapshot, self.model())?;
            let found = passages.of(sources.as_deref(), wanted.session.as_deref());
            let found =
                found.filter(|id| id.0.seq <= view.as_of.watermark && after.is_none_or(|after| id.0 < after));
            found.take(wanted.limit + 1).collect()
        };
        let truncated = ids.len() > wanted.limit;
        ids.truncate(wanted.limit);
        let whole = self.store().evidence(call.scope, &ids)?;
        let told = ids.iter().zip(&whole).filter_map(|(id, found)| message(view, *id, found.as_ref()?));
        Ok(MessagesListed { messages: told.collect(), watermark: view.as_of.watermark, truncated })
    }
}

/// A message as it is told; `None` when its source is gone.
pub(crate) fn message(view: View<'_>, id: EvidenceId, evidence: &Evidence) -> Option<MessageText> {
    let words = &evidence.words;
    let attachments = words.attachments.iter().map(|one| AttachmentText {
        name: without_secrets(&one.name),
        media_type: one.media_type.clone(),
        size: one.bytes,
    });
    Some(MessageText {
        kept: view.evidence(id, evidence)?,
        session: words.session.clone(),
        author_name: words.author_name.clone(),
        external_id: words.external_id.clone(),
        attachments: attachments.collect(),
    })
}
