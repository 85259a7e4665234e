//! The verbs of Testimony, in the order a memory lives them: observe, recall, turn, why, history, forget, lift, verify.
//!
//! The engine reads at a basis, asks the pure rules of [`ledger`], and hands the store a batch that it takes whole or
//! not at all. It reads no clock and draws no randomness: the caller says when it is.

pub mod answer;
pub mod ask;
mod calibrated;
mod candidates;
pub mod carried;
pub mod correct;
pub mod dense;
pub mod embed;
pub mod error;
pub mod export;
pub mod forget;
pub mod fusion;
pub mod history;
pub mod import;
pub mod lexical;
pub mod lift;
pub mod line;
pub mod list;
pub mod lives;
pub mod messages;
mod names;
pub mod observe;
pub mod policy;
pub mod profile;
pub mod propose;
pub mod recall;
mod receipt;
pub mod recorded;
pub mod remember;
pub mod said;
pub mod shadow;
pub mod study;
mod subject;
pub mod timeline;
pub mod tokens;
pub mod turn;
pub mod verify;
mod view;
pub mod walk;
pub mod why;
mod wording;

use std::sync::Arc;
use std::time::Duration;

use inference::embed::Embed;
use ledger::admission::Policies;
use ledger::id::{Kind, Position};
use ledger::packet::TokenCounter;
use ledger::registry::Registry;
use ledger::scope::{Scope, Subject};
use ledger::store::Store;
use ledger::time::Instant;
use ledger::vectors::ModelIdentity;
use parking_lot::{Mutex, RwLockReadGuard};
use rustc_hash::FxHashMap;

pub use error::{EngineError, ErrorKind};

use subject::{Held, Snapshot};

/// The engine over one store.
pub struct Engine {
    store: Arc<dyn Store>,
    policies: Policies,
    tokens: Arc<dyn TokenCounter>,
    subjects: Mutex<Subjects>,
    memory_bytes_max: usize,
    shadow: Option<shadow::Lane>,
    embedder: Option<Arc<dyn Embed>>,
    /// Which vectors are made and read: the model, and the layout of the texts.
    model: Option<ModelIdentity>,
    query_deadline: Duration,
    /// How much one subject may grow to.
    room: observe::Room,
}

/// After so many uses the snapshots are added up again, though no new one came.
const USES_PER_LOOK: u64 = 64;

/// Whom a call is for, and when it is made.
#[derive(Clone, Copy, Debug)]
pub struct Call<'caller> {
    /// Whose memory it may touch.
    pub scope: &'caller Scope,
    /// The caller's clock.
    pub now: Instant,
}

/// What is held of subjects, with the number of the use that touched each last.
#[derive(Default)]
struct Subjects {
    held: FxHashMap<Subject, (Arc<Held>, u64)>,
    uses: u64,
}

impl Engine {
    /// The memory that snapshots may take together, in bytes, unless [`Engine::with_memory_limit`] says otherwise.
    pub const MEMORY_BYTES_DEFAULT: usize = 2 << 30;

    /// An engine over `store`, under `policies`, counting tokens with `tokens`.
    #[must_use]
    pub fn new(store: Arc<dyn Store>, policies: Policies, tokens: Arc<dyn TokenCounter>) -> Self {
        Self {
            store,
            policies,
            tokens,
            subjects: Mutex::default(),
            memory_bytes_max: Self::MEMORY_BYTES_DEFAULT,
            shadow: None,
            embedder: None,
            model: None,
            query_deadline: embed::QUERY_DEADLINE,
            room: observe::Room::default(),
        }
    }

    /// The same engine, its snapshots held to `bytes` together; the least used are dropped first and read again when needed.
    #[must_use]
    pub fn with_memory_limit(mut self, bytes: usize) -> Self {
        self.memory_bytes_max = bytes;
        self
    }

    /// The same engine, in which a subject may grow to no more than `room`.
    #[must_use]
    pub fn with_room(mut self, room: observe::Room) -> Self {
        self.room = room;
        self
    }

    /// The predicates in force.
    #[must_use]
    pub fn registry(&self) -> &Registry {
        &self.policies.registry
    }

    /// The policies in force.
    #[must_use]
    pub fn policies(&self) -> &Policies {
        &self.policies
    }

    /// The store underneath.
    #[must_use]
    pub fn store(&self) -> &dyn Store {
        &*self.store
    }

    /// A number no other use of this engine has.
    fn next_use(&self) -> u64 {
        let mut subjects = self.subjects.lock();
        subjects.uses += 1;
        subjects.uses
    }

    fn held(&self, scope: &Scope) -> Arc<Held> {
        let mut subjects = self.subjects.lock();
        subjects.uses += 1;
        let now = subjects.uses;
        if let Some((held, used)) = subjects.held.get_mut(scope.subject()) {
            *used = now;
            let held = held.clone();
            // Those that are held grow, too; adding them up at every use would cost more than it saves.
            if now.is_multiple_of(USES_PER_LOOK) {
                self.make_room(&mut subjects);
            }
            return held;
        }
        self.make_room(&mut subjects);
        let held = Arc::new(Held::new(self.model.clone()));
        subjects.held.insert(scope.subject().clone(), (held.clone(), now));
        held
    }

    /// Drops the least used snapshots until the others fit. One in use lives on until its user lets go.
    fn make_room(&self, subjects: &mut Subjects) {
        let mut sizes: Vec<(u64, usize, Subject)> = subjects
            .held
            .iter()
            .map(|(subject, (held, used))| (*used, held.resident_bytes(), subject.clone()))
            .collect();
        let mut total: usize = sizes.iter().map(|(_, bytes, _)| bytes).sum();
        if total <= self.memory_bytes_max {
            return;
        }
        sizes.sort_unstable_by_key(|(used, ..)| *used);
        for (used, bytes, subject) in sizes {
            // The one that is asked for now stays, however large it is.
            if total <= self.memory_bytes_max || used == subjects.uses {
                break;
            }
            subjects.held.remove(&subject);
            total -= bytes;
        }
    }

    /// Runs `read` on the subject's snapshot, brought up to the log's end.
    fn read<T>(
        &self,
        scope: &Scope,
        read: impl FnOnce(&RwLockReadGuard<'_, Snapshot>) -> Result<T, EngineError>,
    ) -> Result<T, EngineError> {
        let held = self.held(scope);
        let snapshot = held.read(self.store(), scope, &self.policies)?;
        read(&snapshot)
    }
}

/// The position an id names, if it is of `kind` and of this subject.
fn open_id(snapshot: &Snapshot, kind: Kind, id: &str) -> Result<Position, EngineError> {
    match snapshot.keys.as_ref().and_then(|keys| keys.ids.open(id)) {
        Some((opened, position)) if opened == kind => Ok(position),
        _ => Err(EngineError::NotFound(id.chars().take(80).collect())),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use ledger::admission::Policies;
    use ledger::reference::ReferenceStore;
    use ledger::scope::{Scope, Subject};
    use ledger::time::Instant;

    use super::{Call, Engine};
    use crate::recall::Recall;
    use crate::remember::Remember;
    use crate::tokens::Tokens;

    #[test]
    fn snapshots_beyond_the_limit_are_dropped_and_read_again() {
        let store = Arc::new(ReferenceStore::new());
        let engine = Engine::new(store, Policies::shipped(), Arc::new(Tokens)).with_memory_limit(20_000);
        let scopes: Vec<Scope> = (0..30)
            .map(|number| Scope::of(Subject::parse(&format!("subject {number}")).expect("a name")))
            .collect();
        for scope in &scopes {
            let call = Call { scope, now: Instant::default() };
            let text = "I prefer tea in the morning and coffee at noon".to_owned();
            engine.remember(call, Remember { text, ..Remember::default() }).expect("kept");
            let subjects = engine.subjects.lock();
            let held: usize = subjects.held.values().map(|(held, _)| held.resident_bytes()).sum();
            let newest = subjects.held.get(scope.subject()).map_or(0, |(held, _)| held.resident_bytes());
            assert!(held <= 20_000 + newest, "{held} bytes in {} snapshots", subjects.held.len());
        }
        assert!(engine.subjects.lock().held.len() < scopes.len());
        // One that grows takes the place of others, too.
        let call = Call { scope: &scopes[0], now: Instant::default() };
        for number in 0..2 * super::USES_PER_LOOK {
            let text = format!("I prefer drink number {number} to all the others there are");
            engine.remember(call, Remember { text, ..Remember::default() }).expect("kept");
        }
        let held: Vec<_> = engine.subjects.lock().held.keys().cloned().collect();
        assert_eq!(held, [scopes[0].subject().clone()], "it alone is over the limit");
        for scope in &scopes {
            let recalled =
                engine.recall(Call { scope, now: Instant::default() }, &Recall::of("tea")).expect("recalled");
            assert!(!recalled.items.is_empty());
        }
    }
}
