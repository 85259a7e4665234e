//! Embedding: what has no vector yet gets one, in the background, so that it is also found by what it means.
//!
//! Words come first: a write is done when its words are kept, and is found by them from then on. [`Engine::embed_some`] does a
//! bounded piece of the rest and may be stopped, killed and called again at any time; what is kept is kept with the
//! state of the log its text was read from, and [`ledger::vectors::VectorStore`] refuses it when something was erased
//! since. Answers say how much has no vector yet.

use std::time::Duration;

use inference::embed::{Embed, Role};
use inference::{InferenceError, InferenceErrorKind, Limits};
use ledger::claim::Claim;
use ledger::evidence::Evidence;
use ledger::id::{EvidenceId, Position, Watermark};
use ledger::registry::Registry;
use ledger::store::Head;
use ledger::vectors::{ModelIdentity, Placed, Quantised, VectorMark, VectorRow};

use crate::dense::Vectors;
use crate::error::EngineError;
use crate::fusion::Centre;
use crate::recall::Grain;
use crate::{Call, Engine};

/// What answers say where no embedding model is set up.
pub const NO_MODEL: &str = "no embedding model; words only";
/// What answers say when the query was not embedded in time.
pub const MODEL_LATE: &str = "the embedding model did not answer in time; words only";
/// What answers say when the model failed on the query.
pub const MODEL_FAILED: &str = "the embedding model failed; words only";

/// How long the embedding of a query may take before the answer goes by words alone, unless
/// [`Engine::with_query_deadline`] says otherwise.
pub const QUERY_DEADLINE: Duration = Duration::from_millis(250);

/// Texts handed to the model at a time: what is lost when the process is killed.
const BATCH_TEXTS: usize = 32;
/// The longest piece of a message, in bytes; models of the kind used read about 500 tokens.
const PIECE_BYTES_MAX: usize = 1_400;
/// The shortest piece worth a vector of its own, in bytes, where there is a choice.
const PIECE_BYTES_MIN: usize = 400;
/// Pieces of one message; what lies behind is found by its words.
const PIECES_MAX: usize = 200;

/// How the texts are laid out and from where their vectors are seen. Part of what tells vectors apart: with another layout they are made anew.
const LAYOUT: &[u8] = b"testimony layout/2";

/// How much one call of [`Engine::embed_some`] may do.
#[derive(Clone, Debug)]
pub struct EmbedBudget {
    /// Memories, at most. The last message may have more pieces than that.
    pub texts: usize,
    /// What bounds each call to the model, and stops the work between two.
    pub limits: Limits,
}

/// How far embedding has come.
#[derive(Clone, PartialEq, Eq, Debug, serde::Serialize)]
pub struct EmbedProgress {
    /// Memories that got their vectors in this call.
    pub done: u64,
    /// Memories that have none yet.
    pub missing: u64,
    /// Memories in all: versions of facts, and messages whose text is kept.
    pub total: u64,
    /// The model.
    pub model: String,
    /// What became of vectors kept before.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notices: Vec<String>,
}

/// How far an index has read the kept vectors.
#[derive(Debug, Default)]
pub(crate) struct Follower {
    mark: VectorMark,
    /// Vectors of rows the index has not seen yet.
    waiting: Vec<VectorRow>,
}

/// A text of a row, to be embedded.
struct Text {
    of: Position,
    pieces: Vec<String>,
}

impl Follower {
    pub fn mark(&self) -> VectorMark {
        self.mark
    }

    /// Puts vectors in their places. Those of rows after `seen` wait until the index has come that far.
    pub fn take(
        &mut self,
        rows: Vec<VectorRow>,
        mark: VectorMark,
        seen: Watermark,
        vectors: &mut Vectors,
        document_of: impl Fn(Position) -> Option<u32>,
    ) {
        self.mark = mark;
        let waiting = std::mem::take(&mut self.waiting);
        for row in waiting.into_iter().chain(rows) {
            match document_of(row.of) {
                Some(document) => vectors.insert(document, row.piece, &row.vector),
                None if row.of.seq > seen => self.waiting.push(row),
                None => {}
            }
        }
    }
}

impl Engine {
    /// The same engine, with a model that places texts.
    #[must_use]
    pub fn with_embedder(mut self, embedder: std::sync::Arc<dyn Embed>) -> Self {
        let made_by = embedder.identity();
        let mut hasher = blake3::Hasher::new();
        hasher.update(&made_by.mark);
        hasher.update(LAYOUT);
        self.model = Some(ModelIdentity { mark: *hasher.finalize().as_bytes(), ..made_by.clone() });
        self.embedder = Some(embedder);
        self
    }

    /// The same engine, whose queries are embedded within `within` or not at all.
    #[must_use]
    pub fn with_query_deadline(mut self, within: Duration) -> Self {
        self.query_deadline = within;
        self
    }

    /// Which vectors this engine makes and reads; `None` without a model. Its mark is that of the model together with the
    /// layout of the texts.
    #[must_use]
    pub fn model(&self) -> Option<&ModelIdentity> {
        self.model.as_ref()
    }

    /// The vector of a query; `None` without a model, or when it does not answer in time. Call it before a snapshot is taken.
    #[must_use]
    pub fn query_vector(&self, query: &str) -> Option<Vec<f32>> {
        self.place_query(query).ok()
    }

    /// The vector of a query, or what the answer has to say instead. Nothing is remembered of it: a query may hold words
    /// that are forgotten later.
    pub(crate) fn place_query(&self, query: &str) -> Result<Vec<f32>, &'static str> {
        let embedder = self.embedder.as_ref().ok_or(NO_MODEL)?;
        let placed = embedder.embed(Role::Query, &[query], &Limits::within(self.query_deadline));
        let vector = placed.map_err(|error| match error.kind() {
            InferenceErrorKind::Deadline => MODEL_LATE,
            _ => MODEL_FAILED,
        })?;
        let whole = |vector: &Vec<f32>| vector.len() == embedder.identity().dims as usize;
        let vector = vector.into_iter().next().filter(whole).ok_or(MODEL_FAILED)?;
        Ok(seen(embedder.identity(), Role::Query, vector))
    }

    /// What an answer has to say about vectors that are not there: `missing` of `total` memories have none.
    pub(crate) fn without_vectors(&self, missing: u64, total: u64) -> Option<String> {
        match (&self.embedder, missing) {
            (None, _) => Some(NO_MODEL.to_owned()),
            (Some(_), 0) => None,
            (Some(_), _) => Some(format!(
                "{missing} of {total} memories have no vector yet; they are found by their words"
            )),
        }
    }

    /// Embeds some of what has no vector yet: versions of facts first, then messages, each in the order of the log. Does
    /// nothing without a model.
    ///
    /// Several may do this at once, in one process or several; some work is then done twice, none is lost.
    ///
    /// # Errors
    /// [`EngineError::Model`] when the model fails, after what was embedded before is kept; the store's errors.
    pub fn embed_some(&self, call: Call<'_>, budget: &EmbedBudget) -> Result<EmbedProgress, EngineError> {
        let mut progress = self.embed_progress(call)?;
        let mut left = budget.texts;
        for kind in [Placed::Claim, Placed::Evidence] {
            while left > 0 && !budget.limits.cancel.is_cancelled() {
                // Fewer at a time would leave a model idle; more would be lost together.
                let (basis, texts) = self.texts_without_vector(call, kind, left.min(BATCH_TEXTS))?;
                if texts.is_empty() {
                    break;
                }
                left -= texts.len().min(left);
                let kept = self.embed_texts(call, budget, kind, &basis, &texts)?;
                progress.done += kept;
                if kept == 0 {
                    // Something was erased meanwhile: the next call reads what is left.
                    break;
                }
            }
        }
        let after = self.embed_progress(call)?;
        progress.notices.extend(after.notices);
        Ok(EmbedProgress { missing: after.missing, total: after.total, ..progress })
    }

    /// How much has a vector and how much has not.
    ///
    /// # Errors
    /// The store's.
    pub fn embed_progress(&self, call: Call<'_>) -> Result<EmbedProgress, EngineError> {
        let notices = self.store().vector_store().vector_notices();
        let Some(model) = &self.model else {
            let none = EmbedProgress { done: 0, missing: 0, total: 0, model: String::new(), notices };
            return Ok(none);
        };
        let held = self.held(call.scope);
        let snapshot = held.read(self.store(), call.scope, self.policies())?;
        let mut passages = held.passages();
        passages.catch_up(self.store(), call.scope, &snapshot, self.model())?;
        let missing = snapshot.vectors_missing() + passages.vectors_missing();
        let total = snapshot.documents.len() as u64 + passages.placeable();
        Ok(EmbedProgress { done: 0, missing, total, model: model.name.clone(), notices })
    }

    /// Some texts that have no vector, and the state of the log they were read from.
    fn texts_without_vector(
        &self,
        call: Call<'_>,
        kind: Placed,
        limit: usize,
    ) -> Result<(Head, Vec<Text>), EngineError> {
        let held = self.held(call.scope);
        let snapshot = held.read(self.store(), call.scope, self.policies())?;
        match kind {
            Placed::Claim => {
                let texts = snapshot.claims_without_vector().take(limit);
                let texts = texts
                    .map(|(id, claim)| Text { of: id.0, pieces: vec![version_text(claim, self.registry())] });
                Ok((snapshot.head(), texts.collect()))
            }
            Placed::Evidence => {
                let mut passages = held.passages();
                passages.catch_up(self.store(), call.scope, &snapshot, self.model())?;
                let ids: Vec<EvidenceId> = passages.without_vector().take(limit).collect();
                drop(passages);
                // The head is older than the texts: what is erased after it is refused when it comes to keeping.
                let basis = snapshot.head();
                drop(snapshot);
                let found = self.store().evidence(call.scope, &ids)?;
                let texts = ids.iter().zip(found).filter_map(|(id, evidence)| {
                    let pieces = message_pieces(&evidence?);
                    (!pieces.is_empty()).then_some(Text { of: id.0, pieces })
                });
                Ok((basis, texts.collect()))
            }
        }
    }

    /// Embeds texts and keeps their vectors; how many texts got theirs.
    fn embed_texts(
        &self,
        call: Call<'_>,
        budget: &EmbedBudget,
        kind: Placed,
        basis: &Head,
        texts: &[Text],
    ) -> Result<u64, EngineError> {
        let (Some(embedder), Some(model)) = (&self.embedder, &self.model) else { return Ok(0) };
        let mut kept = 0;
        let mut rows: Vec<VectorRow> = Vec::new();
        let mut waiting: u64 = 0;
        for text in texts {
            if budget.limits.cancel.is_cancelled() {
                break;
            }
            for (number, pieces) in text.pieces.chunks(BATCH_TEXTS).enumerate() {
                let pieces: Vec<&str> = pieces.iter().map(String::as_str).collect();
                let vectors = embedder.embed(Role::Passage, &pieces, &budget.limits)?;
                let first = number * BATCH_TEXTS;
                rows.extend((first as u32..).zip(vectors).map(|(piece, vector)| VectorRow {
                    of: text.of,
                    piece,
                    vector: Quantised::of(&seen(model, Role::Passage, vector)),
                }));
            }
            waiting += 1;
        }
        // All pieces of a text in one call, so that nobody finds half of them.
        if self.store().vector_store().keep_vectors(call.scope, basis, model, kind, &rows)? > 0 {
            kept += waiting;
        }
        Ok(kept)
    }

    /// What lies near these words by vectors alone, with the cosine of each: for measuring, and to see what is derived.
    ///
    /// # Errors
    /// [`EngineError::Input`] when there is no model that could place the words.
    pub fn nearest(
        &self,
        call: Call<'_>,
        grain: Grain,
        words: &str,
        limit: usize,
    ) -> Result<Vec<(String, f32)>, EngineError> {
        let query = self.place_query(words).map_err(|why| EngineError::Input(why.to_owned()))?;
        let held = self.held(call.scope);
        let snapshot = held.read(self.store(), call.scope, self.policies())?;
        let seal = |kind, position| {
            snapshot.keys.as_ref().map(|keys| crate::answer::id(keys, kind, position)).unwrap_or_default()
        };
        if grain == Grain::Evidence {
            let mut passages = held.passages();
            passages.catch_up(self.store(), call.scope, &snapshot, self.model())?;
            let near = passages.dense.search(&query, |_| true, limit);
            let told = near.iter().filter_map(|near| {
                let id = passages.id_of(near.document)?;
                Some((seal(ledger::id::Kind::Evidence, id.0), near.cosine))
            });
            return Ok(told.collect());
        }
        let near = snapshot.dense.search(&query, |_| true, limit);
        let told = near.iter().filter_map(|near| {
            let id = snapshot.documents.get(near.document as usize)?;
            Some((seal(ledger::id::Kind::Version, id.0), near.cosine))
        });
        Ok(told.collect())
    }
}

/// A vector as it is kept and compared: seen from the middle of its model, where that is known.
fn seen(model: &ModelIdentity, role: Role, vector: Vec<f32>) -> Vec<f32> {
    match Centre::of(model) {
        Some(centre) => centre.seen(role, vector),
        None => vector,
    }
}

impl From<InferenceError> for EngineError {
    fn from(error: InferenceError) -> Self {
        Self::Model(error)
    }
}

/// A version in one line: what it is about, what is said of it, the value, and the words that say so.
fn version_text(claim: &Claim, registry: &Registry) -> String {
    let words = &claim.words;
    let about = if words.entity.is_owner() { "I".to_owned() } else { words.entity.to_string() };
    let label = registry.get(&claim.predicate).map_or(claim.predicate.as_str(), |predicate| &predicate.label);
    let value = words.value.as_ref().map(|stated| stated.written.as_str()).unwrap_or_default();
    let quotes: Vec<&str> = words.quotes.iter().map(|quote| quote.text()).collect();
    format!("{about}, {label}: {value}. {}", quotes.join(" "))
}

/// The pieces of a message, each with the day and the speaker before it; none when the text is not kept.
fn message_pieces(evidence: &Evidence) -> Vec<String> {
    let Some(text) = evidence.words.text.as_deref() else { return Vec::new() };
    let day = evidence.event_time.to_string();
    let day = day.get(..10).unwrap_or_default();
    let author = evidence.author.to_string();
    let speaker = evidence.words.author_name.as_deref().unwrap_or(&author);
    cut(text).into_iter().take(PIECES_MAX).map(|piece| format!("({day}) {speaker}: {piece}")).collect()
}

/// Cuts a text into pieces a model can read, at the end of a paragraph, a line, a sentence or a word, whichever comes first
/// from behind.
fn cut(text: &str) -> Vec<&str> {
    let mut pieces = Vec::new();
    let mut rest = text.trim();
    while rest.len() > PIECE_BYTES_MAX {
        let most = &rest[..rest.floor_char_boundary(PIECE_BYTES_MAX)];
        let end = ["\n\n", "\n", ". ", " "]
            .iter()
            .find_map(|mark| most.rfind(mark).map(|at| at + mark.len()).filter(|at| *at >= PIECE_BYTES_MIN))
            .unwrap_or(most.len());
        let (piece, others) = rest.split_at(end);
        pieces.push(piece.trim());
        rest = others.trim_start();
    }
    pieces.push(rest);
    pieces.retain(|piece| !piece.is_empty());
    pieces
}

#[cfg(test)]
mod tests {
    use super::{PIECE_BYTES_MAX, cut};

    #[test]
    fn a_long_text_is_cut_between_sentences_and_nothing_is_lost() {
        let sentence = "The meeting about the bridge begins at nine. ";
        let text = sentence.repeat(200);
        let pieces = cut(&text);
        assert!(pieces.len() > 5);
        assert!(pieces.iter().all(|piece| piece.len() <= PIECE_BYTES_MAX && piece.ends_with("nine.")));
        assert_eq!(pieces.join(" "), text.trim());
    }

    #[test]
    fn a_text_without_spaces_and_with_wide_letters_is_cut_between_letters() {
        let text = "č".repeat(3 * PIECE_BYTES_MAX);
        let pieces = cut(&text);
        assert!(pieces.iter().all(|piece| piece.len() <= PIECE_BYTES_MAX));
        assert_eq!(pieces.concat(), text);
        assert_eq!(cut("  \n "), Vec::<&str>::new());
        assert_eq!(cut("short"), ["short"]);
    }
}
