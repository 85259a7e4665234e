//! The chart of a fact: its versions on two clocks, as a picture made of nothing but their spans.
//!
//! From left to right runs the time in the world, from top to bottom the time this system knew of it. Each state of a version is a
//! rectangle: the span in which its value held, by the span in which that was believed. Both are half-open. The edges where they
//! begin are drawn; where a span has an end, the edge there is thin, since the end is not part of it; where it has none, the
//! rectangle is open. A retired state is dashed. The steps of both axes are the instants at which something changed, not to scale.

use engine::lives::Life;
use ledger::time::Instant;
use maud::{Markup, html};

use super::desk::Reader;
use super::phrases::Phrase;
use super::when;
use super::words::flat;

const WIDTH: f64 = 360.0;
const LEFT: f64 = 74.0;
const RIGHT: f64 = 350.0;
const TOP: f64 = 40.0;

/// Height of a step of belief.
const STEP: f64 = 34.0;

/// Steps drawn in full height; more are drawn closer.
const STEPS_TALL: usize = 8;

/// Labels on the upper axis, at most: more would run into each other.
const LABELS_ACROSS: usize = 4;

/// Labels on the other, at most.
const LABELS_DOWN: usize = 10;

/// States that are drawn, at most; the table tells all.
const STATES_MAX: usize = 120;

/// A state as a rectangle.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Rectangle {
    /// The version's place among the versions, from 1.
    pub number: usize,
    /// Where validity begins and ends.
    pub across: (f64, f64),
    /// Where belief begins and ends.
    pub down: (f64, f64),
    /// Whether validity has no end.
    pub open_right: bool,
    /// Whether belief has no end.
    pub open_below: bool,
    /// Whether the state is no longer held for any time.
    pub retired: bool,
    /// The state told in words.
    told: (usize, usize),
}

/// One of the clocks: instants in order, each a step apart.
#[derive(Debug)]
pub(super) struct Axis {
    instants: Vec<Instant>,
    from: f64,
    to: f64,
}

impl Axis {
    fn of(mut instants: Vec<Instant>, from: f64, to: f64) -> Self {
        instants.sort_unstable();
        instants.dedup();
        Self { instants, from, to }
    }

    /// Where an instant of the axis is; what has no end is at the axis's own.
    fn place(&self, instant: Option<Instant>) -> f64 {
        let steps = self.instants.len();
        let step = instant.map_or(steps, |instant| self.instants.partition_point(|one| *one < instant));
        // Open ends get a step of their own, so that the last that began is seen.
        self.from + (self.to - self.from) * step as f64 / steps.max(1) as f64
    }
}

/// A chart before it is drawn.
#[derive(Debug)]
pub(super) struct Chart {
    /// Validity.
    pub across: Axis,
    /// Belief.
    pub down: Axis,
    /// The states, in the order of their versions.
    pub rectangles: Vec<Rectangle>,
    height: f64,
}

/// Works out where everything lies.
pub(super) fn chart(lives: &[Life], now: Instant) -> Chart {
    let read = |written: &str| written.parse::<Instant>().ok();
    let states = || lives.iter().flat_map(|life| &life.states).take(STATES_MAX);
    let validity = states().flat_map(|state| [Some(&state.validity.from), state.validity.to.as_ref()]);
    let validity: Vec<Instant> = validity.flatten().filter_map(|at| read(at)).chain([now]).collect();
    let belief = states().flat_map(|state| [Some(&state.belief.from), state.belief.to.as_ref()]);
    let belief: Vec<Instant> = belief.flatten().filter_map(|at| read(at)).chain([now]).collect();
    let across = Axis::of(validity, LEFT, RIGHT);
    let steps = belief.iter().collect::<std::collections::BTreeSet<_>>().len();
    let bottom = TOP + STEP * steps.min(STEPS_TALL) as f64;
    let down = Axis::of(belief, TOP, bottom);
    let mut rectangles = Vec::new();
    for (place, life) in lives.iter().enumerate() {
        for (number, state) in life.states.iter().enumerate() {
            let (Some(valid_from), Some(believed_from)) =
                (read(&state.validity.from), read(&state.belief.from))
            else {
                continue;
            };
            let valid_to = state.validity.to.as_deref().and_then(read);
            let believed_to = state.belief.to.as_deref().and_then(read);
            // Two states of one instant: the first was never held.
            if believed_to == Some(believed_from) || rectangles.len() >= STATES_MAX {
                continue;
            }
            rectangles.push(Rectangle {
                number: place + 1,
                across: (across.place(Some(valid_from)), across.place(valid_to)),
                down: (down.place(Some(believed_from)), down.place(believed_to)),
                open_right: valid_to.is_none(),
                open_below: believed_to.is_none(),
                retired: state.standing == "retired",
                told: (place, number),
            });
        }
    }
    Chart { across, down, rectangles, height: bottom + 12.0 }
}

/// The chart as a picture. `values` are the versions' values in words, in the order of `lives`.
pub(super) fn draw(reader: &Reader, lives: &[Life], values: &[String], now: Instant) -> Markup {
    let Chart { across, down, rectangles, height } = chart(lives, now);
    let here = (across.place(Some(now)), down.place(Some(now)));
    html! {
        svg.chart viewBox=(format!("0 0 {WIDTH} {height}")) role="img" aria-labelledby="chart-title chart-text" {
            title #chart-title { (reader.say(Phrase::ChartTitle)) }
            desc #chart-text {
                (reader.say(Phrase::ChartText))
                @for rectangle in &rectangles { " " (told(reader, lives, values, rectangle)) "." }
            }
            g aria-hidden="true" {
                text.axis x=(LEFT) y="12" { (reader.say(Phrase::TrueInTheWorld)) " →" }
                text.axis x="4" y=(TOP - 8.0) { (reader.say(Phrase::Held)) " ↓" }
                @for (place, label) in labels(reader, &across, LABELS_ACROSS) {
                    line.grid x1=(number(place)) x2=(number(place)) y1=(TOP) y2=(height - 12.0) {}
                    text.tick x=(number(place)) y=(TOP - 8.0) text-anchor="middle" { (label) }
                }
                @for (place, label) in labels(reader, &down, LABELS_DOWN) {
                    line.grid x1=(LEFT) x2=(RIGHT) y1=(number(place)) y2=(number(place)) {}
                    text.tick x="4" y=(number(place + 12.0)) { (label) }
                }
                line.now x1=(number(here.0)) x2=(number(here.0)) y1=(TOP) y2=(height - 12.0) {}
                line.now x1=(LEFT) x2=(RIGHT) y1=(number(here.1)) y2=(number(here.1)) {}
            }
            @for rectangle in &rectangles {
                (drawn(rectangle, &told(reader, lives, values, rectangle)))
            }
        }
    }
}

fn drawn(rectangle: &Rectangle, told: &str) -> Markup {
    let Rectangle { across: (left, right), down: (top, bottom), .. } = *rectangle;
    let path = |from: (f64, f64), to: (f64, f64)| {
        format!("M{} {}L{} {}", number(from.0), number(from.1), number(to.0), number(to.1))
    };
    let begins = format!("{}{}", path((left, bottom), (left, top)), path((left, top), (right, top)));
    let mut ends = String::new();
    if !rectangle.open_right {
        ends.push_str(&path((right, top), (right, bottom)));
    }
    if !rectangle.open_below {
        ends.push_str(&path((left, bottom), (right, bottom)));
    }
    html! {
        g class=(format!("state hue-{}{}", (rectangle.number - 1) % 6, if rectangle.retired { " retired" } else { "" })) {
            title { (told) }
            rect.area x=(number(left)) y=(number(top)) width=(number(right - left)) height=(number(bottom - top)) {}
            path.begins d=(begins) {}
            @if !ends.is_empty() { path.ends d=(ends) {} }
            text.number x=(number(left + 6.0)) y=(number(top + 15.0)) { (rectangle.number) }
        }
    }
}

/// A state in words, for whoever does not see the picture.
fn told(reader: &Reader, lives: &[Life], values: &[String], rectangle: &Rectangle) -> String {
    let (place, number) = rectangle.told;
    let Some(state) = lives.get(place).and_then(|life| life.states.get(number)) else { return String::new() };
    let value = values.get(place).map(String::as_str).unwrap_or_default();
    let retired = match rectangle.retired {
        true => format!(", {}", reader.say(Phrase::Retired)),
        false => String::new(),
    };
    flat(&format!(
        "{} {}: {value}{retired}; {} {}; {} {}",
        reader.say(Phrase::Version),
        place + 1,
        reader.say(Phrase::TrueInTheWorld),
        when::flat_span(reader, &state.validity),
        reader.say(Phrase::HeldByThisSystem),
        when::flat_span(reader, &state.belief),
    ))
}

/// The labels of an axis: its first and its last instant, and as many between as there is room for.
fn labels(reader: &Reader, axis: &Axis, most: usize) -> Vec<(f64, String)> {
    let every = axis.instants.len().div_ceil(most).max(1);
    let mut before = None;
    let chosen = axis.instants.iter().step_by(every);
    chosen
        .map(|instant| {
            let label = match *instant == Instant::MIN {
                true => reader.say(Phrase::TheBeginning).to_owned(),
                false => when::tick(reader, *instant, before),
            };
            before = Some(*instant);
            (axis.place(Some(*instant)), label)
        })
        .collect()
}

fn number(value: f64) -> String {
    let written = format!("{value:.1}");
    written.strip_suffix(".0").map(str::to_owned).unwrap_or(written)
}

#[cfg(test)]
mod tests {
    use engine::answer::SpanText;
    use engine::lives::StateText;
    use ledger::time::Zone;
    use proptest::prelude::*;

    use super::super::language::Language;
    use super::*;

    fn at(day: i64) -> Instant {
        Instant::from_micros(day * 86_400_000_000)
    }

    /// States as the ledger makes them: the belief of each ends where that of the next begins.
    fn life(states: &[(i64, i64, Option<i64>, bool)]) -> Life {
        let told = states.iter().enumerate().map(|(place, (believed, from, to, retired))| StateText {
            transition: "open".to_owned(),
            validity: SpanText::new(at(*from), to.map(at)),
            belief: SpanText::new(at(*believed), states.get(place + 1).map(|next| at(next.0))),
            standing: if *retired { "retired" } else { "held" }.to_owned(),
        });
        Life { version: "ve_1".to_owned(), states: told.collect(), claims: Vec::new() }
    }

    fn lives() -> impl Strategy<Value = Vec<Life>> {
        let state = (0_i64..6, 0_i64..20, proptest::option::of(1_i64..9), any::<bool>());
        let one = proptest::collection::vec(state, 1..5).prop_map(|steps| {
            let mut believed = 0;
            let states: Vec<_> = steps
                .into_iter()
                .map(|(later, from, length, retired)| {
                    believed += later;
                    (believed, from, length.map(|length| from + length), retired)
                })
                .collect();
            life(&states)
        });
        proptest::collection::vec(one, 1..6)
    }

    proptest! {
        #[test]
        fn rectangles_lie_as_spans_do(lives in lives(), now in 0_i64..40) {
            let chart = chart(&lives, at(now));
            for axis in [&chart.across, &chart.down] {
                // Later is further, for every pair of instants, and an open end is beyond them all.
                let places: Vec<f64> = axis.instants.iter().map(|one| axis.place(Some(*one))).collect();
                prop_assert!(places.windows(2).all(|pair| pair[0] < pair[1]));
                prop_assert!(places.iter().all(|place| (axis.from..axis.to).contains(place)));
                prop_assert_eq!(axis.place(None), axis.to);
            }
            for one in &chart.rectangles {
                prop_assert!(one.across.0 < one.across.1 && one.down.0 < one.down.1, "{:?}", one);
                prop_assert_eq!(one.open_right, one.across.1 == RIGHT);
                prop_assert_eq!(one.open_below, one.down.1 == chart.down.to);
            }
            // What a version was held to be at one instant is one thing: its states follow one another and leave no gap.
            for number in 1..=lives.len() {
                let own: Vec<&Rectangle> = chart.rectangles.iter().filter(|one| one.number == number).collect();
                prop_assert!(own.windows(2).all(|pair| pair[0].down.1 == pair[1].down.0));
                prop_assert!(own.last().is_some_and(|last| last.open_below));
            }
        }
    }

    #[test]
    fn a_correction_is_drawn_as_a_step() {
        let lives = [
            life(&[(1, 1, None, false), (31, 1, Some(30), false)]),
            life(&[(31, 30, None, false)]),
            life(&[(2, 2, None, true)]),
        ];
        let reader = Reader { language: Language::English, zone: Zone::utc() };
        let values = ["9:30", "10:00", "</title><b>\u{202e}"].map(str::to_owned);
        let drawn = draw(&reader, &lives, &values, at(40)).into_string();
        assert_eq!(drawn.matches("<rect class=\"area\"").count(), 4);
        assert_eq!(drawn.matches(" retired\"").count(), 1);
        // The first state ends in belief, the second in the world; the others have no end yet.
        assert_eq!(drawn.matches("class=\"ends\"").count(), 2);
        assert!(
            drawn.contains(
                "Version 1: 9:30; true in the world from 2 January 1970, 00:00 UTC, with no end yet"
            ),
            "{drawn}"
        );
        assert!(drawn.contains("&lt;/title&gt;&lt;b&gt;\u{fffd}"), "{drawn}");
        assert!(!drawn.contains("style="), "the page's policy lets no style stand in a tag");
    }
}
