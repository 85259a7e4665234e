//! The readers of the vendored sets, the laws every system keeps, and a floor under what the product finds.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use bench::compare::Setting;
use bench::retrieval::{Ask, DEPTH, Half, Hit, Passage, Question, Searcher, Sort, Step, Timeline, play, run};
use bench::score::score;
use bench::searcher::{self, PlainBm25, Recency, Testimony};
use bench::{beam, locomo, longmemeval, realmem, realtalk, timeqa};
use inference::embed::{Embed, ModelIdentity, Role};
use inference::error::InferenceError;
use inference::limits::Limits;
use ledger::evidence::Author;
use ledger::time::Instant;

/// Evidence that names no passage said before its question would make a score a lie.
fn evidence_was_said(timeline: &Timeline) {
    let mut said: BTreeSet<&str> = BTreeSet::new();
    let mut sessions: BTreeSet<&str> = BTreeSet::new();
    for step in &timeline.steps {
        match step {
            Step::Say(passages) => {
                for passage in passages {
                    assert!(said.insert(&passage.id), "{}: `{}` is said twice", timeline.name, passage.id);
                    sessions.insert(&passage.session);
                }
            }
            Step::Ask(question) => {
                for id in &question.evidence {
                    assert!(said.contains(id.as_str()), "{}: `{id}` was not said", question.id);
                }
                for id in &question.sessions {
                    assert!(sessions.contains(id.as_str()), "{}: session `{id}` was not said", question.id);
                }
                assert!(!question.unanswerable || question.evidence.is_empty(), "{}", question.id);
            }
        }
    }
}

fn kinds(timelines: &[Timeline]) -> BTreeMap<&str, usize> {
    let mut kinds = BTreeMap::new();
    for question in timelines.iter().flat_map(Timeline::questions) {
        *kinds.entry(question.kind.as_str()).or_default() += 1;
    }
    kinds
}

#[test]
fn beam_has_156_questions_with_evidence() {
    let timelines = beam::timelines().expect("vendored");
    timelines.iter().for_each(evidence_was_said);
    assert_eq!(timelines.len(), 13);
    assert_eq!(timelines.iter().flat_map(Timeline::passages).count(), 3_612);
    let questions: Vec<&Question> = timelines.iter().flat_map(Timeline::questions).collect();
    assert_eq!(questions.iter().filter(|question| !question.evidence.is_empty()).count(), 156);
    assert_eq!(questions.iter().filter(|question| question.unanswerable).count(), 26);
    assert!(kinds(&timelines).values().all(|count| *count == 26), "{:?}", kinds(&timelines));
    assert!(timelines.iter().flat_map(Timeline::passages).all(|passage| passage.said.is_some()));
    let half_a =
        questions.iter().filter(|question| question.half == Half::A && !question.evidence.is_empty());
    assert_eq!(half_a.count(), 84);
}

#[test]
fn realmem_asks_only_about_what_came_before() {
    let read = realmem::timelines().expect("vendored");
    assert_eq!(read.len(), 1);
    let timeline = &read[0].timeline;
    evidence_was_said(timeline);
    assert_eq!(timeline.questions().count(), 153);
    assert_eq!(read[0].labels_left_out, 1);
    let kinds = kinds(std::slice::from_ref(timeline));
    let expected = [
        ("Dynamic Incremental", 98),
        ("Dynamic Updating", 18),
        ("Implicit Preference", 35),
        ("Temporal-reasoning", 2),
    ];
    assert_eq!(kinds, BTreeMap::from(expected));
    let by_turn = timeline.questions().filter(|question| !question.evidence.is_empty()).count();
    // Of the other questions every memory used has no known turn.
    assert_eq!(by_turn, 87);
}

#[test]
fn longmemeval_has_22_questions() {
    let timelines = longmemeval::timelines().expect("vendored");
    timelines.iter().for_each(evidence_was_said);
    assert_eq!(timelines.len(), 22);
    assert!(timelines.iter().flat_map(Timeline::questions).all(|question| !question.sessions.is_empty()));
    let by_turn =
        timelines.iter().flat_map(Timeline::questions).filter(|question| !question.evidence.is_empty());
    assert_eq!(by_turn.count(), 2);
    assert_eq!(timelines[0].passages().count(), 550);
}

#[test]
fn timeqa_has_636_questions_by_paragraph_and_by_sentence() {
    for cut in [timeqa::Cut::Paragraphs, timeqa::Cut::Sentences] {
        let timeline = timeqa::timeline(cut).expect("vendored");
        evidence_was_said(&timeline);
        assert_eq!(timeline.questions().count(), 636);
        assert_eq!(timeline.questions().filter(|question| question.unanswerable).count(), 92);
    }
}

fn samples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/samples")
}

#[test]
fn locomo_is_read_as_published() {
    let read = locomo::read_file(&samples().join("locomo.json")).expect("read");
    let timeline = &read.timelines[0];
    evidence_was_said(timeline);
    let said: Vec<(&str, &str)> =
        timeline.passages().map(|said| (said.id.as_str(), said.text.as_str())).collect();
    let expected = [
        ("D1:1", "I signed up for a pottery class on Tuesdays."),
        ("D1:2", "Nice! I adopted a greyhound called Bura."),
        ("D2:1", "The kiln arrived, we can fire the bowls now."),
        ("D2:2", "(shares a picture: a photo of a blue bowl)"),
    ];
    assert_eq!(said, expected);
    let first = timeline.passages().next().expect("a turn");
    assert_eq!(first.author, Author::Owner);
    assert_eq!(first.said.expect("a time").to_string(), "2023-05-08T13:56:00Z");
    let evidence: Vec<Vec<&str>> =
        timeline.questions().map(|question| question.evidence.iter().map(String::as_str).collect()).collect();
    // Two labels in one string, one with a leading zero; the adversarial question has none.
    assert_eq!(evidence, [vec!["D1:2"], vec!["D1:1", "D2:1"], vec![]]);
    assert_eq!(timeline.questions().filter(|question| question.unanswerable).count(), 1);
    assert_eq!((read.labels_unknown, read.turns_empty), (1, 1));
}

#[test]
fn realtalk_is_read_as_published() {
    let read = realtalk::read(&samples().join("realtalk")).expect("read");
    assert_eq!(read.timelines.len(), 1);
    let timeline = &read.timelines[0];
    evidence_was_said(timeline);
    assert_eq!(timeline.passages().count(), 3);
    let last = timeline.passages().last().expect("a message");
    assert_eq!((last.id.as_str(), last.session.as_str()), ("D2:2", "2"));
    assert_eq!(last.said.expect("a time").to_string(), "2024-01-02T18:04:30Z");
    assert_eq!((read.labels_unknown, read.turns_empty), (1, 1));
    assert_eq!(timeline.questions().map(|question| question.evidence.len()).collect::<Vec<_>>(), [1, 1]);
}

#[test]
fn a_file_that_is_something_else_is_refused() {
    let error = locomo::read_file(&samples().join("realtalk/Chat_1.json")).err().expect("refused");
    assert!(error.to_string().contains("list of samples"), "{error}");
    assert!(realtalk::read(&samples().join("locomo.json")).is_err());
    assert!(realtalk::read(&samples().join("nothing-here.json")).is_err());
}

/// A toy embedder: a number for each of 64 sorts of words, by the sum of their bytes.
struct WordVectors(ModelIdentity);

impl Embed for WordVectors {
    fn identity(&self) -> &ModelIdentity {
        &self.0
    }

    fn embed(&self, _: Role, texts: &[&str], _: &Limits) -> Result<Vec<Vec<f32>>, InferenceError> {
        let vector = |text: &&str| {
            let mut numbers = vec![0.01_f32; 64];
            for word in searcher::words(text) {
                numbers[word.bytes().map(usize::from).sum::<usize>() % 64] += 1.0;
            }
            let length = numbers.iter().map(|number| number * number).sum::<f32>().sqrt();
            numbers.iter().map(|number| number / length).collect()
        };
        Ok(texts.iter().map(vector).collect())
    }
}

fn every_system() -> Vec<Box<dyn Searcher>> {
    let identity = ModelIdentity { name: "toy".to_owned(), dims: 64, mark: [0; 32] };
    let embedder: Arc<dyn Embed> = Arc::new(WordVectors(identity));
    let mut systems = searcher::all(Some(&embedder));
    systems.push(Box::new(PlainBm25::over_sessions()));
    systems
}

fn ask(text: &str, limit: usize) -> Ask<'_> {
    Ask { text, now: Instant::default(), valid_at: None, limit }
}

#[test]
fn every_system_keeps_the_laws() {
    let timelines = beam::timelines().expect("vendored");
    let passages: Vec<Passage> = timelines[0].passages().take(60).cloned().collect();
    for mut system in every_system() {
        let name = system.name().to_owned();
        system.begin("first", Sort::Conversation).expect("begun");
        passages.chunks(7).for_each(|some| system.observe(some).expect("taken in"));
        let mut found = 0;
        for question in timelines[0].questions().take(8) {
            let hits = system.search(ask(&question.text, 20)).expect("searched");
            found += hits.len();
            assert!(hits.len() <= 20, "{name}");
            assert!(hits.iter().all(|hit| hit.place < passages.len()), "{name}");
            let places: BTreeSet<usize> = hits.iter().map(|hit| hit.place).collect();
            assert_eq!(places.len(), hits.len(), "{name} returns a passage twice");
            assert!(hits.is_sorted_by(|one, next| one.score >= next.score), "{name} is not best first");
            assert_eq!(
                hits,
                system.search(ask(&question.text, 20)).expect("searched"),
                "{name} answers differently"
            );
        }
        assert!(found > 0, "{name} finds nothing at all");
        system.begin("second", Sort::Conversation).expect("begun");
        let forgotten = system.search(ask(&passages[0].text, 20)).expect("searched");
        assert_eq!(forgotten, Vec::<Hit>::new(), "{name} remembers another timeline");
    }
}

#[test]
fn a_system_that_is_none_is_refused() {
    let error = searcher::only(every_system(), &["elastic".to_owned()]).err().expect("refused");
    assert!(error.to_string().contains("`elastic`"), "{error}");
    let kept = searcher::only(every_system(), &["bm25".to_owned()]).expect("known");
    assert_eq!(kept.iter().map(|system| system.name()).collect::<Vec<_>>(), ["bm25"]);
}

#[test]
fn a_question_sees_only_what_was_said_before_it() {
    let passage = |id: &str| Passage {
        id: id.to_owned(),
        session: id.to_owned(),
        author: Author::Owner,
        speaker: None,
        said: None,
        text: format!("word {id}"),
    };
    let asked = || Step::Ask(Question { text: "word".to_owned(), ..Question::default() });
    let steps = vec![
        Step::Say(vec![passage("one")]),
        asked(),
        Step::Say(vec![passage("two"), passage("three")]),
        asked(),
    ];
    let timeline = Timeline { name: "toy".to_owned(), sort: Sort::Conversation, steps };
    let mut seen = Vec::new();
    play(&mut Recency::default(), &timeline, &mut |said, _, hits| {
        seen.push(hits.deep.iter().map(|hit| said[hit.place].id.clone()).collect::<Vec<_>>());
    })
    .expect("played");
    assert_eq!(seen, [vec!["one"], vec!["three", "two", "one"]]);
}

/// Chat 01 through `observe` and `recall`. The floor lies below what lexical recall reached when it was written, so that only
/// a real loss fails.
#[test]
fn the_product_finds_evidence_in_a_long_chat() {
    let timelines = &beam::timelines().expect("vendored")[..1];
    let outcome = run(&mut Testimony::words(), timelines).expect("played");
    let mut gained = 0.0;
    let mut recalled = 0.0;
    let mut questions = 0.0;
    for answer in outcome.answers.iter().filter(|answer| !answer.question.evidence.is_empty()) {
        let scores = score(&answer.passages, &answer.question.evidence);
        gained += scores.gain_10;
        recalled += scores.recall_10;
        questions += 1.0;
        assert!(answer.passages.len() <= DEPTH);
        assert!(answer.stable, "`{}`: ten are not the first ten of a hundred", answer.question.id);
    }
    assert_eq!(questions, 12.0);
    assert!(recalled / questions >= RECALL_FLOOR, "recall@10 {}", recalled / questions);
    assert!(gained / questions >= GAIN_FLOOR, "nDCG@10 {}", gained / questions);
}

const RECALL_FLOOR: f64 = 0.60;
const GAIN_FLOOR: f64 = 0.50;

#[test]
fn a_report_holds_every_figure_for_people_and_for_programs() {
    let place = tempfile::tempdir().expect("a directory");
    let details = place.path().join("details.jsonl");
    let setting = Setting {
        directory: place.path().to_owned(),
        systems: vec!["bm25".to_owned(), "recency".to_owned()],
        details: Some(details.clone()),
        ..Setting::default()
    };
    let report = longmemeval::run(&setting).expect("measured");
    let text = report.markdown();
    assert!(text.contains("Too small to publish"), "{text}");
    assert!(text.contains("| bm25 | 22 |"), "{text}");
    let figure = report
        .figures
        .iter()
        .find(|figure| {
            (figure.system.as_str(), figure.level.as_str(), figure.metric.as_str())
                == ("bm25", "session", "any@10")
        })
        .expect("a figure");
    assert!(figure.value.low <= figure.value.mean && figure.value.mean <= figure.value.high);
    let lines = std::fs::read_to_string(&details).expect("written");
    assert_eq!(lines.lines().count(), 44);
}
