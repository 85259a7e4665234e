//! Local embedding: a model on this machine, from one file, without a network.
//!
//! [`pack`] is the file, [`tokenizer`] cuts a text into pieces (after [`normalise`] made it plain), [`encoder`] turns pieces into a
//! vector by the sums of [`kernel`], [`windows`] divides what is too long for one vector. Why it is our own arithmetic, and
//! what was measured beside it, is in `docs/decisions/0011-local-embedding.md`.

mod encoder;
mod kernel;
#[cfg(target_arch = "x86_64")]
mod kernel_x86;
mod known;
mod material;
mod normalise;
mod pack;
pub mod pull;
mod section;
#[cfg(test)]
mod tests;
mod tokenizer;
mod waiting;
mod windows;
mod words;

use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use ledger::vectors::ModelIdentity;

use crate::embed::{Embed, Role};
use crate::error::{InferenceError, InferenceErrorKind};
use crate::limits::Limits;
use encoder::Scratch;
pub use known::{KNOWN_MODELS, KnownModel};
pub use pack::About;
use pack::Pack;
pub use waiting::WaitingEmbedder;

/// Bytes of a text that are looked at, at most: far more than fit into the pieces a model reads.
const TEXT_MAX: usize = 256 << 10;

/// Pieces of a window, marks of control and prefix included.
const WINDOW_PIECES: usize = 256;

/// Pieces that two neighbouring windows share, at most.
const WINDOW_OVERLAP: usize = 32;

/// Pieces that go through the encoder together, about: enough that its weights are read once for many rows, few enough that the
/// rows stay near the processor.
const TOGETHER: usize = 128;

/// A model on this machine. Shared between threads as it is; calls do not wait for each other.
#[derive(Debug)]
pub struct LocalEmbedder {
    pack: Pack,
    threads: NonZeroUsize,
    /// Rooms for computing that are not in use.
    scratches: Mutex<Vec<Scratch>>,
}

impl LocalEmbedder {
    /// Opens the pack at `path`. Its hashes are checked first: a damaged pack is refused.
    ///
    /// # Errors
    /// [`InferenceErrorKind::ModelFile`] when it cannot be read or is not whole.
    pub fn open(path: &Path) -> Result<Self, InferenceError> {
        Ok(Self::of(Pack::read(path)?))
    }

    fn of(pack: Pack) -> Self {
        let threads = std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
        Self { pack, threads, scratches: Mutex::default() }
    }

    /// With this many threads for a call with many texts; as many as there are processors, when this is not called. The vectors
    /// are the same.
    #[must_use]
    pub fn with_threads(mut self, threads: NonZeroUsize) -> Self {
        self.threads = threads;
        self
    }

    /// What the pack says about itself.
    #[must_use]
    pub fn about(&self) -> &About {
        &self.pack.about
    }

    /// The stretches of a text that get a vector each: the text itself when it is short, otherwise windows that begin and end where
    /// a line or a sentence does, where that is possible, and share a sentence or two with their neighbours. A text of white space
    /// has none.
    #[must_use]
    pub fn pieces<'t>(&self, text: &'t str) -> Vec<&'t str> {
        let limit = WINDOW_PIECES.min(self.pack.encoder.sizes.places);
        let prefix = self.pack.tokenizer.cut(&self.pack.about.passage_prefix, limit).len();
        let limit = limit.saturating_sub(prefix + 2).max(1);
        windows::windows(text, limit, WINDOW_OVERLAP, |part| self.pack.tokenizer.cut(part, usize::MAX).len())
    }

    /// The numbers of the pieces the model reads for a text, marks of control and prefix included. What is past the
    /// model's limit is left out.
    #[must_use]
    pub fn tokens(&self, role: Role, text: &str) -> Vec<u32> {
        let about = &self.pack.about;
        let prefix = match role {
            Role::Query => &about.query_prefix,
            Role::Passage => &about.passage_prefix,
        };
        let text = &text[..text.floor_char_boundary(TEXT_MAX)];
        let control = self.pack.tokenizer.control;
        let limit = self.pack.encoder.sizes.places.saturating_sub(2);
        let mut tokens = vec![control.begin];
        tokens.extend(self.pack.tokenizer.cut(&format!("{prefix}{text}"), limit));
        tokens.push(control.end);
        tokens
    }

    fn scratch(&self) -> Scratch {
        let mut free = self.scratches.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        free.pop().unwrap_or_default()
    }

    fn give_back(&self, scratch: Scratch) {
        self.scratches.lock().unwrap_or_else(std::sync::PoisonError::into_inner).push(scratch);
    }
}

impl Embed for LocalEmbedder {
    fn identity(&self) -> &ModelIdentity {
        &self.pack.identity
    }

    fn embed(&self, role: Role, texts: &[&str], limits: &Limits) -> Result<Vec<Vec<f32>>, InferenceError> {
        let clock = Clock::start(limits);
        let groups = Groups::of(texts);
        let work = || {
            let mut scratch = self.scratch();
            let mut done = Vec::new();
            let result = loop {
                if let Err(error) = clock.check(limits) {
                    break Err(error);
                }
                let Some(group) = groups.next() else { break Ok(()) };
                let tokens: Vec<Vec<u32>> =
                    texts[group.clone()].iter().map(|text| self.tokens(role, text)).collect();
                let tokens: Vec<&[u32]> = tokens.iter().map(Vec::as_slice).collect();
                done.push((group.start, self.pack.encoder.encode(&tokens, &mut scratch)));
            };
            self.give_back(scratch);
            result.map(|()| done)
        };
        let threads = self.threads.get().min(groups.count());
        let mut done = if threads <= 1 {
            work()?
        } else {
            std::thread::scope(|scope| {
                let others: Vec<_> = (1..threads).map(|_| scope.spawn(work)).collect();
                let mut done = work();
                for other in others {
                    let found = other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
                    done = done.and_then(|mut done| {
                        done.extend(found?);
                        Ok(done)
                    });
                }
                done
            })?
        };
        done.sort_by_key(|(first, _)| *first);
        Ok(done.into_iter().flat_map(|(_, vectors)| vectors).collect())
    }
}

/// Neighbouring texts that go through the encoder together, handed out one group after the other.
struct Groups {
    ranges: Vec<std::ops::Range<usize>>,
    taken: AtomicUsize,
}

impl Groups {
    fn of(texts: &[&str]) -> Self {
        /// Bytes a piece has, about.
        const PIECE_BYTES: usize = 4;
        let mut ranges = Vec::new();
        let (mut begin, mut size) = (0, 0);
        for (place, text) in texts.iter().enumerate() {
            size += text.len() / PIECE_BYTES + 4;
            if size >= TOGETHER {
                ranges.push(begin..place + 1);
                (begin, size) = (place + 1, 0);
            }
        }
        if begin < texts.len() {
            ranges.push(begin..texts.len());
        }
        Self { ranges, taken: AtomicUsize::new(0) }
    }

    fn count(&self) -> usize {
        self.ranges.len()
    }

    fn next(&self) -> Option<std::ops::Range<usize>> {
        self.ranges.get(self.taken.fetch_add(1, Ordering::Relaxed)).cloned()
    }
}

/// Since when a call runs.
struct Clock(Instant);

impl Clock {
    #[allow(clippy::disallowed_methods, reason = "a deadline needs a clock; nothing else is read from it")]
    fn start(_limits: &Limits) -> Self {
        Self(Instant::now())
    }

    fn check(&self, limits: &Limits) -> Result<(), InferenceError> {
        if limits.cancel.is_cancelled() {
            return Err(InferenceError::new(InferenceErrorKind::Cancelled, "embedding was stopped"));
        }
        if self.0.elapsed() > limits.within {
            let message = format!("embedding took longer than the {} ms it may", limits.within.as_millis());
            return Err(InferenceError::new(InferenceErrorKind::Deadline, message));
        }
        Ok(())
    }
}
