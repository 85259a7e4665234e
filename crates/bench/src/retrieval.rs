//! What an instrument of retrieval is made of: passages said one after another, questions asked in between, and systems
//! that search.
//!
//! A data set is read into [`Timeline`]s. Every system lives through each timeline from its beginning with an empty memory:
//! it takes in what is said and is asked when the question stands, so nobody is searched for what was not yet said.
//! [`run`] plays them, [`crate::score`] turns what came back into figures.

use std::collections::BTreeSet;
use std::time::Duration;

use anyhow::Result;
use engine::tokens::Tokens;
use ledger::evidence::Author;
use ledger::packet::TokenCounter as _;
use ledger::time::Instant;

use crate::measure::time;
use crate::stores::clock;

/// One message or paragraph, the smallest thing a search can return.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Passage {
    /// Its id, unique in its timeline.
    pub id: String,
    /// What it is part of: a session of a conversation, an article.
    pub session: String,
    /// Who spoke.
    pub author: Author,
    /// The speaker's name, where the data set gives one.
    pub speaker: Option<String>,
    /// When it was said; nobody knows, when left out.
    pub said: Option<Instant>,
    /// The exact text.
    pub text: String,
}

impl Passage {
    /// The passage in one piece, as a packet would show it: `(date) speaker: text`.
    #[must_use]
    pub fn line(&self) -> String {
        self.line_of(&self.text)
    }

    /// The same with a part of its text.
    #[must_use]
    pub fn line_of(&self, text: &str) -> String {
        let speaker = self.speaker.clone().unwrap_or_else(|| self.author.to_string());
        match self.said {
            Some(said) => format!("({}) {speaker}: {text}", said.timestamp().strftime("%Y-%m-%d")),
            None => format!("{speaker}: {text}"),
        }
    }
}

/// A question with the passages that answer it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Question {
    /// Its id, unique in the data set.
    pub id: String,
    /// What kind of question it is, in the data set's words.
    pub kind: String,
    /// The words.
    pub text: String,
    /// When it is asked; after everything said so far, when left out.
    pub asked_at: Option<Instant>,
    /// The moment in the world it asks about, for a search that is told.
    pub valid_at: Option<Instant>,
    /// Ids of the passages that carry the evidence; empty where they are not labelled, or where there is no answer.
    pub evidence: BTreeSet<String>,
    /// The sessions that carry the evidence.
    pub sessions: BTreeSet<String>,
    /// Whether nothing that was said answers it, so that silence is the right answer.
    pub unanswerable: bool,
    /// Its half: what is tuned on one half is reported on the other.
    pub half: Half,
}

/// What happens next in a timeline.
#[derive(Clone, Debug)]
pub enum Step {
    /// These are said, one session at most.
    Say(Vec<Passage>),
    /// This is asked.
    Ask(Question),
}

/// One memory's life: a conversation, or a shelf of documents.
#[derive(Clone, Debug)]
pub struct Timeline {
    /// Its name, unique in the data set.
    pub name: String,
    /// What its passages are.
    pub sort: Sort,
    /// What happens, in order.
    pub steps: Vec<Step>,
}

impl Timeline {
    /// Everything that is said in it, in order.
    pub fn passages(&self) -> impl Iterator<Item = &Passage> {
        self.steps.iter().flat_map(|step| match step {
            Step::Say(passages) => passages.as_slice(),
            Step::Ask(_) => &[],
        })
    }

    /// Everything that is asked in it, in order.
    pub fn questions(&self) -> impl Iterator<Item = &Question> {
        self.steps.iter().filter_map(|step| match step {
            Step::Ask(question) => Some(question),
            Step::Say(_) => None,
        })
    }
}

/// What passages are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Sort {
    /// Messages of one conversation.
    Conversation,
    /// Parts of documents; each session is a document.
    Documents,
}

impl Sort {
    /// The clock before anything is said: a conversation brings its own, documents without a date are observed today.
    #[must_use]
    pub fn begins(self) -> Instant {
        match self {
            Self::Conversation => Instant::default(),
            Self::Documents => clock(),
        }
    }
}

/// One half of a data set.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, clap::ValueEnum)]
pub enum Half {
    /// The first, third, fifth… timeline; of a single timeline, the questions asked earlier.
    #[default]
    A,
    /// The second, fourth, sixth…; of a single timeline, the questions asked later.
    B,
}

impl Half {
    /// The half of the timeline at `place`.
    #[must_use]
    pub const fn of(place: usize) -> Self {
        if place.is_multiple_of(2) { Self::A } else { Self::B }
    }

    /// The letter.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::A => "a",
            Self::B => "b",
        }
    }
}

/// What a system is asked.
#[derive(Clone, Copy, Debug)]
pub struct Ask<'question> {
    /// The words.
    pub text: &'question str,
    /// When.
    pub now: Instant,
    /// The moment in the world it asks about, when the system shall be told.
    pub valid_at: Option<Instant>,
    /// Passages, at most.
    pub limit: usize,
}

/// One passage a system returned.
#[derive(Clone, PartialEq, Debug)]
pub struct Hit {
    /// Its place among all passages of the timeline, from 0 in the order they were said.
    pub place: usize,
    /// How well it matches; only comparable within one system.
    pub score: f64,
    /// The line the system itself would show; its whole line, when left out.
    pub told: Option<String>,
}

/// A system that can be asked.
///
/// Laws, tested for every one: at most `limit` hits, no passage twice, only passages that were observed, scores never
/// rising, and the same answer to the same question.
pub trait Searcher {
    /// Its name in reports.
    fn name(&self) -> &str;

    /// Forgets everything; what comes next is another timeline.
    ///
    /// # Errors
    /// As the system under test.
    fn begin(&mut self, timeline: &str, sort: Sort) -> Result<()>;

    /// Takes in what is said next.
    ///
    /// # Errors
    /// As the system under test.
    fn observe(&mut self, passages: &[Passage]) -> Result<()>;

    /// Answers, best first.
    ///
    /// # Errors
    /// As the system under test.
    fn search(&self, ask: Ask<'_>) -> Result<Vec<Hit>>;
}

/// The places looked at to find where the first evidence stands.
pub const DEPTH: usize = 100;

/// The places a reader is shown.
pub const SHOWN: usize = 10;

/// What one system answered to one question.
#[derive(Clone, Debug)]
pub struct Answered {
    /// The timeline.
    pub timeline: String,
    /// The question.
    pub question: Question,
    /// The first [`DEPTH`] passages, best first, by id.
    pub passages: Vec<String>,
    /// Their sessions, each where its best passage stands.
    pub sessions: Vec<String>,
    /// The score of the first; 0 when there is none.
    pub best: f64,
    /// How long a search for [`SHOWN`] passages took, the embedding of the question included where the system does it.
    pub took: Duration,
    /// Tokens of the first [`SHOWN`] as the system tells them.
    pub tokens_told: u32,
    /// Tokens of the first [`SHOWN`] in full.
    pub tokens_whole: u32,
    /// Whether a search for [`SHOWN`] begins as a search for [`DEPTH`] does.
    pub stable: bool,
}

/// What one system did.
#[derive(Clone, Debug)]
pub struct Run {
    /// The system.
    pub system: String,
    /// Its answers, in the order of the questions.
    pub answers: Vec<Answered>,
    /// How long taking in all passages took.
    pub observing: Duration,
    /// How many passages that were.
    pub passages: usize,
}

/// Lets a system live through the timelines.
///
/// # Errors
/// As the system.
pub fn run(searcher: &mut dyn Searcher, timelines: &[Timeline]) -> Result<Run> {
    let mut run = Run {
        system: searcher.name().to_owned(),
        answers: Vec::new(),
        observing: Duration::ZERO,
        passages: 0,
    };
    for timeline in timelines {
        play(searcher, timeline, &mut |said, question, hits| {
            run.answers.push(answered(timeline, said, question, hits));
        })
        .map(|(passages, observing)| {
            run.passages += passages;
            run.observing += observing;
        })?;
    }
    Ok(run)
}

/// What a search came back with.
pub struct Hits {
    /// The first [`DEPTH`].
    pub deep: Vec<Hit>,
    /// What a search for [`SHOWN`] gives.
    pub shown: Vec<Hit>,
    /// How long the latter took.
    pub took: Duration,
}

/// Plays one timeline and hands over each question with what was said before it and what was found; answers how many
/// passages were taken in and how long that took.
///
/// # Errors
/// As the system.
pub fn play(
    searcher: &mut dyn Searcher,
    timeline: &Timeline,
    take: &mut dyn FnMut(&[&Passage], &Question, Hits),
) -> Result<(usize, Duration)> {
    searcher.begin(&timeline.name, timeline.sort)?;
    let mut said: Vec<&Passage> = Vec::new();
    let mut observing = Duration::ZERO;
    let mut latest = timeline.sort.begins();
    for step in &timeline.steps {
        match step {
            Step::Say(passages) => {
                let (observed, took) = time(|| searcher.observe(passages));
                observed?;
                observing += took;
                latest = passages.iter().filter_map(|passage| passage.said).fold(latest, Instant::max);
                said.extend(passages);
            }
            Step::Ask(question) => {
                let ask = Ask {
                    text: &question.text,
                    now: question.asked_at.unwrap_or(latest).max(latest),
                    valid_at: question.valid_at,
                    limit: SHOWN,
                };
                let (shown, took) = time(|| searcher.search(ask));
                let deep = searcher.search(Ask { limit: DEPTH, ..ask })?;
                take(&said, question, Hits { deep, shown: shown?, took });
            }
        }
    }
    Ok((said.len(), observing))
}

fn answered(timeline: &Timeline, said: &[&Passage], question: &Question, hits: Hits) -> Answered {
    let mut sessions: Vec<String> = Vec::new();
    for hit in &hits.deep {
        let session = &said[hit.place].session;
        if !sessions.contains(session) {
            sessions.push(session.clone());
        }
    }
    let tokens = |line: &dyn Fn(&Hit) -> String| hits.shown.iter().map(|hit| Tokens.count(&line(hit))).sum();
    let whole = |hit: &Hit| said[hit.place].line();
    Answered {
        timeline: timeline.name.clone(),
        question: question.clone(),
        passages: hits.deep.iter().map(|hit| said[hit.place].id.clone()).collect(),
        sessions,
        best: hits.deep.first().map_or(0.0, |hit| hit.score),
        took: hits.took,
        tokens_told: tokens(&|hit| hit.told.clone().unwrap_or_else(|| whole(hit))),
        tokens_whole: tokens(&whole),
        stable: hits.shown.iter().map(|hit| hit.place).eq(hits.deep.iter().take(SHOWN).map(|hit| hit.place)),
    }
}
