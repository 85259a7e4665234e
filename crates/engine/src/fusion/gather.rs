//! Gathering: the candidates of a question, the best by its words and the nearest by its meaning, each with both signals.

use rustc_hash::FxHashSet;

use super::Scale;
use crate::ask::Question;
use crate::dense::Vectors;
use crate::lexical::{LexicalIndex, Ranked};

/// How many candidates each of the two lists brings, at least. The evidence of 95 of 100 BEAM questions is among them.
pub const CANDIDATES_MIN: usize = 200;

/// Where a question is looked for by meaning.
#[derive(Clone, Copy)]
pub struct Dense<'read> {
    /// The vectors of the documents.
    pub vectors: &'read Vectors,
    /// How the model's cosines are read.
    pub scale: Scale,
}

/// A document that may answer.
#[derive(Clone, Copy, Debug)]
pub struct Candidate {
    /// The document.
    pub id: u32,
    /// How it matched by words; `None` when it holds none of them.
    pub ranked: Option<Ranked>,
    /// How near it is; `None` when it has no vector or nearness is not measured.
    pub nearness: Option<f32>,
}

impl Candidate {
    /// The lexical score, 0 when no asked word was found.
    #[must_use]
    pub fn lexical(&self) -> f32 {
        self.ranked.map_or(0.0, |ranked| ranked.score)
    }
}

/// The candidates among the `visible` documents, in the order of their ids. Both signals of each are exact, whichever list brought it.
pub fn gather(
    words: &LexicalIndex,
    dense: Option<Dense<'_>>,
    question: &Question,
    visible: impl Fn(u32) -> bool,
    wanted: usize,
) -> Vec<Candidate> {
    let wanted = wanted.max(CANDIDATES_MIN);
    let near = match (dense, &question.vector) {
        (Some(Dense { vectors, .. }), Some(vector)) => vectors.search(vector, &visible, wanted),
        _ => Vec::new(),
    };
    let also: Vec<u32> = near.iter().map(|near| near.document).collect();
    let ranked = words.rank(&question.words, &visible, wanted, &also);
    let scale = dense.map_or(Scale::UNMEASURED, |dense| dense.scale);
    let mut candidates: Vec<Candidate> = ranked
        .into_iter()
        .map(|ranked| Candidate { id: ranked.id, ranked: Some(ranked), nearness: None })
        .collect();
    if let (Some(Dense { vectors, .. }), Some(vector)) = (dense, &question.vector) {
        let ids: Vec<u32> = candidates.iter().map(|candidate| candidate.id).collect();
        for (candidate, cosine) in candidates.iter_mut().zip(vectors.cosines_of(&ids, vector)) {
            candidate.nearness = cosine.map(|cosine| scale.nearness(cosine));
        }
        let known: FxHashSet<u32> = ids.into_iter().collect();
        candidates.extend(near.iter().filter(|near| !known.contains(&near.document)).map(|near| Candidate {
            id: near.document,
            ranked: None,
            nearness: Some(scale.nearness(near.cosine)),
        }));
    }
    candidates.sort_unstable_by_key(|candidate| candidate.id);
    candidates
}
