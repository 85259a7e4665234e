//! What the answers of a study amount to at each threshold, and which threshold is chosen.

use serde::Serialize;

/// The most items shown unasked in one turn.
pub const SHOWN_MAX: usize = 5;

/// Others shown a question, on the average, that are put up with.
pub const OTHERS_MAX: f64 = 1.3;

/// Steps of the threshold from 0 to 1.
const STEPS: u32 = 200;

/// What recall answered to one question, best first, at most [`SHOWN_MAX`].
#[derive(Clone, PartialEq, Debug)]
pub struct Answer {
    /// How many notes answer the question.
    pub notes: usize,
    /// What was shown.
    pub shown: Vec<Shown>,
}

/// One thing shown.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Shown {
    /// Its score, 0 to 1.
    pub score: f64,
    /// What it is to the question.
    pub what: What,
}

/// What an item is to a question.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum What {
    /// Of the right note with this number among the question's.
    Right(usize),
    /// Of a note that does no harm.
    Welcome,
    /// Of any other note.
    Other,
}

/// What a set of answers amounts to at one threshold.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Point {
    /// The least score shown.
    pub threshold: f64,
    /// The share of questions with a right note whose right note was shown; of several notes, the share shown.
    pub right: f64,
    /// Other notes shown a question, over all questions.
    pub others: f64,
    /// The same over questions with a note alone.
    pub others_with_a_note: f64,
    /// The same over questions without one.
    pub others_without: f64,
    /// The share of questions without a note at which nothing was shown.
    pub abstained: f64,
}

/// Measures `answers` as if they had been asked with `threshold`.
#[must_use]
pub fn measure<'a>(answers: impl Iterator<Item = &'a Answer>, threshold: f64) -> Point {
    let (mut with, mut without) = (Tally::default(), Tally::default());
    for answer in answers {
        let shown = || answer.shown.iter().filter(|item| item.score >= threshold);
        let tally = if answer.notes > 0 { &mut with } else { &mut without };
        tally.questions += 1.0;
        tally.others += shown().filter(|item| item.what == What::Other).count() as f64;
        if answer.notes > 0 {
            let found = (0..answer.notes).filter(|note| shown().any(|item| item.what == What::Right(*note)));
            tally.right += found.count() as f64 / answer.notes as f64;
        } else if shown().next().is_none() {
            tally.right += 1.0;
        }
    }
    let share = |part: f64, whole: f64| if whole > 0.0 { part / whole } else { 0.0 };
    Point {
        threshold,
        right: share(with.right, with.questions),
        others: share(with.others + without.others, with.questions + without.questions),
        others_with_a_note: share(with.others, with.questions),
        others_without: share(without.others, without.questions),
        abstained: share(without.right, without.questions),
    }
}

#[derive(Default)]
struct Tally {
    questions: f64,
    others: f64,
    right: f64,
}

/// The answers at every threshold from 0 to 1, in steps of 0.005.
#[must_use]
pub fn curve(answers: &[Answer]) -> Vec<Point> {
    (0..=STEPS).map(|step| measure(answers.iter(), f64::from(step) / f64::from(STEPS))).collect()
}

/// The threshold of the stated trade: most right notes with at most `others_max` others a question; of equal ones the one
/// with fewer others, then the higher. Where no threshold keeps within `others_max`, the one with the fewest others.
///
/// `None` for an empty curve.
#[must_use]
pub fn choose(curve: &[Point], others_max: f64) -> Option<Point> {
    let within: Vec<&Point> = curve.iter().filter(|point| point.others <= others_max).collect();
    if within.is_empty() {
        return curve.iter().min_by(|left, right| left.others.total_cmp(&right.others)).copied();
    }
    let best = within.into_iter().max_by(|left, right| {
        let by_right = left.right.total_cmp(&right.right);
        by_right.then(right.others.total_cmp(&left.others)).then(left.threshold.total_cmp(&right.threshold))
    });
    best.copied()
}

/// What the trade promises for questions it has not seen: chosen on one half of the answers, measured on the other, both
/// ways round, and averaged. `threshold` is the mean of the two chosen.
#[must_use]
pub fn held_out(answers: &[Answer], others_max: f64) -> Option<Point> {
    // Questions of a kind stand together, so every other one makes two alike halves.
    let half = |first: usize| answers.iter().skip(first).step_by(2).cloned().collect::<Vec<Answer>>();
    let (even, odd) = (half(0), half(1));
    let on = |seen: &[Answer], unseen: &[Answer]| {
        choose(&curve(seen), others_max).map(|chosen| measure(unseen.iter(), chosen.threshold))
    };
    let (left, right) = (on(&even, &odd)?, on(&odd, &even)?);
    let mean = |of: fn(&Point) -> f64| (of(&left) + of(&right)) / 2.0;
    Some(Point {
        threshold: mean(|point| point.threshold),
        right: mean(|point| point.right),
        others: mean(|point| point.others),
        others_with_a_note: mean(|point| point.others_with_a_note),
        others_without: mean(|point| point.others_without),
        abstained: mean(|point| point.abstained),
    })
}

/// The 95 % interval of a share, after Wilson: what as many questions of this sort can tell.
#[must_use]
pub fn interval(share: f64, questions: usize) -> (f64, f64) {
    const Z: f64 = 1.96;
    if questions == 0 {
        return (0.0, 1.0);
    }
    let count = questions as f64;
    let middle = (share + Z * Z / (2.0 * count)) / (1.0 + Z * Z / count);
    let spread =
        Z / (1.0 + Z * Z / count) * (share * (1.0 - share) / count + Z * Z / (4.0 * count * count)).sqrt();
    // The share itself is inside, whatever the rounding.
    ((middle - spread).clamp(0.0, share), (middle + spread).clamp(share, 1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(notes: usize, shown: &[(f64, What)]) -> Answer {
        Answer {
            notes,
            shown: shown.iter().map(|(score, what)| Shown { score: *score, what: *what }).collect(),
        }
    }

    fn answers() -> Vec<Answer> {
        vec![
            answer(1, &[(0.9, What::Right(0)), (0.5, What::Other)]),
            answer(1, &[(0.8, What::Other), (0.4, What::Right(0)), (0.3, What::Welcome)]),
            answer(2, &[(0.7, What::Right(1)), (0.65, What::Right(1))]),
            answer(0, &[(0.6, What::Other), (0.2, What::Other)]),
        ]
    }

    #[test]
    fn a_threshold_shows_what_reaches_it() {
        let all = measure(answers().iter(), 0.0);
        assert_eq!((all.right, all.others, all.abstained), (2.5 / 3.0, 1.0, 0.0));
        assert_eq!((all.others_with_a_note, all.others_without), (2.0 / 3.0, 2.0));
        let some = measure(answers().iter(), 0.65);
        assert_eq!((some.right, some.others, some.abstained), (1.5 / 3.0, 0.25, 1.0));
        let none = measure(answers().iter(), 0.95);
        assert_eq!((none.right, none.others, none.abstained), (0.0, 0.0, 1.0));
    }

    #[test]
    fn the_trade_takes_most_right_within_the_bound_then_fewest_others_then_the_highest() {
        let curve = curve(&answers());
        // 0.4 keeps every right note; between 0.2 and 0.4 there is one other more.
        let roomy = choose(&curve, 1.3).expect("chosen");
        assert_eq!((roomy.threshold, roomy.others), (0.4, 0.75));
        let tight = choose(&curve, 0.25).expect("chosen");
        assert_eq!((tight.threshold, tight.others), (0.7, 0.25));
        assert_eq!(choose(&curve, -1.0).map(|point| point.others), Some(0.0));
        assert_eq!(choose(&[], 1.3), None);
    }

    #[test]
    fn halves_that_are_alike_promise_what_they_show() {
        let twice: Vec<Answer> = answers().into_iter().flat_map(|one| [one.clone(), one]).collect();
        let whole = choose(&curve(&twice), 1.3).expect("chosen");
        assert_eq!(held_out(&twice, 1.3), Some(whole));
    }

    #[test]
    fn an_interval_holds_its_share_and_narrows() {
        for (share, questions) in [(0.0, 10), (0.5, 10), (1.0, 10), (0.97, 86)] {
            let (low, high) = interval(share, questions);
            assert!(0.0 <= low && low <= share && share <= high && high <= 1.0, "{low} {high}");
            let (nearer_low, nearer_high) = interval(share, questions * 10);
            assert!(nearer_high - nearer_low < high - low);
        }
        assert_eq!(interval(0.5, 0), (0.0, 1.0));
    }
}
