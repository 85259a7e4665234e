//! TimeQA: whether the words of a question about a year find the sentence that answers it for that year.
//!
//! All articles stand in one memory, as documents of the world, once by paragraph and once by sentence. Nothing is
//! extracted and no answer is written, so this measures finding only: whether the sentence is among the first ten, and,
//! where an article answers the same relation for several times, whether the sentence of the time asked about stands
//! before those of other times. Each question is asked as it is and with its years and months taken out; the difference
//! is what the time words bring. Articles carry no date of their own, so `valid_at` cannot help: see the notes.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use anyhow::{Context as _, Result};
use ledger::evidence::Author;
use ledger::time::Instant;
use serde::Deserialize;

use crate::compare::{Level, Setting, USUAL, View, add, compare, explain};
use crate::data::folder;
use crate::machine::Limits;
use crate::report::{Figure, Report, Table};
use crate::retrieval::{Ask, Half, Passage, Question, Run, SHOWN, Searcher as _, Sort, Step, Timeline};
use crate::score::bootstrap;
use crate::searcher::Testimony;

#[derive(Deserialize)]
struct Record {
    index: String,
    link: String,
    paras: Vec<String>,
    questions: Vec<(String, Vec<Answer>)>,
}

#[derive(Deserialize)]
struct Answer {
    para: usize,
    #[serde(default)]
    from: usize,
    answer: String,
}

/// How articles are cut into passages.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Cut {
    /// A passage a paragraph.
    Paragraphs,
    /// A passage a sentence.
    Sentences,
}

/// The shelf of articles with its questions.
///
/// # Errors
/// When the file is missing or not as described in `SOURCE.md`.
pub fn timeline(cut: Cut) -> Result<Timeline> {
    let path = folder().join("timeqa/human_annotated_test.part.json");
    let text = fs::read_to_string(&path).with_context(|| format!("`{}`", path.display()))?;
    let records: Vec<Record> =
        serde_json::from_str(&text).with_context(|| format!("`{}`", path.display()))?;
    let mut shelf: BTreeMap<&str, &[String]> = BTreeMap::new();
    let mut steps = Vec::new();
    for record in &records {
        // An article can stand in several records, one a relation.
        if shelf.insert(&record.link, &record.paras).is_some_and(|known| known == record.paras.as_slice()) {
            continue;
        }
        let mut passages = Vec::new();
        for (para, text) in record.paras.iter().enumerate() {
            for (number, (_, text)) in pieces(text, cut).into_iter().enumerate() {
                passages.push(Passage {
                    id: id(&record.link, para, number),
                    session: record.link.clone(),
                    author: Author::External,
                    speaker: None,
                    said: None,
                    text: text.to_owned(),
                });
            }
        }
        steps.push(Step::Say(passages));
    }
    for (number, record) in records.iter().enumerate() {
        for (place, (question, answers)) in record.questions.iter().enumerate() {
            let mut evidence = BTreeSet::new();
            for answer in answers.iter().filter(|answer| !answer.answer.is_empty()) {
                let paragraph = record.paras.get(answer.para);
                let paragraph =
                    paragraph.with_context(|| format!("{}: paragraph {}", record.index, answer.para))?;
                let pieces = pieces(paragraph, cut);
                let piece = pieces.iter().rposition(|(begin, _)| *begin <= answer.from).unwrap_or(0);
                evidence.insert(id(&record.link, answer.para, piece));
            }
            let unanswerable = evidence.is_empty();
            steps.push(Step::Ask(Question {
                id: format!("{} {place}", record.index),
                kind: record.index.clone(),
                text: question.clone(),
                valid_at: first_year(question).and_then(|year| first_of(year + 1)),
                sessions: if unanswerable { BTreeSet::new() } else { BTreeSet::from([record.link.clone()]) },
                evidence,
                unanswerable,
                half: Half::of(number),
                ..Question::default()
            }));
        }
    }
    Ok(Timeline { name: "timeqa".to_owned(), sort: Sort::Documents, steps })
}

fn id(article: &str, paragraph: usize, piece: usize) -> String {
    format!("{article}#{paragraph}.{piece}")
}

/// The pieces of a paragraph that hold words, each with the character it begins at. The text is tokenised: sentences end
/// with a full stop between spaces.
fn pieces(text: &str, cut: Cut) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    let mut begin = 0;
    let rest = match cut {
        Cut::Paragraphs => vec![text],
        Cut::Sentences => text.split_inclusive(" . ").collect(),
    };
    for piece in rest {
        if piece.chars().any(char::is_alphanumeric) {
            found.push((begin, piece));
        }
        begin += piece.chars().count();
    }
    found
}

/// The first year a question names.
fn first_year(question: &str) -> Option<i16> {
    let numbers = question.split(|char: char| !char.is_ascii_digit());
    numbers
        .filter(|digits| digits.len() == 4)
        .find_map(|digits| digits.parse().ok())
        .filter(|year| *year > 1_000)
}

/// The first instant of a year.
fn first_of(year: i16) -> Option<Instant> {
    let date = jiff::civil::Date::new(year, 1, 1).ok()?;
    Some(date.to_zoned_datetime(jiff::tz::TimeZone::UTC).ok()?.timestamp().into())
}

/// The question without its years and months.
fn without_time(question: &str) -> String {
    const MONTHS: &[&str] =
        &["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
    let is_time = |word: &str| {
        let bare = word.trim_matches(|char: char| !char.is_alphanumeric()).to_lowercase();
        let month = MONTHS.iter().any(|month| bare == *month)
            || jiff::civil::Date::strptime("%d %B %Y", format!("1 {bare} 2000")).is_ok();
        month || bare.starts_with(|char: char| char.is_ascii_digit())
    };
    question.split(' ').filter(|word| !is_time(word)).collect::<Vec<_>>().join(" ")
}

/// The same shelf, its questions without time words.
#[must_use]
pub fn timeless(timeline: &Timeline) -> Timeline {
    let steps = timeline.steps.iter().map(|step| match step {
        Step::Say(passages) => Step::Say(passages.clone()),
        Step::Ask(question) => Step::Ask(Question { text: without_time(&question.text), ..question.clone() }),
    });
    Timeline { name: timeline.name.clone(), sort: timeline.sort, steps: steps.collect() }
}

/// Questions about a relation that the article answers differently at other times, with whether the answer of the time
/// asked about stands before those; and what guessing among them would give.
fn right_times(run: &Run) -> (Vec<f64>, f64, Vec<&str>) {
    let mut by_relation: BTreeMap<&str, BTreeSet<&String>> = BTreeMap::new();
    for answer in &run.answers {
        by_relation.entry(&answer.question.kind).or_default().extend(&answer.question.evidence);
    }
    let (mut right, mut guesses, mut relations) = (Vec::new(), 0.0, Vec::new());
    for answer in run.answers.iter().filter(|answer| !answer.question.unanswerable) {
        let own = &answer.question.evidence;
        let Some(all) = by_relation.get(answer.question.kind.as_str()).filter(|all| all.len() > own.len())
        else {
            continue;
        };
        let first = answer.passages.iter().find(|id| all.contains(id));
        right.push(f64::from(u8::from(first.is_some_and(|id| own.contains(id)))));
        guesses += own.len() as f64 / all.len() as f64;
        relations.push(answer.question.kind.as_str());
    }
    let guess = guesses / right.len().max(1) as f64;
    (right, guess, relations)
}

/// Of the questions that name a year, how many a recall told `valid_at` the end of that year answers with anything.
fn answered_at(timeline: &Timeline) -> Result<(usize, usize)> {
    let mut testimony = Testimony::words();
    testimony.begin(&timeline.name, timeline.sort)?;
    for step in &timeline.steps {
        if let Step::Say(passages) = step {
            testimony.observe(passages)?;
        }
    }
    let (mut asked, mut answered) = (0, 0);
    for question in timeline.questions().filter(|question| question.valid_at.is_some()) {
        asked += 1;
        // Documents without a date are placed at the day they are observed, which is long after the years asked about.
        let now = timeline.sort.begins();
        let ask = Ask { text: &question.text, now, valid_at: question.valid_at, limit: SHOWN };
        answered += usize::from(!testimony.search(ask)?.is_empty());
    }
    Ok((asked, answered))
}

/// Runs the instrument.
///
/// # Errors
/// When the data cannot be read, or as the systems.
pub fn run(setting: &Setting) -> Result<Report> {
    let mut report = Report::new(
        "TimeQA: which sentence answers a question about a year",
        "bench timeqa",
        Limits::measure(&setting.directory)?,
    );
    let untold = |mut timeline: Timeline| {
        for step in &mut timeline.steps {
            if let Step::Ask(question) = step {
                question.valid_at = None;
            }
        }
        timeline
    };
    let paragraphs = untold(timeline(Cut::Paragraphs)?);
    let dated = timeline(Cut::Sentences)?;
    let sentences = untold(dated.clone());
    let by_paragraph = compare(setting, std::slice::from_ref(&paragraphs), Vec::new())?;
    let by_sentence = compare(setting, std::slice::from_ref(&sentences), Vec::new())?;
    let without = compare(setting, &[timeless(&sentences)], Vec::new())?;
    let mut times = Table::new(
        "Of the sentences that answer the relation at some time, the right one first",
        &["system", "questions", "as asked", "without years and months", "guessing"],
    );
    for (with, without) in by_sentence.iter().zip(&without) {
        let (right, guess, relations) = right_times(with);
        let (blind, _, _) = right_times(without);
        let (right, blind, questions) =
            (bootstrap(&right, &relations), bootstrap(&blind, &relations), right.len());
        times.row([
            with.system.clone(),
            questions.to_string(),
            right.text(),
            blind.text(),
            format!("{guess:.3}"),
        ]);
        for (metric, value) in
            [("right time first", right), ("right time first, time words taken out", blind)]
        {
            report.figures.push(Figure {
                system: with.system.clone(),
                level: "sentence".to_owned(),
                group: "answers that change".to_owned(),
                metric: metric.to_owned(),
                questions,
                value,
            });
        }
    }
    report.tables.push(times);
    let article = |name| View { name, level: Level::Session, metrics: USUAL };
    let passage = |name| View { name, level: Level::Passage, metrics: USUAL };
    add(&mut report, setting, &flat(&by_sentence), &[passage("sentence"), article("article of a sentence")]);
    add(&mut report, setting, &flat(&by_paragraph), &[passage("paragraph")]);
    add(&mut report, setting, &flat(&without), &[passage("sentence, time words taken out")]);
    explain(&mut report, setting, &by_sentence);
    let (asked, answered) = answered_at(&dated)?;
    report.notes.push(format!(
        "Told `valid_at` the end of the first year a question names, recall of evidence answers {answered} of {asked} questions with \
         anything: it shows what had been said by then, and these documents were observed long after. Knowing what held in a year needs \
         facts with their intervals, which nobody extracts here."
    ));
    report.notes.push(
        "\"Right one first\": a sentence that is not among the first hundred counts as wrong, so a system can do worse than guessing \
         among the right sentences."
            .to_owned(),
    );
    report.notes.push(
        "Measured: finding the passage. Not measured: reading the answer out of it, and facts. 92 questions have no answer in the \
         article; for those only the last tables say something. Sentences are cut at full stops between spaces, abbreviations included."
            .to_owned(),
    );
    Ok(report)
}

/// The same runs with every question of one kind, and each relation as a group for the intervals.
fn flat(runs: &[Run]) -> Vec<Run> {
    let mut runs = runs.to_vec();
    for answer in runs.iter_mut().flat_map(|run| &mut run.answers) {
        answer.timeline = std::mem::replace(&mut answer.question.kind, "question".to_owned());
    }
    runs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_know_where_they_begin_in_characters() {
        let text = "Žena rođena 1950 . Umrla 2001 . . ";
        let pieces = pieces(text, Cut::Sentences);
        assert_eq!(pieces, [(0, "Žena rođena 1950 . "), (19, "Umrla 2001 . ")]);
    }

    #[test]
    fn every_answer_stands_in_the_sentence_it_is_labelled_with() {
        let text =
            fs::read_to_string(folder().join("timeqa/human_annotated_test.part.json")).expect("vendored");
        let records: Vec<Record> = serde_json::from_str(&text).expect("as described");
        let mut answers = 0;
        for record in &records {
            for answer in record.questions.iter().flat_map(|(_, answers)| answers) {
                let Some(first) = answer.answer.split(' ').next().filter(|word| !word.is_empty()) else {
                    continue;
                };
                let pieces = pieces(&record.paras[answer.para], Cut::Sentences);
                let piece = pieces.iter().rposition(|(begin, _)| *begin <= answer.from).expect("a sentence");
                assert!(pieces[piece].1.contains(first), "{}: `{}`", record.index, answer.answer);
                answers += 1;
            }
        }
        assert_eq!(answers, 586);
    }

    #[test]
    fn time_words_go_and_the_rest_stays() {
        assert_eq!(
            without_time("Who coached Gary Mills from Aug 1996 to March 1998?"),
            "Who coached Gary Mills from to"
        );
        assert_eq!(first_year("From 1998 to 200, what team?"), Some(1998));
        assert_eq!(first_year("Who was wed?"), None);
    }
}
