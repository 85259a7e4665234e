//! The shadow lane's rules: which turns a candidate policy is tried on, what a comparison keeps, when the lane must rest.
//!
//! A **candidate policy** is run on the very input a real turn was chosen from, after that turn is frozen, and what it
//! chose is compared with what the **standing** policy chose and thrown away. What is kept of it is a [`Comparison`]:
//! numbers and the names of two policies, and by its types nothing else. No person, turn, text, id, value or source can
//! be written into one.
//!
//! Everything here is pure: the draw, the time and the duration are arguments.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize, Serializer};

use crate::id::VersionId;
use crate::resolve::Selection;
use crate::source::words;
use crate::time::Instant;
use crate::turn::{Budget, Candidate, Selected};

/// A policy's name, `turn/N`, held as its number so that no other word can stand in its place.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct PolicyName(pub u16);

impl fmt::Display for PolicyName {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "turn/{}", self.0)
    }
}

impl FromStr for PolicyName {
    type Err = NotAPolicyName;

    fn from_str(text: &str) -> Result<Self, NotAPolicyName> {
        let number =
            text.strip_prefix("turn/").filter(|digits| digits.bytes().all(|digit| digit.is_ascii_digit()));
        number.and_then(|digits| digits.parse().ok()).map(Self).ok_or(NotAPolicyName)
    }
}

impl Serialize for PolicyName {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// A name that is not of the form `turn/N` with `N` up to 65,535.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("a policy's name is `turn/` and a number up to 65535")]
pub struct NotAPolicyName;

/// A day of the calendar in UTC, as days since 1970-01-01: the only time a comparison keeps, too coarse to find its turn by.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Day(pub i32);

impl Day {
    /// The day `instant` lies in.
    #[must_use]
    pub fn of(instant: Instant) -> Self {
        const MICROS_PER_DAY: i64 = 86_400_000_000;
        // Instants span some four million days.
        Self(instant.micros().div_euclid(MICROS_PER_DAY) as i32)
    }

    /// So many days earlier.
    #[must_use]
    pub fn before(self, days: i32) -> Self {
        Self(self.0.saturating_sub(days))
    }
}

impl fmt::Display for Day {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let start = Instant::from_micros(i64::from(self.0).saturating_mul(86_400_000_000)).timestamp();
        write!(formatter, "{}", start.to_zoned_datetime(jiff::tz::TimeZone::UTC).date())
    }
}

impl Serialize for Day {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// Which turns are tried: a share of them, never more than one in ten.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Sampling(u32);

impl Sampling {
    /// The share unless configured otherwise, in thousandths: one turn in twenty.
    pub const PER_MILLE_DEFAULT: u32 = 50;
    /// The largest share, in thousandths, whatever is configured.
    pub const PER_MILLE_MAX: u32 = 100;

    /// A share of `per_mille` thousandths, held to [`Self::PER_MILLE_MAX`].
    #[must_use]
    pub fn per_mille(per_mille: u32) -> Self {
        Self(per_mille.min(Self::PER_MILLE_MAX))
    }

    /// The share in thousandths.
    #[must_use]
    pub fn share(self) -> u32 {
        self.0
    }

    /// Whether a turn with this draw is tried; draws are spread evenly over all numbers.
    #[must_use]
    pub fn takes(self, draw: u64) -> bool {
        // The draw as a fraction of all there are, in thousandths.
        let thousandth = (u128::from(draw) * 1_000) >> 64;
        thousandth < u128::from(self.0)
    }
}

impl Default for Sampling {
    fn default() -> Self {
        Self(Self::PER_MILLE_DEFAULT)
    }
}

/// What the lane is told to do: the file `shadow.toml` of a data directory.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Settings {
    /// The policy on trial; `None` for the newest that is not the standing one.
    pub candidate: Option<PolicyName>,
    /// Which turns.
    pub sampling: Sampling,
    /// The share that was asked for, in thousandths, where it is above the cap.
    pub asked_per_mille: Option<u32>,
}

impl Settings {
    /// Reads `candidate = "turn/N"` and `sample_per_mille = N`, both of which may be left out.
    ///
    /// # Errors
    /// What is wrong, and where.
    pub fn read(text: &str) -> Result<Self, SettingsError> {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct File {
            candidate: Option<String>,
            sample_per_mille: Option<u32>,
        }
        let file: File = toml::from_str(text).map_err(|error| SettingsError(error.message().to_owned()))?;
        let candidate = file.candidate.as_deref().map(str::parse).transpose();
        let candidate =
            candidate.map_err(|error: NotAPolicyName| SettingsError(format!("`candidate`: {error}")))?;
        let asked = file.sample_per_mille.unwrap_or(Sampling::PER_MILLE_DEFAULT);
        Ok(Self {
            candidate,
            sampling: Sampling::per_mille(asked),
            asked_per_mille: (asked > Sampling::PER_MILLE_MAX).then_some(asked),
        })
    }
}

/// Settings that cannot be read.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{0}")]
pub struct SettingsError(String);

/// What a turn was chosen from and what was chosen, frozen: all that a candidate policy is handed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Frozen {
    /// The day of the turn.
    pub day: Day,
    /// The policy that chose for real.
    pub standing: PolicyName,
    /// What it chose from.
    pub considered: Vec<Candidate>,
    /// What it chose.
    pub selected: Vec<Selected>,
    /// What it had room for.
    pub budget: Budget,
    /// What its packet costs in tokens before the first item.
    pub overhead: u32,
}

/// The most versions a turn may have considered to be tried.
///
/// Above it a policy's work, which grows with the square of a dispute, and the memory held for it stop being small.
pub const CONSIDERED_MAX: usize = 500;

/// How two policies chose from the same input: numbers only.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize)]
pub struct Comparison {
    /// The policy that chose for real.
    pub standing: PolicyName,
    /// The policy on trial.
    pub candidate: PolicyName,
    /// Versions both chose from.
    pub considered: u32,
    /// Versions the standing policy chose.
    pub selected_standing: u32,
    /// Versions the candidate policy chose.
    pub selected_candidate: u32,
    /// Versions both chose.
    pub overlap: u32,
    /// Versions only the candidate policy chose.
    pub added: u32,
    /// Versions only the standing policy chose.
    pub removed: u32,
    /// Tokens of the candidate policy's choice less those of the standing one's.
    pub tokens_difference: i32,
    /// Disputes only the candidate policy showed.
    pub disputes_added: u32,
    /// Disputes only the standing policy showed.
    pub disputes_removed: u32,
    /// How long the candidate policy took, in microseconds.
    pub duration_micros: u32,
}

/// Why a candidate policy's choice could not be compared.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Incomparable {
    /// It chose a version that was not considered.
    #[error("the candidate policy chose what it was not given")]
    Foreign,
    /// It chose a version twice.
    #[error("the candidate policy chose the same twice")]
    Twice,
    /// It chose more than there is room for.
    #[error("the candidate policy chose more than the budget holds")]
    OverBudget,
}

/// Compares what the candidate policy `chose` with what was chosen for real.
///
/// # Errors
/// [`Incomparable`] when the choice is none a turn could have made.
pub fn compare(
    frozen: &Frozen,
    candidate: PolicyName,
    chose: &Selection,
    duration_micros: u64,
) -> Result<Comparison, Incomparable> {
    let standing = places(frozen, &frozen.selected)?;
    let trial = places(frozen, &chose.selected)?;
    let tokens = |places: &[usize]| -> i64 {
        places.iter().map(|place| i64::from(frozen.considered[*place].tokens)).sum()
    };
    if trial.len() > frozen.budget.slots as usize {
        return Err(Incomparable::OverBudget);
    }
    let disputes = |places: &[usize]| -> Vec<u32> {
        let mut shown: Vec<u32> =
            places.iter().filter_map(|place| frozen.considered[*place].dispute).collect();
        shown.sort_unstable();
        shown.dedup();
        shown
    };
    let (disputes_standing, disputes_trial) = (disputes(&standing), disputes(&trial));
    let without =
        |these: &[u32], those: &[u32]| these.iter().filter(|one| !those.contains(one)).count() as u32;
    let overlap = trial.iter().filter(|place| standing.contains(place)).count();
    let difference = tokens(&trial) - tokens(&standing);
    Ok(Comparison {
        standing: frozen.standing,
        candidate,
        considered: count(frozen.considered.len()),
        selected_standing: count(standing.len()),
        selected_candidate: count(trial.len()),
        overlap: count(overlap),
        added: count(trial.len() - overlap),
        removed: count(standing.len() - overlap),
        tokens_difference: difference.clamp(i64::from(i32::MIN), i64::from(i32::MAX)) as i32,
        disputes_added: without(&disputes_trial, &disputes_standing),
        disputes_removed: without(&disputes_standing, &disputes_trial),
        duration_micros: duration_micros.min(u64::from(u32::MAX)) as u32,
    })
}

fn count(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(u32::MAX)
}

/// Where the selected stand among what was considered, each once.
fn places(frozen: &Frozen, selected: &[Selected]) -> Result<Vec<usize>, Incomparable> {
    let place = |version: VersionId| frozen.considered.iter().position(|one| one.version == version);
    let mut places = Vec::with_capacity(selected.len().min(frozen.considered.len()));
    for one in selected {
        let place = place(one.version).ok_or(Incomparable::Foreign)?;
        if places.contains(&place) {
            return Err(Incomparable::Twice);
        }
        places.push(place);
    }
    Ok(places)
}

/// Upper bounds of the histogram of durations, in microseconds; a last bucket holds what is longer.
pub const DURATION_BOUNDS_MICROS: [u32; 9] = [10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000];

/// The number of buckets of the histogram of durations.
pub const DURATION_BUCKETS: usize = DURATION_BOUNDS_MICROS.len() + 1;

/// The bucket a duration belongs to.
#[must_use]
pub fn duration_bucket(duration_micros: u32) -> usize {
    DURATION_BOUNDS_MICROS.partition_point(|bound| *bound < duration_micros)
}

/// All comparisons of two policies on one day, added up.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct Rollup {
    /// The policy that chose for real.
    pub standing: PolicyName,
    /// The policy on trial.
    pub candidate: PolicyName,
    /// The day.
    pub day: Day,
    /// How many comparisons.
    pub compared: u64,
    /// How many of them chose differently.
    pub changed: u64,
    /// Sum of [`Comparison::considered`].
    pub considered: u64,
    /// Sum of [`Comparison::selected_standing`].
    pub selected_standing: u64,
    /// Sum of [`Comparison::selected_candidate`].
    pub selected_candidate: u64,
    /// Sum of [`Comparison::overlap`].
    pub overlap: u64,
    /// Sum of [`Comparison::added`].
    pub added: u64,
    /// Sum of [`Comparison::removed`].
    pub removed: u64,
    /// Sum of [`Comparison::tokens_difference`].
    pub tokens_difference: i64,
    /// Sum of [`Comparison::disputes_added`].
    pub disputes_added: u64,
    /// Sum of [`Comparison::disputes_removed`].
    pub disputes_removed: u64,
    /// Sum of [`Comparison::duration_micros`].
    pub duration_micros: u64,
    /// How many took how long, by [`DURATION_BOUNDS_MICROS`].
    pub durations: [u64; DURATION_BUCKETS],
}

impl Rollup {
    /// A day on which nothing was compared yet.
    #[must_use]
    pub fn new(standing: PolicyName, candidate: PolicyName, day: Day) -> Self {
        Self {
            standing,
            candidate,
            day,
            compared: 0,
            changed: 0,
            considered: 0,
            selected_standing: 0,
            selected_candidate: 0,
            overlap: 0,
            added: 0,
            removed: 0,
            tokens_difference: 0,
            disputes_added: 0,
            disputes_removed: 0,
            duration_micros: 0,
            durations: [0; DURATION_BUCKETS],
        }
    }

    /// Adds a comparison of the same two policies on the same day.
    pub fn add(&mut self, one: &Comparison) {
        self.compared += 1;
        self.changed += u64::from(one.added > 0 || one.removed > 0);
        self.considered += u64::from(one.considered);
        self.selected_standing += u64::from(one.selected_standing);
        self.selected_candidate += u64::from(one.selected_candidate);
        self.overlap += u64::from(one.overlap);
        self.added += u64::from(one.added);
        self.removed += u64::from(one.removed);
        self.tokens_difference += i64::from(one.tokens_difference);
        self.disputes_added += u64::from(one.disputes_added);
        self.disputes_removed += u64::from(one.disputes_removed);
        self.duration_micros += u64::from(one.duration_micros);
        self.durations[duration_bucket(one.duration_micros)] += 1;
    }

    /// The share of all that either policy chose which both chose, 0 to 1; 1 where neither chose anything.
    #[must_use]
    pub fn agreement(&self) -> f64 {
        match self.overlap + self.added + self.removed {
            0 => 1.0,
            either => self.overlap as f64 / either as f64,
        }
    }
}

words! {
    /// What the lane counts. Places are numbers on disk: add at the end, never reorder.
    Event {
        /// Turns resolved while the lane was there.
        Turns = "turns",
        /// Turns that were drawn. Each ends as one skip, one comparison or one failure.
        Sampled = "sampled",
        /// Drawn, but more than [`CONSIDERED_MAX`] versions were considered.
        SkippedTooMany = "skipped_too_many_considered",
        /// Drawn, but triage had nothing chosen, so there is nothing to compare.
        SkippedNothingChosen = "skipped_nothing_to_choose",
        /// Drawn, but the turn was chosen by the candidate policy itself, or by one without a number.
        SkippedSamePolicy = "skipped_same_policy",
        /// Drawn, but the kill switch is off.
        SkippedSwitchedOff = "skipped_switched_off",
        /// Drawn, but the breaker is open.
        SkippedBreakerOpen = "skipped_breaker_open",
        /// Drawn, but the lane is at work on an earlier turn: there is no queue.
        SkippedBusy = "skipped_busy",
        /// Compared.
        Compared = "compared",
        /// Compared, and the candidate policy took longer than [`SLOW_MICROS`].
        Slow = "slow",
        /// The candidate policy panicked.
        FailedPanic = "failed_panic",
        /// The candidate policy chose what no turn could.
        FailedIncomparable = "failed_incomparable",
        /// The breaker opened.
        BreakerOpened = "breaker_opened",
        /// A comparison could not be written down and was dropped.
        DroppedRows = "dropped_rows",
    }
}

impl Event {
    /// The reasons for which a drawn turn is not tried.
    pub const SKIPS: [Self; 6] = [
        Self::SkippedTooMany,
        Self::SkippedNothingChosen,
        Self::SkippedSamePolicy,
        Self::SkippedSwitchedOff,
        Self::SkippedBreakerOpen,
        Self::SkippedBusy,
    ];
}

/// How often each [`Event`] happened.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Tally([u64; Event::ALL.len()]);

impl Tally {
    /// How often `event` happened.
    #[must_use]
    pub fn of(&self, event: Event) -> u64 {
        self.0[event as usize]
    }

    /// Counts `event` so many times more.
    pub fn add(&mut self, event: Event, times: u64) {
        self.0[event as usize] += times;
    }

    /// Adds all of another tally.
    pub fn add_all(&mut self, other: &Self) {
        Event::ALL.iter().for_each(|event| self.add(*event, other.of(*event)));
    }

    /// What happened since `earlier`, which is a tally of the same lane.
    #[must_use]
    pub fn since(&self, earlier: &Self) -> Self {
        let mut gained = Self::default();
        for event in Event::ALL {
            gained.add(*event, self.of(*event).saturating_sub(earlier.of(*event)));
        }
        gained
    }

    /// How many drawn turns were not tried.
    #[must_use]
    pub fn skipped(&self) -> u64 {
        Event::SKIPS.iter().map(|event| self.of(*event)).sum()
    }
}

impl Serialize for Tally {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(Event::ALL.iter().map(|event| (event.as_str(), self.of(*event))))
    }
}

/// A comparison that takes longer than this is slow, in microseconds: 5 ms.
pub const SLOW_MICROS: u64 = 5_000;

/// The lane's breaker: after three slow or panicking comparisons within five minutes it keeps the lane shut for five
/// minutes, then lets one through to see.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Breaker(State);

#[derive(Clone, PartialEq, Eq, Debug)]
enum State {
    /// When the last strikes were, oldest first; one more would open it.
    Closed {
        strikes: [Option<u64>; Breaker::STRIKES_MAX - 1],
    },
    Open {
        until: u64,
    },
}

impl Default for State {
    fn default() -> Self {
        Self::Closed { strikes: Default::default() }
    }
}

/// What a breaker lets through.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Passage {
    /// Everything.
    Closed,
    /// One, to see.
    HalfOpen,
    /// Nothing.
    Open,
}

impl Breaker {
    /// So many strikes open it.
    pub const STRIKES_MAX: usize = 3;
    /// How long it stays open, and how long a strike counts, in microseconds: 5 minutes.
    pub const OPEN_MICROS: u64 = 300_000_000;

    /// What it lets through at `now`, in microseconds of any clock that does not go back.
    #[must_use]
    pub fn passage(&self, now: u64) -> Passage {
        match self.0 {
            State::Closed { .. } => Passage::Closed,
            State::Open { until } if now < until => Passage::Open,
            State::Open { .. } => Passage::HalfOpen,
        }
    }

    /// Takes note that a comparison ended at `now`; a strike is one that was slow or panicked. Whether that opened it.
    pub fn ended(&mut self, now: u64, strike: bool) -> bool {
        let opens = match (&mut self.0, strike) {
            (State::Closed { .. }, false) => false,
            (State::Closed { strikes }, true) => {
                let counts = |at: &u64| now.saturating_sub(*at) < Self::OPEN_MICROS;
                let mut recent: Vec<u64> = strikes.iter().flatten().copied().filter(counts).collect();
                let opens = recent.len() + 1 >= Self::STRIKES_MAX;
                recent.push(now);
                if !opens {
                    *strikes = Default::default();
                    strikes.iter_mut().zip(recent).for_each(|(place, at)| *place = Some(at));
                }
                opens
            }
            // One that was let through before and ends late tells nothing new.
            (State::Open { until }, _) if now < *until => false,
            (State::Open { .. }, false) => {
                self.0 = State::default();
                false
            }
            (State::Open { .. }, true) => true,
        };
        if opens {
            self.0 = State::Open { until: now.saturating_add(Self::OPEN_MICROS) };
        }
        opens
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::id::Position;
    use crate::registry::Class;
    use crate::resolve::{Policy, select};
    use crate::turn::{Features, Why};

    #[test]
    fn names_and_days_are_read_and_written() {
        assert_eq!("turn/3".parse(), Ok(PolicyName(3)));
        assert_eq!(PolicyName(3).to_string(), "turn/3");
        for wrong in ["turn/", "turn/x", "turn/70000", "turn/+3", "Ana", "turn/3 Ana", ""] {
            assert_eq!(wrong.parse::<PolicyName>(), Err(NotAPolicyName), "{wrong}");
        }
        for policy in Policy::ALL {
            assert_eq!(
                policy.name().parse::<PolicyName>().map(|name| name.to_string()),
                Ok(policy.name().to_owned())
            );
        }
        assert_eq!(Day::of("2026-11-30T23:59:59Z".parse().expect("an instant")).to_string(), "2026-11-30");
        assert_eq!(Day::of("1969-12-31T23:59:59Z".parse().expect("an instant")), Day(-1));
    }

    #[test]
    fn settings_are_read_and_capped() {
        assert_eq!(Settings::read(""), Ok(Settings::default()));
        let read = Settings::read("candidate = \"turn/1\"\nsample_per_mille = 20").expect("settings");
        assert_eq!((read.candidate, read.sampling.share()), (Some(PolicyName(1)), 20));
        let read = Settings::read("sample_per_mille = 900").expect("settings");
        assert_eq!((read.sampling.share(), read.asked_per_mille), (100, Some(900)));
        for wrong in ["candidate = 3", "candidate = \"mine\"", "sample = 3", "sample_per_mille = -1", "["] {
            assert!(Settings::read(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn buckets_hold_their_upper_bound() {
        assert_eq!([0, 10, 11, 5_000, 5_001, u32::MAX].map(duration_bucket), [0, 0, 1, 8, 9, 9]);
    }

    fn frozen(considered: Vec<Candidate>, standing: Policy) -> Frozen {
        let budget = Budget { slots: 12, tokens: 300 };
        let selected = select(standing, &considered, budget, 10).selected;
        let standing = standing.name().parse().expect("a name");
        Frozen { day: Day(20_000), standing, considered, selected, budget, overhead: 10 }
    }

    fn one(seq: u64, relevance: u32, dispute: Option<u32>) -> Candidate {
        Candidate {
            version: VersionId(Position::new(seq, 0)),
            class: [Class::Identity, Class::Preference, Class::World, Class::Project][seq as usize % 4],
            important: seq.is_multiple_of(3),
            relevance,
            tokens: 20 + seq as u32 % 7,
            support: 1,
            dispute,
            confirmed_at: Instant::default(),
            features: Features::default(),
        }
    }

    #[test]
    fn a_choice_no_turn_could_make_is_not_compared() {
        let frozen = frozen((1..=20).map(|seq| one(seq, 500_000, None)).collect(), Policy::Turn2);
        let chose = |seqs: &[u64]| Selection {
            selected: seqs
                .iter()
                .map(|seq| Selected { version: VersionId(Position::new(*seq, 0)), why: Why::Matches })
                .collect(),
            dropped: Vec::new(),
        };
        let all: Vec<u64> = (1..=13).collect();
        for (seqs, wrong) in [
            (&[1, 99][..], Incomparable::Foreign),
            (&[1, 1], Incomparable::Twice),
            (&all, Incomparable::OverBudget),
        ] {
            assert_eq!(compare(&frozen, PolicyName(3), &chose(seqs), 1), Err(wrong));
        }
        assert!(compare(&frozen, PolicyName(3), &chose(&[]), u64::MAX).is_ok());
    }

    fn any_frozen() -> impl Strategy<Value = Frozen> {
        let member = (0..900_000_u32, proptest::option::of(0..3_u32));
        (proptest::collection::vec(member, 0..60), any::<bool>()).prop_map(|(all, first)| {
            let considered = (1..)
                .zip(all)
                .map(|(seq, (relevance, dispute))| one(seq, relevance.saturating_sub(300_000), dispute));
            frozen(considered.collect(), if first { Policy::Turn1 } else { Policy::Turn2 })
        })
    }

    proptest! {
        #[test]
        fn no_more_than_one_turn_in_ten_is_tried(asked in any::<u32>(), draw in any::<u64>()) {
            let sampling = Sampling::per_mille(asked);
            prop_assert!(sampling.share() <= Sampling::PER_MILLE_MAX);
            // The draws that are taken are the lowest; above a tenth of all there are, none is.
            if draw > u64::MAX / 10 + 1 {
                prop_assert!(!sampling.takes(draw));
            }
            prop_assert!(!Sampling::per_mille(0).takes(draw));
            prop_assert_eq!(Sampling::per_mille(u32::MAX).takes(draw), Sampling::per_mille(100).takes(draw));
        }

        #[test]
        fn the_share_taken_is_the_share_asked(asked in 0..=100_u32, start in any::<u64>()) {
            // Evenly spread draws, from anywhere.
            let draws = 100_000_u64;
            let step = u64::MAX / draws;
            let taken = (0..draws).filter(|number| Sampling::per_mille(asked).takes(start.wrapping_add(number * step))).count();
            prop_assert!((taken as i64 - i64::from(asked) * 100).abs() <= 2, "{} of {}", taken, asked);
        }

        #[test]
        fn a_comparison_adds_up(frozen in any_frozen(), duration in any::<u32>()) {
            for policy in Policy::ALL {
                let chose = select(policy, &frozen.considered, frozen.budget, frozen.overhead);
                let name = policy.name().parse().expect("a name");
                let row = compare(&frozen, name, &chose, u64::from(duration)).expect("a real policy's choice");
                prop_assert_eq!(row.overlap + row.added, row.selected_candidate);
                prop_assert_eq!(row.overlap + row.removed, row.selected_standing);
                prop_assert_eq!(row.selected_candidate as usize, chose.selected.len());
                prop_assert_eq!(row.selected_standing as usize, frozen.selected.len());
                prop_assert_eq!(row.considered as usize, frozen.considered.len());
                prop_assert!(row.added + row.selected_standing <= row.considered);
                prop_assert_eq!(row.duration_micros, duration);
                if name == frozen.standing {
                    prop_assert_eq!((row.added, row.removed, row.tokens_difference), (0, 0, 0));
                    prop_assert_eq!((row.disputes_added, row.disputes_removed), (0, 0));
                }
                let mut rollup = Rollup::new(row.standing, row.candidate, frozen.day);
                rollup.add(&row);
                rollup.add(&row);
                prop_assert_eq!(rollup.overlap + rollup.added, rollup.selected_candidate);
                prop_assert_eq!(rollup.durations.iter().sum::<u64>(), rollup.compared);
                prop_assert!((0.0..=1.0).contains(&rollup.agreement()));
            }
        }

        #[test]
        fn a_row_holds_numbers_and_policy_names_only(frozen in any_frozen()) {
            let row = compare(&frozen, PolicyName(9), &Selection::default(), 7).expect("nothing chosen");
            let json = serde_json::to_value(row).expect("JSON");
            for (field, value) in json.as_object().expect("an object") {
                let is_name = value.as_str().is_some_and(|text| text.parse::<PolicyName>().is_ok());
                prop_assert!(value.is_i64() || value.is_u64() || is_name, "{} is {}", field, value);
            }
        }

        #[test]
        fn the_breaker_keeps_its_laws(steps in proptest::collection::vec((0..400_000_000_u64, any::<bool>()), 0..60)) {
            let mut breaker = Breaker::default();
            let (mut now, mut opened_at, mut strikes) = (0_u64, None::<u64>, Vec::<u64>::new());
            for (later, strike) in steps {
                now += later;
                let passage = breaker.passage(now);
                match opened_at {
                    Some(at) if now < at + Breaker::OPEN_MICROS => prop_assert_eq!(passage, Passage::Open),
                    Some(_) => prop_assert_eq!(passage, Passage::HalfOpen),
                    None => prop_assert_eq!(passage, Passage::Closed),
                }
                if passage == Passage::Open {
                    // Nothing is let through, so nothing ends; what ends late changes nothing.
                    let before = breaker.clone();
                    prop_assert!(!breaker.ended(now, strike));
                    prop_assert_eq!(&breaker, &before);
                    continue;
                }
                let opened = breaker.ended(now, strike);
                if strike {
                    strikes.push(now);
                }
                let recent = strikes.iter().filter(|at| now - **at < Breaker::OPEN_MICROS).count();
                let expected = strike && (passage == Passage::HalfOpen || recent >= Breaker::STRIKES_MAX);
                prop_assert_eq!(opened, expected);
                if opened || passage == Passage::HalfOpen {
                    strikes.clear();
                    opened_at = opened.then_some(now);
                }
            }
        }

        #[test]
        fn tallies_add_up(counts in proptest::collection::vec((0..Event::ALL.len(), 0..1_000_u64), 0..40)) {
            let (mut first, mut both) = (Tally::default(), Tally::default());
            for (number, (event, times)) in counts.iter().enumerate() {
                if number % 2 == 0 {
                    first.add(Event::ALL[*event], *times);
                }
                both.add(Event::ALL[*event], *times);
            }
            let mut again = both.since(&first);
            again.add_all(&first);
            prop_assert_eq!(again, both);
        }
    }
}
