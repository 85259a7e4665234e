//! Figures of a ranking, and how far to trust them.
//!
//! *Recall at k* of a question is the share of its evidence among the first k. *nDCG at k* has binary gains discounted by
//! the logarithm of the place, over the best that could be had. The *reciprocal rank* is one over the place of the first
//! evidence. *Any* and *all* say whether one or every piece of evidence stands among the first k. An interval is the
//! middle 95 % of means over resampled questions, with a fixed seed.

use std::collections::BTreeSet;

use serde::Serialize;

use crate::measure::Chance;

/// The figures of one question.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Scores {
    /// Recall at 5.
    pub recall_5: f64,
    /// Recall at 10.
    pub recall_10: f64,
    /// nDCG at 10.
    pub gain_10: f64,
    /// The reciprocal rank of the first evidence, 0 where none was returned at all.
    pub reciprocal: f64,
    /// 1 when any evidence stands among the first 5.
    pub any_5: f64,
    /// 1 when any evidence stands among the first 10.
    pub any_10: f64,
    /// 1 when all evidence stands among the first 10.
    pub all_10: f64,
}

/// Which figure.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Metric {
    /// Recall at 5.
    Recall5,
    /// Recall at 10.
    Recall10,
    /// nDCG at 10.
    Gain10,
    /// Mean reciprocal rank.
    Reciprocal,
    /// Any evidence among the first 5.
    Any5,
    /// Any evidence among the first 10.
    Any10,
    /// All evidence among the first 10.
    All10,
}

impl Metric {
    /// Every figure, in the order of reports.
    pub const ALL: &'static [Self] = &[
        Self::Recall5,
        Self::Recall10,
        Self::Gain10,
        Self::Reciprocal,
        Self::Any5,
        Self::Any10,
        Self::All10,
    ];

    /// The name in reports.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Recall5 => "recall@5",
            Self::Recall10 => "recall@10",
            Self::Gain10 => "nDCG@10",
            Self::Reciprocal => "MRR",
            Self::Any5 => "any@5",
            Self::Any10 => "any@10",
            Self::All10 => "all@10",
        }
    }

    /// Its value.
    #[must_use]
    pub const fn of(self, scores: &Scores) -> f64 {
        match self {
            Self::Recall5 => scores.recall_5,
            Self::Recall10 => scores.recall_10,
            Self::Gain10 => scores.gain_10,
            Self::Reciprocal => scores.reciprocal,
            Self::Any5 => scores.any_5,
            Self::Any10 => scores.any_10,
            Self::All10 => scores.all_10,
        }
    }
}

/// The figures of a ranking, best first and nothing twice, for a question with this evidence; all 0 without evidence.
#[must_use]
pub fn score(ranked: &[String], evidence: &BTreeSet<String>) -> Scores {
    if evidence.is_empty() {
        return Scores::default();
    }
    let found: Vec<bool> = ranked.iter().map(|id| evidence.contains(id)).collect();
    let within = |places: usize| found.iter().take(places).filter(|hit| **hit).count();
    let share = |places: usize| within(places) as f64 / evidence.len() as f64;
    let gain = |place: usize| 1.0 / (place as f64 + 2.0).log2();
    let best: f64 = (0..evidence.len().min(10)).map(gain).sum();
    // An empty sum of floating point numbers is minus zero, and would be printed so.
    let gained =
        (0..found.len().min(10)).filter(|place| found[*place]).map(gain).fold(0.0, |sum, gain| sum + gain);
    let truth = |holds: bool| f64::from(u8::from(holds));
    Scores {
        recall_5: share(5),
        recall_10: share(10),
        gain_10: gained / best,
        reciprocal: found.iter().position(|hit| *hit).map_or(0.0, |place| 1.0 / (place as f64 + 1.0)),
        any_5: truth(within(5) > 0),
        any_10: truth(within(10) > 0),
        all_10: truth(within(10) == evidence.len()),
    }
}

/// A mean and the middle 95 % of the means of resampled questions.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize)]
pub struct Interval {
    /// The mean.
    pub mean: f64,
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

impl Interval {
    /// Whether zero lies outside.
    #[must_use]
    pub fn excludes_zero(&self) -> bool {
        self.low > 0.0 || self.high < 0.0
    }

    /// `0.512 [0.470, 0.553]`.
    #[must_use]
    pub fn text(&self) -> String {
        format!("{:.3} [{:.3}, {:.3}]", self.mean, self.low, self.high)
    }

    /// `+0.051 [+0.010, +0.092]`.
    #[must_use]
    pub fn signed(&self) -> String {
        format!("{:+.3} [{:+.3}, {:+.3}]", self.mean, self.low, self.high)
    }
}

/// How often questions are drawn anew for an interval.
pub const RESAMPLES: usize = 2_000;

/// From this many conversations on, whole conversations are drawn, because questions about one are no independent ones.
pub const GROUPS_MIN: usize = 8;

const SEED: u64 = 0x0005_eed0_f7e5_7130;

/// The mean of `values` and its interval. `groups` names the conversation of each value: with [`GROUPS_MIN`] or more of
/// them whole conversations are drawn with replacement, with fewer single values are.
///
/// Differences of two systems on the same questions are paired by handing in the differences themselves.
#[must_use]
pub fn bootstrap(values: &[f64], groups: &[&str]) -> Interval {
    let mean = |total: f64, count: usize| if count == 0 { 0.0 } else { total / count as f64 };
    let mut names: Vec<&str> = groups.to_vec();
    names.sort_unstable();
    names.dedup();
    // Each unit that is drawn, as its total and its count.
    let units: Vec<(f64, usize)> = match names.len() >= GROUPS_MIN {
        true => {
            let mut units = vec![(0.0, 0); names.len()];
            for (value, group) in values.iter().zip(groups) {
                if let Ok(place) = names.binary_search(group) {
                    units[place].0 += value;
                    units[place].1 += 1;
                }
            }
            units
        }
        false => values.iter().map(|value| (*value, 1)).collect(),
    };
    let mut chance = Chance::new(SEED);
    let mut means: Vec<f64> = (0..RESAMPLES)
        .map(|_| {
            let drawn = (0..units.len()).map(|_| units[chance.below(units.len())]);
            let (total, count) =
                drawn.fold((0.0, 0), |sum, unit: (f64, usize)| (sum.0 + unit.0, sum.1 + unit.1));
            mean(total, count)
        })
        .collect();
    means.sort_by(f64::total_cmp);
    let at = |share: f64| means[((means.len() - 1) as f64 * share).round() as usize];
    Interval { mean: mean(values.iter().sum(), values.len()), low: at(0.025), high: at(0.975) }
}

/// The chance that a value of `higher` is above one of `lower`, ties counting half: 0.5 when they cannot be told apart.
/// `None` when either is empty.
#[must_use]
pub fn separation(higher: &[f64], lower: &[f64]) -> Option<f64> {
    if higher.is_empty() || lower.is_empty() {
        return None;
    }
    let mut wins = 0.0;
    for one in higher {
        for other in lower {
            wins += match one.total_cmp(other) {
                std::cmp::Ordering::Greater => 1.0,
                std::cmp::Ordering::Equal => 0.5,
                std::cmp::Ordering::Less => 0.0,
            };
        }
    }
    Some(wins / (higher.len() * lower.len()) as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ids(ids: &[&str]) -> Vec<String> {
        ids.iter().map(|id| (*id).to_owned()).collect()
    }

    fn set(members: &[&str]) -> BTreeSet<String> {
        ids(members).into_iter().collect()
    }

    fn near(left: f64, right: f64) {
        assert!((left - right).abs() < 1e-9, "{left} is not {right}");
    }

    #[test]
    fn figures_agree_with_those_worked_out_by_hand() {
        // Evidence b and x; found at places 2 (b) and 7 (x).
        let ranked = ids(&["a", "b", "c", "d", "e", "f", "x", "g"]);
        let scores = score(&ranked, &set(&["b", "x"]));
        near(scores.recall_5, 0.5);
        near(scores.recall_10, 1.0);
        near(scores.reciprocal, 0.5);
        // Gains at places 2 and 7: 1/log2(3) + 1/log2(8); the best: 1/log2(2) + 1/log2(3).
        near(scores.gain_10, (1.0 / 3_f64.log2() + 1.0 / 3.0) / (1.0 + 1.0 / 3_f64.log2()));
        near(scores.any_5, 1.0);
        near(scores.all_10, 1.0);
    }

    #[test]
    fn evidence_behind_the_tenth_place_counts_for_the_reciprocal_rank_only() {
        let mut ranked: Vec<String> = (0..11).map(|place| format!("n{place}")).collect();
        ranked.push("x".to_owned());
        let scores = score(&ranked, &set(&["x"]));
        near(scores.recall_10, 0.0);
        near(scores.gain_10, 0.0);
        near(scores.reciprocal, 1.0 / 12.0);
        near(scores.any_10, 0.0);
    }

    #[test]
    fn more_evidence_than_places_is_measured_against_ten_places() {
        let evidence: Vec<String> = (0..12).map(|place| format!("e{place}")).collect();
        let scores = score(&evidence, &evidence.iter().cloned().collect());
        near(scores.gain_10, 1.0);
        near(scores.recall_10, 10.0 / 12.0);
        near(scores.all_10, 0.0);
    }

    #[test]
    fn nothing_found_and_nothing_to_find_are_zero() {
        assert_eq!(score(&[], &set(&["x"])), Scores::default());
        assert_eq!(score(&ids(&["a"]), &set(&[])), Scores::default());
    }

    #[test]
    fn an_interval_holds_its_mean_and_is_the_same_each_time() {
        let values: Vec<f64> = (0..60).map(|place| f64::from(place % 2)).collect();
        let groups = vec!["one"; 60];
        let interval = bootstrap(&values, &groups);
        near(interval.mean, 0.5);
        assert!(interval.low < 0.5 && 0.5 < interval.high, "{interval:?}");
        // The standard error of 60 fair coins is 0.0645; the interval is nearly two of them either way.
        assert!((0.33..=0.42).contains(&interval.low), "{interval:?}");
        assert_eq!(interval, bootstrap(&values, &groups));
    }

    #[test]
    fn questions_that_share_a_conversation_say_less_than_questions_that_do_not() {
        let names: Vec<String> = (0..10).map(|chat| format!("chat {chat}")).collect();
        // Every conversation is all right or all wrong.
        let values: Vec<f64> = (0..100).map(|place| f64::from(place / 10 % 2)).collect();
        let together: Vec<&str> = (0..100).map(|place| names[place / 10].as_str()).collect();
        let apart = vec!["one"; 100];
        let width = |groups: &[&str]| {
            let interval = bootstrap(&values, groups);
            interval.high - interval.low
        };
        assert!(width(&together) > 2.0 * width(&apart));
    }

    #[test]
    fn a_constant_has_no_width_and_an_empty_list_is_zero() {
        assert_eq!(bootstrap(&[0.25; 9], &["x"; 9]), Interval { mean: 0.25, low: 0.25, high: 0.25 });
        assert_eq!(bootstrap(&[], &[]), Interval::default());
        assert!(bootstrap(&[0.25; 9], &["x"; 9]).excludes_zero());
    }

    #[test]
    fn separation_is_the_chance_to_rank_right() {
        assert_eq!(separation(&[2.0, 3.0], &[1.0]), Some(1.0));
        assert_eq!(separation(&[1.0], &[1.0]), Some(0.5));
        assert_eq!(separation(&[1.0, 3.0], &[2.0]), Some(0.5));
        assert_eq!(separation(&[], &[2.0]), None);
    }
}
