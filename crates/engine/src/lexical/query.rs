//! A question, analysed once: groups of terms that stand for the same asked word, and the order of its words.

use super::analyse::{Analysis, Language, Purpose, Role, analyse};
use super::index::How;
use super::stop_words;

/// The most words of a question that are looked at; later ones are ignored.
pub const QUERY_WORDS_MAX: usize = 1_024;

/// The most bytes of a question that are read.
pub const QUERY_BYTES_MAX: usize = 64 << 10;

/// What the other language's stem counts where the language of the question is clear.
const OTHER_STEM: f32 = 0.75;
/// What a part of a compound counts beside the compound itself.
const PART: f32 = 0.8;
/// The same for a bare number (`30` of `9:30`).
const NUMBER_PART: f32 = 0.3;
/// What a pair of characters that is mostly grammar counts.
const FAINT: f32 = 0.3;
/// What a word that frames the question counts (`tell`, `many`).
const FRAME: f32 = 0.4;

/// A question ready to be searched for. It does not depend on any index and may be used with many.
#[derive(Clone, Debug)]
pub struct Query {
    pub(super) groups: Vec<Group>,
    /// The words in order: which group each belongs to, or the stop word it is.
    pub(super) words: Vec<AskedWord>,
    language: Language,
}

impl Query {
    /// Analyses `text`. Any text is a question; one without content words finds nothing. A question longer
    /// than [`QUERY_BYTES_MAX`] or [`QUERY_WORDS_MAX`] is cut there.
    pub fn new(text: &str) -> Self {
        let mut analysis = Analysis::default();
        analyse(&text[..text.floor_char_boundary(QUERY_BYTES_MAX)], Purpose::Query, &mut analysis);
        let language = analysis.language();
        let mut query = Self { groups: Vec::new(), words: Vec::new(), language };
        let wholes: Vec<(u32, &str)> = analysis
            .terms()
            .filter(|term| term.role == Role::Whole)
            .map(|term| (term.compound, term.text))
            .collect();
        let mut lone_wholes: Vec<bool> = vec![true; wholes.len()];
        let whole_of = |compound: u32| wholes.binary_search_by_key(&compound, |&(number, _)| number).ok();
        for term in analysis.terms() {
            match term.role {
                Role::Stem if query.words.len() >= QUERY_WORDS_MAX => break,
                Role::Stem if term.stop => query.words.push(AskedWord::Stop(term.text.into())),
                Role::Stem => {
                    let whole = if term.compound > 0 { whole_of(term.compound) } else { None };
                    let weight = match whole {
                        Some(_) if term.faint => NUMBER_PART,
                        Some(_) => PART,
                        None => 1.0,
                    };
                    let mut group = Group {
                        surface: term.surface.into(),
                        weight: match () {
                            () if term.faint && whole.is_none() => FAINT,
                            () if stop_words::frames(term.surface) => FRAME,
                            () => 1.0,
                        },
                        accented: term.accented,
                        alternatives: vec![Alternative { text: term.text.into(), weight, how: How::Word }],
                    };
                    if let Some(place) = whole {
                        lone_wholes[place] = false;
                        group.offer(wholes[place].1, 1.0, How::Compound);
                    }
                    query.words.push(AskedWord::Group(query.groups.len()));
                    query.groups.push(group);
                }
                Role::OtherStem => {
                    let factor = if language == Language::Unclear { 1.0 } else { OTHER_STEM };
                    if let Some(group) = query.groups.last_mut() {
                        let weight = group.alternatives[0].weight * factor;
                        group.offer(term.text, weight, How::OtherStem);
                    }
                }
                Role::Whole | Role::Piece | Role::Unit => {}
            }
        }
        // `to_do`: every part is grammar, so the compound stands for itself.
        for (&(_, text), lone) in wholes.iter().zip(lone_wholes) {
            if lone && query.groups.len() < QUERY_WORDS_MAX {
                query.groups.push(Group {
                    surface: text.into(),
                    weight: 1.0,
                    accented: false,
                    alternatives: vec![Alternative { text: text.into(), weight: 1.0, how: How::Compound }],
                });
            }
        }
        query.join_repeated();
        query
    }

    /// The content words asked for, folded, in the order the question first has them.
    /// [`super::index::MatchedTerm::asked`] counts along this list.
    pub fn asked(&self) -> impl ExactSizeIterator<Item = &str> {
        self.groups.iter().map(|group| &*group.surface)
    }

    /// The language guessed for the question.
    pub fn language(&self) -> Language {
        self.language
    }

    /// A word asked twice is one group, so that repeating it does not weigh more.
    fn join_repeated(&mut self) {
        let mut first: hashbrown::HashMap<Box<str>, usize, foldhash::quality::FixedState> =
            hashbrown::HashMap::with_hasher(foldhash::quality::FixedState::with_seed(2));
        let mut kept: Vec<Group> = Vec::with_capacity(self.groups.len());
        let mut renumbered = Vec::with_capacity(self.groups.len());
        for group in self.groups.drain(..) {
            let place = *first.entry(group.alternatives[0].text.clone()).or_insert(kept.len());
            if let Some(earlier) = kept.get_mut(place) {
                for other in &group.alternatives {
                    earlier.offer(&other.text, other.weight, other.how);
                }
                earlier.weight = earlier.weight.max(group.weight);
                earlier.accented |= group.accented;
            } else {
                kept.push(group);
            }
            renumbered.push(place);
        }
        self.groups = kept;
        for word in &mut self.words {
            if let AskedWord::Group(group) = word {
                *group = renumbered[*group];
            }
        }
    }
}

/// The terms any of which answers one asked word.
#[derive(Clone, Debug)]
pub(super) struct Group {
    pub(super) surface: Box<str>,
    /// Share of the word in the whole question, before rarity.
    pub(super) weight: f32,
    pub(super) accented: bool,
    /// Never empty.
    pub(super) alternatives: Vec<Alternative>,
}

impl Group {
    fn offer(&mut self, text: &str, weight: f32, how: How) {
        match self.alternatives.iter_mut().find(|known| &*known.text == text) {
            Some(known) => known.weight = known.weight.max(weight),
            None => self.alternatives.push(Alternative { text: text.into(), weight, how }),
        }
    }
}

#[derive(Clone, Debug)]
pub(super) struct Alternative {
    pub(super) text: Box<str>,
    pub(super) weight: f32,
    pub(super) how: How,
}

#[derive(Clone, Debug)]
pub(super) enum AskedWord {
    Group(usize),
    Stop(Box<str>),
}
