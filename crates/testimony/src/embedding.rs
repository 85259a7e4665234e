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

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::time::Duration;

    use ::engine::remember::Remember;
    use ::engine::tokens::Tokens;
    use ::engine::{Call, Engine};
    use ::ledger::admission::Policies;
    use ::ledger::reference::ReferenceStore;
    use ::ledger::scope::{Scope, Subject};
    use inference::embed::{Embed, ModelIdentity, Role};
    use inference::{Cancel, InferenceError, Limits};

    use super::{Background, embed};

    /// A stand-in: places a text by how often its letters stand in it.
    struct Letters {
        identity: ModelIdentity,
        asked: AtomicUsize,
    }

    impl Letters {
        fn new() -> Arc<Self> {
            let identity = ModelIdentity { name: "letters".to_owned(), dims: 26, mark: [1; 32] };
            Arc::new(Self { identity, asked: AtomicUsize::new(0) })
        }
    }

    impl Embed for Letters {
        fn identity(&self) -> &ModelIdentity {
            &self.identity
        }

        fn embed(&self, _: Role, texts: &[&str], _: &Limits) -> Result<Vec<Vec<f32>>, InferenceError> {
            self.asked.fetch_add(texts.len(), Ordering::Relaxed);
            let place = |text: &&str| {
                let count = |letter: u8| text.bytes().filter(|byte| *byte == letter).count() as f32;
                let counts: Vec<f32> = (b'a'..=b'z').map(|letter| count(letter) + 0.01).collect();
                let length = counts.iter().map(|count| count * count).sum::<f32>().sqrt();
                counts.iter().map(|count| count / length).collect()
            };
            Ok(texts.iter().map(place).collect())
        }
    }

    fn remember(engine: &Engine, scope: &Scope, text: &str) {
        let remember = Remember { text: text.to_owned(), ..Remember::default() };
        engine.remember(Call { scope, now: crate::now() }, remember).expect("kept");
    }

    fn missing(engine: &Engine, scope: &Scope) -> u64 {
        engine.embed_progress(Call { scope, now: crate::now() }).expect("progress").missing
    }

    #[test]
    fn the_thread_embeds_what_comes_in_for_everybody_and_ends_when_dropped() {
        let letters = Letters::new();
        let engine = Engine::new(Arc::new(ReferenceStore::new()), Policies::shipped(), Arc::new(Tokens));
        let engine = Arc::new(engine.with_embedder(letters.clone()));
        let scopes = ["ana", "ben"].map(|name| Scope::of(Subject::parse(name).expect("a name")));
        scopes.iter().for_each(|scope| remember(&engine, scope, "The spare key hangs in the shed"));
        let background = Background::start(engine.clone()).expect("a thread");
        let done = |scope: &Scope| {
            for _ in 0..3_000 {
                if missing(&engine, scope) == 0 {
                    return true;
                }
                std::thread::sleep(Duration::from_millis(10));
            }
            false
        };
        assert!(scopes.iter().all(done), "what was there is embedded");
        remember(&engine, &scopes[1], "The bicycle is red");
        background.wake();
        assert!(done(&scopes[1]), "what comes in is embedded");
        drop(background);
        let asked = letters.asked.load(Ordering::Relaxed);
        remember(&engine, &scopes[0], "The ladder is at the neighbour's");
        assert!(missing(&engine, &scopes[0]) > 0);
        assert_eq!(letters.asked.load(Ordering::Relaxed), asked, "nobody is at work any more");
    }

    #[test]
    fn a_bound_is_kept_and_told() {
        let engine = Engine::new(Arc::new(ReferenceStore::new()), Policies::shipped(), Arc::new(Tokens));
        let engine = engine.with_embedder(Letters::new());
        let scope = Scope::of(Subject::parse("ana").expect("a name"));
        for number in 0..8 {
            remember(&engine, &scope, &format!("Box {number} holds winter clothes"));
        }
        let call = Call { scope: &scope, now: crate::now() };
        let mut told = 0;
        let some = embed(&engine, call, 5, &Cancel::default(), |_| told += 1).expect("embedded");
        assert_eq!((some.done, some.missing + some.done), (5, some.total));
        assert_eq!(told, 1);
        let stopped = Cancel::default();
        stopped.cancel();
        assert_eq!(embed(&engine, call, 5, &stopped, |_| {}).expect("stopped").done, 0);
        assert_eq!(embed(&engine, call, usize::MAX, &Cancel::default(), |_| {}).expect("rest").missing, 0);
    }
}
