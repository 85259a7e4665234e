//! Embedding beside the work: in the foreground until a bound is reached, or on a thread of its own for as long as a process
//! lives. What is done is kept, whatever becomes of the rest.

use std::collections::HashMap;
use std::io;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use ::engine::embed::{EmbedBudget, EmbedProgress};
use ::engine::{Call, Engine, EngineError};
use ::ledger::scope::{Scope, Subject};
use ::ledger::store::Head;
use inference::{Cancel, Limits};

/// Memories embedded between two looks at who wants it to stop.
const STEP_TEXTS: usize = 64;

/// How long one call to the model may take.
const MODEL_SECONDS_MAX: u64 = 60;

/// How long the thread waits before it looks again, unless it is woken.
const PAUSE: Duration = Duration::from_secs(2);

/// How long it waits after the model or the store failed.
const PAUSE_AFTER_FAILURE: Duration = Duration::from_secs(30);

/// Embeds what one subject has without a vector, at most `texts_max` memories, until it is done or `cancel` says stop.
/// `tell` hears how far it has come.
///
/// # Errors
/// As [`Engine::embed_some`]; what was done before is kept.
pub fn embed(
    engine: &Engine,
    call: Call<'_>,
    texts_max: usize,
    cancel: &Cancel,
    mut tell: impl FnMut(&EmbedProgress),
) -> Result<EmbedProgress, EngineError> {
    let mut sum = engine.embed_progress(call)?;
    let limits = Limits { within: Duration::from_secs(MODEL_SECONDS_MAX), cancel: cancel.clone() };
    // Erasures make a step come to nothing now and then; a model whose vectors are never there afterwards would do so for ever.
    let mut fruitless = 0;
    while sum.missing > 0 && fruitless < 3 && !cancel.is_cancelled() {
        let left = texts_max.saturating_sub(usize::try_from(sum.done).unwrap_or(usize::MAX));
        if left == 0 {
            break;
        }
        let budget = EmbedBudget { texts: left.min(STEP_TEXTS), limits: limits.clone() };
        let step = engine.embed_some(call, &budget)?;
        fruitless = if step.missing < sum.missing { 0 } else { fruitless + 1 };
        sum.done += step.done;
        sum.notices.extend(step.notices);
        (sum.missing, sum.total) = (step.missing, step.total);
        tell(&sum);
    }
    Ok(sum)
}

/// The thread that embeds, for processes that live long. Dropping it stops it after the batch at hand.
pub struct Background {
    cancel: Cancel,
    bell: Arc<Bell>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Default)]
struct Bell {
    rung: Mutex<bool>,
    ringing: Condvar,
}

impl Bell {
    fn ring(&self) {
        *self.rung.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.ringing.notify_all();
    }

    fn wait(&self, most: Duration) {
        let rung = self.rung.lock().unwrap_or_else(PoisonError::into_inner);
        let waited = self.ringing.wait_timeout_while(rung, most, |rung| !*rung);
        let (mut rung, _) = waited.unwrap_or_else(PoisonError::into_inner);
        *rung = false;
    }
}

impl Background {
    /// Starts the thread; it does nothing for an engine without a model.
    ///
    /// # Errors
    /// When the operating system gives no thread.
    pub fn start(engine: Arc<Engine>) -> io::Result<Self> {
        let (cancel, bell) = (Cancel::default(), Arc::new(Bell::default()));
        let (stop, ringing) = (cancel.clone(), bell.clone());
        let thread = std::thread::Builder::new().name("embedding".to_owned()).spawn(move || {
            let mut finished: HashMap<Subject, Head> = HashMap::new();
            while engine.model().is_some() && !stop.is_cancelled() {
                let pause = match embed_everyone(&engine, &mut finished, &stop) {
                    Ok(()) => PAUSE,
                    // Whoever recalls is told how much is missing; here there is nobody to tell.
                    Err(_) => PAUSE_AFTER_FAILURE,
                };
                ringing.wait(pause);
            }
        })?;
        Ok(Self { cancel, bell, thread: Some(thread) })
    }

    /// Has it look again at once.
    pub fn wake(&self) {
        self.bell.ring();
    }
}

impl Drop for Background {
    fn drop(&mut self) {
        self.cancel.cancel();
        self.bell.ring();
        if let Some(thread) = self.thread.take() {
            _ = thread.join();
        }
    }
}

/// Embeds for every subject whose log moved since it was last finished.
fn embed_everyone(
    engine: &Engine,
    finished: &mut HashMap<Subject, Head>,
    cancel: &Cancel,
) -> Result<(), EngineError> {
    for subject in engine.store().subjects()? {
        let scope = Scope::of(subject.clone());
        let head = engine.store().head(&scope)?;
        if finished.get(&subject) == Some(&head) || cancel.is_cancelled() {
            continue;
        }
        let call = Call { scope: &scope, now: crate::now() };
        if embed(engine, call, usize::MAX, cancel, |_| {})?.missing == 0 {
            finished.insert(subject, head);
        }
    }
    Ok(())
}
