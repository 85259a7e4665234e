//! Lifting: what was forgotten may be learnt again, because somebody says so on purpose.
//!
//! Forgotten words are kept out by tombstones. An act in the subject's log lifts them: those of one source, by its name; all
//! of the subject; or, when the owner asks to `remember` exactly these words, theirs. The act names keyed marks and no words.

use std::sync::Arc;

use ledger::fact::{Act, ActKind, ActWords};
use ledger::log::Lift;
use ledger::source::SourceKind;
use ledger::store::Recognised;
use parking_lot::Mutex;

use crate::answer::Lifted;
use crate::error::EngineError;
use crate::forget::{self, OWNER};
use crate::observe::write_act;
use crate::subject::Draft;
use crate::{Call, Engine};

/// What may be learnt again.
#[derive(Clone, Debug)]
pub enum Lifting {
    /// What a source said: its id while it is there, else `kind:ref`.
    Source(String),
    /// Everything of the subject that was ever forgotten.
    Everything,
}

impl Engine {
    /// Lifts what keeps forgotten words out. Where nothing is kept out, nothing is recorded.
    ///
    /// # Errors
    /// [`EngineError::Input`] for a source that is neither known nor written as `kind:ref`.
    pub fn lift(&self, call: Call<'_>, lifting: &Lifting) -> Result<Lifted, EngineError> {
        let lift = match lifting {
            Lifting::Source(name) => self.source_to_lift(call, name)?,
            Lifting::Everything => Lift::Everything,
        };
        self.record_lift(call, lift)
    }

    fn source_to_lift(&self, call: Call<'_>, name: &str) -> Result<Lift, EngineError> {
        let blind = self.store().blind(call.scope)?;
        let known = self.read(call.scope, |snapshot| {
            let id = forget::source_named(snapshot, name).ok();
            let source = id.and_then(|id| snapshot.memory.source(id));
            Ok(source.map(|source| blind.source(source.kind.as_str(), &source.reference)))
        })?;
        let written = || {
            let (kind, reference) = name.split_once(':')?;
            let kind = SourceKind::parse(kind).ok().filter(|_| !reference.is_empty())?;
            Some(blind.source(kind.as_str(), reference))
        };
        known.or_else(written).map(Lift::Source).ok_or_else(|| {
            let name: String = name.chars().take(80).collect();
            EngineError::Input(format!("`{name}` is no source known here; write `kind:ref`"))
        })
    }

    /// Records a lift where it takes anything away.
    pub(crate) fn record_lift(&self, call: Call<'_>, lift: Lift) -> Result<Lifted, EngineError> {
        let lifted = self.store().tombstones(call.scope, &lift)?;
        if lifted == 0 {
            return Ok(Lifted { lifted, watermark: self.store().head(call.scope)?.watermark });
        }
        let watermark: Arc<Mutex<u64>> = Arc::default();
        let watermark_of_last_run = watermark.clone();
        let now = call.now;
        let prepare = move |draft: &mut Draft<'_>, _: &[Recognised]| {
            let words = ActWords { reason: String::new(), by: OWNER.to_owned() };
            write_act(draft, Act { at: now, kind: ActKind::Lift(lift.clone()), words });
            *watermark_of_last_run.lock() = draft.watermark();
            Ok(())
        };
        let held = self.held(call.scope);
        held.write(self.store(), call.scope, self.policies(), call.now, Vec::new(), Box::new(prepare))?;
        let watermark = *watermark.lock();
        Ok(Lifted { lifted, watermark })
    }
}
