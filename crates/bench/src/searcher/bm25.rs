//! BM25 as the textbooks have it, the bar every memory has to clear.

use std::collections::HashMap;

use anyhow::Result;

use crate::retrieval::{Ask, Hit, Passage, Searcher, Sort};

use super::best;

/// Robertson and others' ranking function with the usual constants (k1 = 1.2, b = 0.75): lower-cased runs of letters and
/// digits, no stemming, no stop words, nothing tuned. Every word of the question counts as often as it is asked.
#[derive(Default)]
pub struct PlainBm25 {
    over_sessions: bool,
    /// Where each word stands: document and how often.
    postings: HashMap<String, Vec<(u32, u32)>>,
    /// How many words each document has.
    lengths: Vec<u32>,
    total_length: u64,
    /// The first passage of each document.
    first: Vec<usize>,
    passages: usize,
}

impl PlainBm25 {
    const K1: f64 = 1.2;
    const B: f64 = 0.75;

    /// Every passage is a document.
    #[must_use]
    pub fn over_passages() -> Self {
        Self::default()
    }

    /// Every session is a document, found by its first passage.
    #[must_use]
    pub fn over_sessions() -> Self {
        Self { over_sessions: true, ..Self::default() }
    }

    fn add(&mut self, first: usize, text: &str) {
        let document = self.lengths.len() as u32;
        let mut counts: HashMap<String, u32> = HashMap::new();
        let mut length = 0;
        for word in words(text) {
            *counts.entry(word).or_default() += 1;
            length += 1;
        }
        for (word, count) in counts {
            self.postings.entry(word).or_default().push((document, count));
        }
        self.lengths.push(length);
        self.total_length += u64::from(length);
        self.first.push(first);
    }

    /// The score of every document that has a word of the question.
    pub(super) fn scored(&self, question: &str) -> Vec<(usize, f64)> {
        let documents = self.lengths.len() as f64;
        let average = self.total_length as f64 / documents.max(1.0);
        let mut scores: HashMap<u32, f64> = HashMap::new();
        for word in words(question) {
            let Some(postings) = self.postings.get(&word) else { continue };
            let having = postings.len() as f64;
            let rarity = (1.0 + (documents - having + 0.5) / (having + 0.5)).ln();
            for (document, count) in postings {
                let count = f64::from(*count);
                let length = f64::from(self.lengths[*document as usize]) / average;
                let weight =
                    count * (Self::K1 + 1.0) / (count + Self::K1 * (1.0 - Self::B + Self::B * length));
                *scores.entry(*document).or_default() += rarity * weight;
            }
        }
        scores.into_iter().map(|(document, score)| (self.first[document as usize], score)).collect()
    }
}

/// The words of a text: runs of letters and digits, lower-cased.
pub fn words(text: &str) -> impl Iterator<Item = String> {
    text.split(|char: char| !char.is_alphanumeric()).filter(|word| !word.is_empty()).map(str::to_lowercase)
}

impl Searcher for PlainBm25 {
    fn name(&self) -> &str {
        if self.over_sessions { "bm25 over sessions" } else { "bm25" }
    }

    fn begin(&mut self, _timeline: &str, _sort: Sort) -> Result<()> {
        *self = Self { over_sessions: self.over_sessions, ..Self::default() };
        Ok(())
    }

    fn observe(&mut self, passages: &[Passage]) -> Result<()> {
        match self.over_sessions {
            true => {
                for session in passages.chunk_by(|one, other| one.session == other.session) {
                    let texts: Vec<&str> = session.iter().map(|passage| passage.text.as_str()).collect();
                    self.add(self.passages, &texts.join("\n"));
                    self.passages += session.len();
                }
            }
            false => {
                for passage in passages {
                    self.add(self.passages, &passage.text);
                    self.passages += 1;
                }
            }
        }
        Ok(())
    }

    fn search(&self, ask: Ask<'_>) -> Result<Vec<Hit>> {
        Ok(best(self.scored(ask.text), ask.limit))
    }
}

#[cfg(test)]
mod tests {
    use ledger::evidence::Author;

    use super::*;

    fn passage(session: &str, text: &str) -> Passage {
        Passage {
            id: text.to_owned(),
            session: session.to_owned(),
            author: Author::Owner,
            speaker: None,
            said: None,
            text: text.to_owned(),
        }
    }

    fn ask(text: &str) -> Ask<'_> {
        Ask { text, now: ledger::time::Instant::default(), valid_at: None, limit: 10 }
    }

    #[test]
    fn a_score_is_the_one_worked_out_by_hand() {
        let mut searcher = PlainBm25::over_passages();
        searcher.observe(&[passage("1", "tea tea milk"), passage("1", "coffee")]).expect("taken in");
        let hits = searcher.search(ask("Tea?")).expect("searched");
        assert_eq!(hits.len(), 1);
        // Two documents of 3 and 1 words, one has `tea`, twice: idf = ln(1 + 1.5/1.5) = ln 2; length 3 over 2.
        let expected = 2_f64.ln() * (2.0 * 2.2) / (2.0 + 1.2 * (0.25 + 0.75 * 1.5));
        assert!((hits[0].score - expected).abs() < 1e-12, "{} {expected}", hits[0].score);
    }

    #[test]
    fn what_shares_no_word_is_not_found() {
        let mut searcher = PlainBm25::over_passages();
        searcher.observe(&[passage("1", "green tea")]).expect("taken in");
        assert!(searcher.search(ask("coffee")).expect("searched").is_empty());
    }

    #[test]
    fn a_session_is_found_by_its_first_passage() {
        let mut searcher = PlainBm25::over_sessions();
        searcher
            .observe(&[passage("1", "hello"), passage("2", "good day"), passage("2", "I grow roses")])
            .expect("taken in");
        let hits = searcher.search(ask("roses")).expect("searched");
        assert_eq!(hits.iter().map(|hit| hit.place).collect::<Vec<_>>(), [1]);
    }
}
