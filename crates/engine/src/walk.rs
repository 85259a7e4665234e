//! Walking: from what a question names, over relations, to what it asks for. No model; every step has its reason.
//!
//! "What is the country of citizenship of the spouse of the author of Our Mutual Friend?" names one thing that is known.
//! What is said of that thing, the question's other words choose among: `author` leads to a person, `spouse` to another,
//! `citizenship` to a country. A path is worth the share of the question it explains; of two that explain as much the
//! shorter is better, and the one that uses the words nearest to the name first.
//!
//! The walk is bounded: [`HOPS_MAX`] steps and [`NODES_MAX`] things looked at, the most promising first. When a bound cut
//! it short the answer says so, and so it does of words that no step explains.

use ledger::entity::EntityRef;
use ledger::id::VersionId;
use ledger::memory::{Fact, Version};
use ledger::value::Value;
use rustc_hash::{FxHashMap, FxHashSet};
use serde_json::{Map, json};

use crate::answer::{Deep, PathText, Recalled, StepText};
use crate::error::EngineError;
use crate::lexical::{Analysis, Purpose, Role, analyse};
use crate::names::ALSO_CALLED;
use crate::recall::{Recall, as_of};
use crate::view::View;
use crate::{Call, Engine};

/// Relations walked from what the question names, at most.
pub const HOPS_MAX: usize = 4;

/// Things whose facts are looked at, at most.
pub const NODES_MAX: usize = 200;

/// Facts about one thing that are looked at, at most.
const FACTS_MAX: usize = 500;

/// Words of a question that are read; later ones explain nothing.
const WORDS_MAX: usize = 64;

/// The most words of one name in a question.
const NAME_WORDS_MAX: usize = 12;

/// Paths told, at most.
const PATHS_MAX: usize = 3;

/// Earlier versions told of each step's fact, at most; the newest of them.
const BEFORE_MAX: usize = 5;

/// What a small word (`who`, `where`) weighs beside a word of content that as many predicates have.
const SMALL_WORD: f32 = 0.4;
/// What a word of a name weighs.
const NAME_WORD: f32 = 3.0;
/// What each further step takes off, and what is given when the steps use the question's words outwards from the name;
/// shares of the whole question.
const STEP_COST: f32 = 0.02;
const ORDER_BONUS: f32 = 0.03;

/// Words for oneself.
const ONESELF: &[&str] = &[
    "i", "me", "my", "mine", "ja", "mene", "meni", "mi", "moj", "moja", "moje", "moji", "moju", "mog",
    "mojeg", "mojoj", "mom",
];

/// What a walk found.
#[derive(Default)]
pub(crate) struct Walk<'read> {
    /// The best paths, best first, each to another answer.
    pub paths: Vec<Path<'read>>,
    /// Whether a bound cut the walk short.
    cut: bool,
    /// Whether the question names anything that is known.
    named: bool,
}

/// A way from a name in the question to an answer.
#[derive(Clone)]
pub(crate) struct Path<'read> {
    /// The steps, first to last; never empty.
    pub steps: Vec<Step<'read>>,
    /// The share of the question it explains, 0..1.
    pub score: f32,
    /// The words that nothing explains.
    pub unexplained: Vec<String>,
}

/// One relation followed.
#[derive(Clone)]
pub(crate) struct Step<'read> {
    pub fact: &'read Fact,
    pub version: &'read Version,
    /// The question's words that chose it.
    pub words: Vec<String>,
}

/// A word of the question.
struct Word {
    /// As it stands there.
    surface: String,
    stems: Vec<String>,
    small: bool,
    start: usize,
    end: usize,
}

/// Something known that the question names.
struct Named<'read> {
    entity: &'read EntityRef,
    /// The places of its words.
    words: std::ops::Range<usize>,
}

/// A place the walk has come to.
#[derive(Clone)]
struct State<'read> {
    entity: EntityRef,
    explained: u64,
    /// Where the words of each step stand, on the average.
    places: Vec<f32>,
    steps: Vec<Step<'read>>,
    score: f32,
}

impl<'read> Walk<'read> {
    /// Walks for `question`.
    pub fn of(view: View<'read>, question: &str) -> Self {
        let words = read(question);
        let named = named(view, question, &words);
        if named.is_empty() {
            return Self::default();
        }
        let predicates = Predicates::of(view, &words);
        let in_name = |at: usize| named.iter().any(|one| one.words.contains(&at));
        let weight = |at: usize| match in_name(at) {
            true => NAME_WORD,
            false => predicates.weight(at),
        };
        let total: f32 = (0..words.len()).map(weight).sum();
        let mut walk = Self { named: true, ..Self::default() };
        let mut open: Vec<State<'read>> = Vec::new();
        for one in &named {
            let explained = mask(one.words.clone());
            let score = one.words.clone().map(weight).sum::<f32>() / total;
            let center = (one.words.start + one.words.end - 1) as f32 / 2.0;
            open.push(State {
                entity: one.entity.clone(),
                explained,
                places: vec![center],
                steps: Vec::new(),
                score,
            });
        }
        let mut ended: Vec<State<'read>> = Vec::new();
        let mut seen: FxHashSet<(EntityRef, u64)> = FxHashSet::default();
        let mut nodes = 0;
        while let Some(at) = best(&open) {
            let state = open.swap_remove(at);
            if !seen.insert((state.entity.clone(), state.explained)) {
                continue;
            }
            if nodes == NODES_MAX {
                walk.cut = true;
                break;
            }
            nodes += 1;
            for next in expand(view, &state, &words, &predicates, total) {
                if next.steps.len() < HOPS_MAX {
                    open.push(next.clone());
                } else {
                    walk.cut |= has_more(view, &next, &words, &predicates);
                }
                ended.push(next);
            }
        }
        ended.sort_by(|left, right| {
            let last = |state: &State<'_>| state.steps.last().map(|step| step.version.id);
            right.score.total_cmp(&left.score).then_with(|| last(left).cmp(&last(right)))
        });
        let mut told: Vec<VersionId> = Vec::new();
        for state in ended {
            let Some(last) = state.steps.last() else { continue };
            if told.contains(&last.version.id) || told.len() == PATHS_MAX {
                continue;
            }
            told.push(last.version.id);
            let unexplained =
                words.iter().enumerate().filter(|(at, word)| state.explained & (1 << at) == 0 && !word.small);
            walk.paths.push(Path {
                score: state.score.clamp(0.0, 1.0),
                unexplained: unexplained.map(|(_, word)| word.surface.clone()).collect(),
                steps: state.steps,
            });
        }
        walk
    }

    /// What the reader must know of how it went.
    pub fn notices(&self) -> Vec<String> {
        let mut notices = Vec::new();
        if !self.named {
            notices
                .push("the question names nothing that is known; there was nowhere to walk from".to_owned());
        } else if self.paths.is_empty() {
            notices.push("no relation of what the question names fits its other words".to_owned());
        }
        if self.cut {
            notices.push(format!(
                "the walk was cut at {HOPS_MAX} steps or {NODES_MAX} things; more may be found beyond"
            ));
        }
        if let Some(best) = self.paths.first().filter(|best| !best.unexplained.is_empty()) {
            notices.push(format!("no step explains `{}`", best.unexplained.join("`, `")));
        }
        notices
    }
}

impl Engine {
    /// Recalls, and besides walks from what the question names over relations to what it asks for, telling each step and
    /// what its fact held before.
    ///
    /// The answer of the best path is the first item; its other steps follow, then what the words match.
    ///
    /// # Errors
    /// As [`Engine::recall`].
    pub fn recall_deep(&self, call: Call<'_>, recall: &Recall) -> Result<Deep, EngineError> {
        let recalled = self.recall(call, recall)?;
        self.read(call.scope, |snapshot| {
            let as_of = as_of(snapshot, call.now, recall.valid_at, recall.believed_at);
            let view = View { snapshot, registry: self.registry(), as_of };
            let walk = Walk::of(view, &recall.query);
            let mut notices = walk.notices();
            let paths: Vec<PathText> = walk.paths.iter().filter_map(|path| told(view, path)).collect();
            let mut items = Vec::new();
            if let Some(best) = walk.paths.first().filter(|best| f64::from(best.score) >= recall.threshold) {
                for (place, step) in best.steps.iter().enumerate().rev() {
                    let mut signals = Map::new();
                    signals.insert("hop".to_owned(), json!(place + 1));
                    signals.insert("words".to_owned(), json!(step.words));
                    items.extend(view.item(step.fact, step.version, round(best.score), signals));
                }
            }
            let mut truncated = recalled.truncated;
            for item in recalled.items {
                let known = items.iter().any(|known| known.id == item.id);
                match items.len() < recall.limit.max(walk.paths.first().map_or(0, |best| best.steps.len())) {
                    _ if known => {}
                    true => items.push(item),
                    false => truncated = true,
                }
            }
            notices.extend(recalled.notices);
            let negative = recalled.negative.filter(|_| items.is_empty());
            Ok(Deep { recalled: Recalled { items, negative, truncated, notices, ..recalled }, paths })
        })
    }
}

fn round(score: f32) -> f64 {
    crate::recall::round(score)
}

fn told(view: View<'_>, path: &Path<'_>) -> Option<PathText> {
    let steps = path.steps.iter().enumerate().map(|(place, step)| {
        let item = view.item(step.fact, step.version, round(path.score), Map::new())?;
        let mut before: Vec<_> = step
            .fact
            .versions
            .iter()
            .filter(|version| version.id != step.version.id && !version.is_current(&view.as_of))
            .filter_map(|version| view.version(step.fact, version))
            .collect();
        let older = before.len().saturating_sub(BEFORE_MAX);
        before.drain(..older);
        Some(StepText { hop: place + 1, words: step.words.clone(), item, before, older })
    });
    let steps: Vec<StepText> = steps.collect::<Option<_>>()?;
    let answer = steps.last()?.item.value.clone();
    Some(PathText { answer, score: round(path.score), steps, unexplained: path.unexplained.clone() })
}

/// The place of the most promising state; of two alike the one that was reached first.
fn best(open: &[State<'_>]) -> Option<usize> {
    (0..open.len()).max_by(|left, right| {
        let (one, other) = (&open[*left], &open[*right]);
        let first = |state: &State<'_>| state.steps.first().map(|step| step.version.id);
        one.score
            .total_cmp(&other.score)
            .then_with(|| other.steps.len().cmp(&one.steps.len()))
            .then_with(|| first(other).cmp(&first(one)))
            .then_with(|| other.entity.cmp(&one.entity))
    })
}

fn mask(range: std::ops::Range<usize>) -> u64 {
    range.fold(0, |mask, at| mask | 1 << at)
}

/// The states one step further.
fn expand<'read>(
    view: View<'read>,
    state: &State<'read>,
    words: &[Word],
    predicates: &Predicates,
    total: f32,
) -> Vec<State<'read>> {
    let memory = &view.snapshot.memory;
    let facts = view.snapshot.about(&state.entity).iter().take(FACTS_MAX).filter_map(|id| memory.fact(*id));
    let mut next = Vec::new();
    for fact in facts {
        let Some(key) = &fact.key else { continue };
        let places = predicates.fitting(&key.predicate, state.explained);
        let says_something = places.iter().any(|at| !words[*at].small);
        if !says_something || state.steps.iter().any(|step| step.fact.id == fact.id) {
            continue;
        }
        let gain: f32 = places.iter().map(|at| predicates.weight(*at)).sum();
        let middle = places.iter().sum::<usize>() as f32 / places.len() as f32;
        let origin = state.places[0];
        let outwards = match state.places[1..].last() {
            Some(before) => (middle - origin).abs() > (before - origin).abs(),
            None => false,
        };
        for version in fact.versions.iter().filter(|version| version.is_current(&view.as_of)) {
            let Some(claim) = memory.told_by(version, &view.as_of) else { continue };
            let entity = match claim.words.value() {
                Some(Value::Entity(entity)) => entity.clone(),
                Some(Value::Text(text)) => match EntityRef::from_words(text) {
                    Ok(entity) => entity,
                    Err(_) => continue,
                },
                // A number or a date ends a path; nothing is known about it.
                _ => EntityRef::owner(),
            };
            let mut steps = state.steps.clone();
            let words = places.iter().map(|at| words[*at].surface.clone()).collect();
            steps.push(Step { fact, version, words });
            let cost = if state.steps.is_empty() { 0.0 } else { STEP_COST };
            let bonus = if outwards { ORDER_BONUS } else { 0.0 };
            let mut all_places = state.places.clone();
            all_places.push(middle);
            next.push(State {
                entity,
                explained: places.iter().fold(state.explained, |mask, at| mask | 1 << at),
                places: all_places,
                steps,
                score: state.score + gain / total - cost + bonus,
            });
        }
    }
    next
}

/// Whether a step that is not taken any more would have explained more.
fn has_more(view: View<'_>, state: &State<'_>, words: &[Word], predicates: &Predicates) -> bool {
    let memory = &view.snapshot.memory;
    let facts = view.snapshot.about(&state.entity).iter().take(FACTS_MAX).filter_map(|id| memory.fact(*id));
    facts.filter_map(|fact| fact.key.as_ref()).any(|key| {
        let places = predicates.fitting(&key.predicate, state.explained);
        places.iter().any(|at| !words[*at].small)
    })
}

/// The words of a question, with their stems in both languages.
fn read(question: &str) -> Vec<Word> {
    let is_part = |one: char| one.is_alphanumeric() || matches!(one, '\'' | '\u{2019}' | '.' | '-' | '_');
    let mut words = Vec::new();
    let mut analysis = Analysis::default();
    let mut rest = 0;
    while words.len() < WORDS_MAX {
        let Some(start) = question[rest..].find(is_part).map(|at| rest + at) else { break };
        let end = question[start..].find(|one| !is_part(one)).map_or(question.len(), |at| start + at);
        rest = end;
        let surface = question[start..end].trim_end_matches(['.', '-', '\'', '\u{2019}']);
        let Some(first) = surface.find(char::is_alphanumeric) else { continue };
        let surface = &surface[first..];
        let start = start + first;
        analyse(surface, Purpose::Query, &mut analysis);
        let small = analysis.terms().all(|term| term.stop);
        let stems = analysis
            .terms()
            .filter(|term| matches!(term.role, Role::Stem | Role::OtherStem | Role::Whole))
            .map(|term| term.text.to_owned())
            .collect();
        let end = start + surface.len();
        words.push(Word { surface: surface.to_lowercase(), stems, small, start, end });
    }
    words
}

/// What is known by a name that stands in the question: the longest names, none inside another.
fn named<'read>(view: View<'read>, question: &str, words: &[Word]) -> Vec<Named<'read>> {
    let mut by_name: FxHashMap<String, &'read EntityRef> = FxHashMap::default();
    for entity in view.snapshot.entities() {
        // Of two of one name, such as a typed and a plain one, the first in order.
        let known = by_name.entry(entity.name().to_owned()).or_insert(entity);
        *known = (*known).min(entity);
        for alias in view.snapshot.aliases(entity, ledger::claim::Realm::World) {
            if let Ok(slug) = EntityRef::from_words(alias) {
                by_name.entry(slug.name().to_owned()).or_insert(entity);
            }
        }
    }
    let mut found: Vec<Named<'read>> = Vec::new();
    let mut at = 0;
    while at < words.len() {
        let longest = (at + 1..=(at + NAME_WORDS_MAX).min(words.len())).rev().find_map(|end| {
            let text = &question[words[at].start..words[end - 1].end];
            // A name in the genitive, and one that ends in a full stop of its own.
            let bare = text.strip_suffix("'s").or_else(|| text.strip_suffix("\u{2019}s")).unwrap_or(text);
            let all_small = words[at..end].iter().all(|word| word.small);
            let candidates = [bare, text].into_iter().filter(|_| !all_small);
            let entity = candidates
                .filter_map(|text| EntityRef::from_words(text).ok())
                .find_map(|slug| by_name.get(slug.name()).copied())?;
            Some((entity, end))
        });
        match longest {
            Some((entity, end)) => {
                found.push(Named { entity, words: at..end });
                at = end;
            }
            None => at += 1,
        }
    }
    if found.is_empty() {
        // `my wife`: the owner is named by every word for oneself.
        let own = view.snapshot.entities().find(|entity| entity.is_owner());
        let at = words.iter().position(|word| ONESELF.contains(&word.surface.as_str()));
        found.extend(own.zip(at).map(|(entity, at)| Named { entity, words: at..at + 1 }));
    }
    // A thing called by a common word is only meant where nothing with a name of its own is.
    let has_own_name = |one: &Named<'_>| {
        let text = &question[words[one.words.start].start..words[one.words.end - 1].end];
        text.chars().any(|one| one.is_uppercase() || one.is_numeric())
    };
    if found.iter().any(|one| has_own_name(one) && one.words.start > 0) {
        found.retain(has_own_name);
    }
    found
}

/// Which words ask for which predicates, among those that the question could mean.
struct Predicates {
    by_name: FxHashMap<String, Vec<usize>>,
    /// For each of the question's words, what it weighs.
    weights: Vec<f32>,
}

impl Predicates {
    fn of(view: View<'_>, words: &[Word]) -> Self {
        let mut analysis = Analysis::default();
        let mut by_name: FxHashMap<String, Vec<usize>> = FxHashMap::default();
        let mut asked: Vec<usize> = vec![0; words.len()];
        let mut all = 0;
        for predicate in view.registry.iter().filter(|predicate| predicate.name != ALSO_CALLED) {
            all += 1;
            let mut stems: FxHashSet<String> = FxHashSet::default();
            let mut take = |text: &str, with_small: bool| {
                analyse(text, Purpose::Query, &mut analysis);
                let terms = analysis.terms().filter(|term| with_small || !term.stop);
                stems.extend(terms.map(|term| term.text.to_owned()));
            };
            take(&predicate.label, false);
            // A registry lists small words on purpose: `who`, `where`.
            predicate.words.iter().for_each(|word| take(word, true));
            let fits = |word: &Word| word.stems.iter().any(|stem| stems.contains(stem));
            let places: Vec<usize> = (0..words.len()).filter(|at| fits(&words[*at])).collect();
            for at in &places {
                asked[*at] += 1;
            }
            by_name.insert(predicate.name.clone(), places);
        }
        let weights = words.iter().zip(&asked).map(|(word, asked)| {
            let rarity = (1.0 + (all as f32 + 0.5) / (*asked as f32 + 0.5)).ln();
            match (word.small, asked) {
                // A word no predicate has is nothing a path could explain; it only makes all paths worth less.
                (true, 0) => 0.0,
                (false, 0) => 1.0,
                (true, _) => SMALL_WORD * rarity,
                (false, _) => rarity,
            }
        });
        Self { weights: weights.collect(), by_name }
    }

    fn weight(&self, at: usize) -> f32 {
        self.weights[at]
    }

    /// The places of the words that ask for `predicate` and are not explained yet.
    fn fitting(&self, predicate: &str, explained: u64) -> Vec<usize> {
        let places = self.by_name.get(predicate).map(Vec::as_slice).unwrap_or_default();
        places.iter().copied().filter(|at| explained & (1 << at) == 0).collect()
    }
}
