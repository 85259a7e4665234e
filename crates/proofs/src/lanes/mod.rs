//! The lanes of evaluation: cases as data, each with the reason why it is there.
//!
//! A case is a short story and a few questions with what must come of them. In the lane `regression` every case passes, and
//! a test keeps it so; in the lane `challenge` stand known failures, reported with every run and failing none. A challenge
//! that passes is ready to be promoted, which moves its lines from one file to the other ([`promote`]).

mod case;
mod promote;
mod report;

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::Keeper;
use crate::story::Player;
use crate::story::play::Failed;
use crate::story::script::{self, Line, Step};

pub use case::{Case, Lane, LanesError, Question, read_all};
pub use promote::promote;
pub use report::Report;

/// The folder of the cases in this checkout.
#[must_use]
pub fn directory() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../evaluation/lanes")
}

/// What came of one case.
#[derive(Clone, PartialEq, Debug, serde::Serialize)]
pub struct Outcome {
    /// The case.
    pub id: String,
    /// Its lane.
    pub lane: Lane,
    /// Its family.
    pub family: String,
    /// The language of its words.
    pub language: String,
    /// Why it is there.
    pub reason: String,
    /// Where it was first met, if elsewhere.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cite: Option<String>,
    /// What is not as it must be; empty when it passes.
    pub wrong: Vec<String>,
}

impl Outcome {
    /// Whether everything is as it must be.
    #[must_use]
    pub fn passes(&self) -> bool {
        self.wrong.is_empty()
    }
}

/// Plays cases on each of these stores, several at a time; the outcomes are in the order of the cases.
///
/// # Panics
/// When a case brings the player down.
#[must_use]
pub fn run_all(cases: &[Case], keepers: &[Keeper]) -> Vec<Outcome> {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let next = AtomicUsize::new(0);
    let work = || {
        let mut done = Vec::new();
        loop {
            let place = next.fetch_add(1, Ordering::Relaxed);
            let Some(case) = cases.get(place) else { return done };
            done.push((place, run(case, keepers)));
        }
    };
    let mut outcomes: Vec<(usize, Outcome)> = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        workers.into_iter().flat_map(|worker| worker.join().expect("the cases are played")).collect()
    });
    outcomes.sort_by_key(|(place, _)| *place);
    outcomes.into_iter().map(|(_, outcome)| outcome).collect()
}

/// Plays a case on each of these stores.
#[must_use]
pub fn run(case: &Case, keepers: &[Keeper]) -> Outcome {
    let mut wrong = Vec::new();
    for keeper in keepers {
        for problem in play(case, *keeper) {
            let told = match keepers.len() {
                1 => problem,
                _ => format!("{keeper:?}: {problem}"),
            };
            wrong.push(told);
        }
    }
    Outcome {
        id: case.id.clone(),
        lane: case.lane,
        family: case.family.clone(),
        language: case.language.clone(),
        reason: case.reason.clone(),
        cite: case.cite.clone(),
        wrong,
    }
}

fn play(case: &Case, keeper: Keeper) -> Vec<String> {
    let mut player = Player::new(keeper, &case.id);
    let story = match script::read(&case.story) {
        Ok(story) => story,
        Err(error) => return vec![format!("story: {error}")],
    };
    for line in &story.lines {
        let Line::Step(step, written) = line else { continue };
        if let Err(error) = player.step(step) {
            return vec![format!("story: `{}`: {}", first_line(written), told_as_line(&error))];
        }
    }
    let mut wrong = Vec::new();
    for question in &case.questions {
        let lines = match answer(&mut player, &question.ask) {
            Ok(lines) => lines,
            Err(error) => {
                wrong.push(format!("`{}`: {error}", first_line(&question.ask)));
                continue;
            }
        };
        let problems = question.problems(&lines, player.packet());
        if !problems.is_empty() {
            let answer = if lines.is_empty() { "(nothing)".to_owned() } else { lines.join(" / ") };
            let asked = first_line(&question.ask);
            wrong.push(format!("`{asked}`: {}; it says: {answer}", problems.join(", ")));
        }
    }
    wrong
}

/// What comes of the steps of a question; an error of the engine is an answer, too.
fn answer(player: &mut Player, ask: &str) -> Result<Vec<String>, String> {
    let steps: Vec<Step> = script::read_steps(ask)?;
    let mut lines = Vec::new();
    for step in &steps {
        match player.step(step) {
            Ok(told) => lines.extend(told),
            Err(error @ Failed::Refused(_)) => lines.push(told_as_line(&error)),
            Err(Failed::Story(error)) => return Err(error),
        }
    }
    Ok(lines)
}

/// `error, not_found: …`.
fn told_as_line(error: &Failed) -> String {
    match error {
        Failed::Story(what) => what.clone(),
        Failed::Refused(error) => {
            let kind = match error.kind() {
                engine::ErrorKind::Input => "input",
                engine::ErrorKind::NotFound => "not_found",
                engine::ErrorKind::Conflict => "conflict",
                engine::ErrorKind::Damaged => "damaged",
                engine::ErrorKind::Permission => "permission",
                engine::ErrorKind::Unavailable => "unavailable",
                engine::ErrorKind::Internal => "internal",
            };
            format!("error, {kind}: {error}")
        }
    }
}

fn first_line(text: &str) -> &str {
    text.trim().lines().next().unwrap_or_default()
}
