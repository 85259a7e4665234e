//! The numbers of the fusion, all in one table, with what each was measured to add.
//!
//! They were chosen on one half of the BEAM conversations and reported on the other, many times over, and then held against RealMem;
//! [`crate::fusion`] tells what each signal adds. The optimum is flat: half or double
//! of any one of them costs about a point of recall, so none is given more than two digits.

use ledger::vectors::ModelIdentity;

/// What each signal counts for.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Weights {
    /// The words asked for: [`crate::lexical::Hit::score`].
    pub lexical: f32,
    /// How near the meaning is: [`Scale::nearness`] of the nearest piece.
    pub dense: f32,
    /// What the nearness of a text without a vector is taken to be, as a share of its lexical score. A text waiting to be
    /// embedded is neither pushed ahead of the others nor left behind.
    pub imputed: f32,
    /// Nearness that a text without any asked word needs to be found at all: what lies farther is like in style, not in
    /// substance, and must not turn a "nothing is known" into an answer.
    pub nearness_min: f32,
    /// What the other words of a session lend a message of it.
    pub neighbourhood: f32,
    /// What is left of the word of a model where the owner asks about what the owner said.
    pub answering: f32,
    /// What is left of a message that states no liking where advice is asked for.
    pub indifferent: f32,
    /// The share that fades with age where the query goes on with a conversation instead of asking something.
    pub fading: f32,
    /// After how many days a third of that share is left.
    pub fading_days: f32,
    /// What is left of something from outside the time the query speaks of.
    pub another_time: f32,
}

/// The weights among messages.
pub const WEIGHTS: Weights = Weights {
    lexical: 6.0,
    dense: 6.9,
    imputed: 0.55,
    nearness_min: 0.22,
    neighbourhood: 1.0,
    answering: 0.4,
    indifferent: 0.7,
    fading: 0.35,
    fading_days: 30.0,
    another_time: 0.8,
};

/// The weights among facts. What a fact says is short and said once, so it shares few words with a question: meaning counts for
/// twice as much, and less of it is enough to be found. `testimony study` measured them on its corpus, whose notes and questions are in
/// two languages; with those of messages it shows the right note to 63 instead of 73 of 100 questions in English, and across the
/// languages to 28 instead of 68.
pub const FACT_WEIGHTS: Weights = Weights { dense: 14.0, imputed: 1.0, nearness_min: 0.1, ..WEIGHTS };

/// How the cosines of an embedding model are read. Models differ: some place unrelated texts at 0, some at 0.8.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Scale {
    /// The cosine of two texts of the same language that have nothing to do with each other, or less.
    pub unrelated: f32,
    /// The same between a question and a fact: short texts of unlike length, often of two languages, lie farther apart.
    pub unrelated_facts: f32,
}

/// The models whose cosines were measured, by name.
const SCALES: &[(&str, Scale)] =
    &[("multilingual-e5-small", Scale { unrelated: 0.2, unrelated_facts: 0.05 })];

impl Scale {
    /// For a model nobody measured: where most models with centred vectors put unrelated texts.
    pub const UNMEASURED: Self = Self { unrelated: 0.2, unrelated_facts: 0.2 };

    /// The scale of a model.
    #[must_use]
    pub fn of(model: &ModelIdentity) -> Self {
        let known = SCALES.iter().find(|(name, _)| *name == model.name);
        known.map_or(Self::UNMEASURED, |(_, scale)| *scale)
    }

    /// The scale to read the cosines of facts by.
    #[must_use]
    pub fn of_facts(self) -> Self {
        Self { unrelated: self.unrelated_facts, ..self }
    }

    /// How near a cosine is, 0 to 1: 0 for unrelated, 1 for the same.
    #[must_use]
    pub fn nearness(self, cosine: f32) -> f32 {
        ((cosine - self.unrelated) / (1.0 - self.unrelated)).clamp(0.0, 1.0)
    }
}
