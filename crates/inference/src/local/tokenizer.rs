//! Cutting a text into pieces of a fixed vocabulary, the likeliest way: a Unigram tokenizer as SentencePiece defines it.
//!
//! The vocabulary is a finite state transducer over the pieces, so that a quarter of a million of them fit into a few megabytes
//! and are searched where they lie. Words are cut one by one: no piece reaches across a space.
//!
//! Unlike the reference, marks of control such as `</s>` are never read out of a text: there they are characters like others.

use fst::raw::{Builder, Fst};

use super::normalise::Rules;
use super::section::Section;

/// How much less likely than the least likely piece an unknown character is.
const UNKNOWN_PENALTY: f64 = 10.0;

/// What a word begins with, inside the vocabulary. Spaces cannot occur in a word, so they are free to stand for it.
const WORD_BEGIN: char = ' ';

/// What the original vocabulary writes for [`WORD_BEGIN`].
pub(super) const WORD_MARK: char = '\u{2581}';

/// The numbers of the pieces that are no text.
#[derive(Clone, Copy, PartialEq, Eq, Debug, serde::Serialize, serde::Deserialize)]
pub(super) struct ControlPieces {
    /// Before every text.
    pub begin: u32,
    /// After every text.
    pub end: u32,
    /// For what the vocabulary does not have.
    pub unknown: u32,
}

/// Cuts texts into pieces.
pub(super) struct Tokenizer {
    pieces: Fst<Section>,
    scores: Vec<f32>,
    unknown_score: f64,
    rules: Rules,
    pub control: ControlPieces,
}

/// The best way to a place inside a word.
#[derive(Clone, Copy)]
struct Step {
    score: f64,
    begin: u32,
    piece: u32,
}

const NO_WAY: u32 = u32::MAX;

impl Tokenizer {
    /// From the parts of a pack; `None` when they do not fit together.
    pub fn new(pieces: Section, scores: Vec<f32>, rules: Rules, control: ControlPieces) -> Option<Self> {
        let pieces = Fst::new(pieces).ok()?;
        let least = scores.iter().copied().min_by(f32::total_cmp)?;
        let known =
            [control.begin, control.end, control.unknown].iter().all(|id| (*id as usize) < scores.len());
        (known && pieces.len() <= scores.len() && scores.iter().all(|score| score.is_finite())).then(|| {
            Self { pieces, scores, unknown_score: f64::from(least) - UNKNOWN_PENALTY, rules, control }
        })
    }

    /// The transducer over `pieces`, `(text, number)`, in any order.
    pub fn pack_pieces(pieces: impl IntoIterator<Item = (String, u32)>) -> Result<Vec<u8>, fst::Error> {
        let mut keys: Vec<(String, u32)> = pieces
            .into_iter()
            .map(|(text, number)| (text.replace(WORD_MARK, WORD_BEGIN.encode_utf8(&mut [0; 4])), number))
            .collect();
        keys.sort();
        let mut builder = Builder::memory();
        for (text, number) in keys {
            builder.insert(text, u64::from(number))?;
        }
        builder.into_inner()
    }

    /// The numbers of the pieces of `text`, without marks of control, `limit` at most.
    pub fn cut(&self, text: &str, limit: usize) -> Vec<u32> {
        let plain = self.rules.apply(text);
        let mut found = Vec::with_capacity(plain.len() / 4 + 2);
        let mut word = String::new();
        let mut steps = Vec::new();
        for part in plain.split(char::is_whitespace).filter(|part| !part.is_empty()) {
            // The mark of the vocabulary, written by a person, begins a word too.
            for (place, piece) in part.split(WORD_MARK).enumerate() {
                if place == 0 && piece.is_empty() {
                    continue;
                }
                word.clear();
                word.push(WORD_BEGIN);
                word.push_str(piece);
                self.cut_word(&word, &mut steps, &mut found);
                if found.len() >= limit {
                    found.truncate(limit);
                    return found;
                }
            }
        }
        found
    }

    /// Viterbi's way through one word; adds the pieces to `found`.
    fn cut_word(&self, word: &str, steps: &mut Vec<Step>, found: &mut Vec<u32>) {
        let bytes = word.as_bytes();
        steps.clear();
        steps.resize(bytes.len() + 1, Step { score: 0.0, begin: NO_WAY, piece: 0 });
        for (begin, character) in word.char_indices() {
            let so_far = steps[begin].score;
            let single = begin + character.len_utf8();
            let mut single_is_known = false;
            let mut offer = |end: usize, score: f64, piece: u32| {
                let step = &mut steps[end];
                if step.begin == NO_WAY || so_far + score > step.score {
                    *step = Step { score: so_far + score, begin: begin as u32, piece };
                }
            };
            let mut node = self.pieces.root();
            let mut number = 0_u64;
            for (end, byte) in bytes.iter().enumerate().skip(begin) {
                let Some(next) = node.find_input(*byte) else { break };
                let transition = node.transition(next);
                number += transition.out.value();
                node = self.pieces.node(transition.addr);
                if node.is_final() {
                    let piece = (number + node.final_output().value()) as u32;
                    single_is_known |= end + 1 == single;
                    offer(
                        end + 1,
                        self.scores.get(piece as usize).copied().map_or(self.unknown_score, f64::from),
                        piece,
                    );
                }
            }
            if !single_is_known {
                offer(single, self.unknown_score, self.control.unknown);
            }
        }
        let first = found.len();
        let mut end = bytes.len();
        while end > 0 {
            let step = steps[end];
            // Unknown characters beside each other are one piece.
            let repeats = step.piece == self.control.unknown
                && found.len() > first
                && found.last() == Some(&self.control.unknown);
            if !repeats {
                found.push(step.piece);
            }
            end = step.begin as usize;
        }
        found[first..].reverse();
    }
}

impl std::fmt::Debug for Tokenizer {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Tokenizer").field("pieces", &self.pieces.len()).finish_non_exhaustive()
    }
}
