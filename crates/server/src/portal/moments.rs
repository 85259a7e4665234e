//! Moments: looking at a memory as of an instant on both clocks.
//!
//! Without a script these are two fields for a date and a time. With one, each gets a slider over the instants at which something
//! happened on its clock; the page tells them, the script only moves the field.

use std::collections::BTreeSet;

use engine::timeline::Changes;
use ledger::time::Instant;
use maud::{Markup, html};

use super::desk::{Desk, Reader};
use super::phrases::Phrase;
use super::when;
use crate::refusal::Refusal;

/// Places of a slider, at most.
const PLACES_MAX: usize = 400;

/// Microseconds of a second, the least that a field tells.
const SECOND: i64 = 1_000_000;

/// A moment that was asked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Asked {
    /// The instant in the world.
    pub valid_at: Option<Instant>,
    /// The instant of belief.
    pub believed_at: Option<Instant>,
}

impl Asked {
    /// Reads it from a query.
    ///
    /// # Errors
    /// [`Refusal`] for a field that is no date and time.
    pub fn read(desk: &Desk<'_>) -> Result<Self, Refusal> {
        let field = |name| when::read_field(&desk.reader, name, desk.query.get(name));
        Ok(Self { valid_at: field("valid_at")?, believed_at: field("believed_at")? })
    }

    /// Whether it is now on both clocks.
    pub fn is_now(self) -> bool {
        self == Self::default()
    }
}

/// The instants at which something changed, on the one clock and on the other; thinned out where there are many.
pub(super) fn of_changes(changes: &Changes) -> (Vec<Instant>, Vec<Instant>) {
    let places = |instants: &BTreeSet<Instant>| thinned(instants.iter().copied().map(whole_second).collect());
    (places(&changes.validity), places(&changes.belief))
}

/// A field tells whole seconds: the first at which what happened at this instant can be seen.
fn whole_second(instant: Instant) -> Instant {
    let micros = instant.micros();
    let begun = i64::from(micros.rem_euclid(SECOND) > 0);
    Instant::from_micros(micros.div_euclid(SECOND).saturating_add(begun).saturating_mul(SECOND))
}

fn thinned(instants: BTreeSet<Instant>) -> Vec<Instant> {
    let all: Vec<Instant> = instants.into_iter().collect();
    let count = all.len().min(PLACES_MAX);
    // The first and the last stay.
    let place = |number: usize| number * (all.len() - 1) / (count - 1).max(1);
    (0..count).map(|number| all[place(number)]).collect()
}

/// The form that asks for a moment.
pub(super) fn form(desk: &Desk<'_>, asked: Asked, validity: &[Instant], belief: &[Instant]) -> Markup {
    let reader = &desk.reader;
    html! {
        details.moments open[!asked.is_now()] {
            summary { (reader.say(Phrase::AnotherMoment)) }
            form method="get" action="/portal/memory" {
                p.hint { (reader.say(Phrase::TwoClocks)) }
                div.fields {
                    (field(reader, "valid_at", Phrase::TrueInTheWorld, asked.valid_at, validity))
                    (field(reader, "believed_at", Phrase::HeldByThisSystem, asked.believed_at, belief))
                }
                p.actions {
                    button type="submit" { (reader.say(Phrase::Look)) }
                    @if !asked.is_now() { a href="/portal/memory" { (reader.say(Phrase::BackToNow)) } }
                }
            }
        }
    }
}

fn field(reader: &Reader, name: &str, label: Phrase, asked: Option<Instant>, places: &[Instant]) -> Markup {
    let told = places.iter().map(|place| when::field(reader, *place)).collect::<Vec<_>>().join(" ");
    html! {
        div.field {
            label for=(name) { (reader.say(label)) " (" (when::zone_name(&reader.zone)) ")" }
            input type="datetime-local" step="1" id=(name) name=(name)
                value=[asked.map(|instant| when::field(reader, instant))]
                data-places=[(places.len() > 1).then_some(told)]
                data-slider=(format!("{}: {}", reader.say(label), reader.say(Phrase::InstantsOfChange)))
                data-now=(reader.say(Phrase::Now));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_a_second_at_which_the_change_is_seen() {
        for (micros, second) in [(0, 0), (1, 1), (999_999, 1), (1_000_000, 1), (-1, 0), (-1_000_001, -1)] {
            assert_eq!(whole_second(Instant::from_micros(micros)).micros(), second * SECOND, "{micros}");
        }
        assert!(whole_second(Instant::MIN) <= whole_second(Instant::MAX));
    }

    #[test]
    fn a_slider_has_so_many_places_and_both_ends() {
        let all: BTreeSet<Instant> = (0..1_000).map(Instant::from_micros).collect();
        let few = thinned(all);
        assert_eq!(few.len(), PLACES_MAX);
        assert_eq!((few[0], few[PLACES_MAX - 1]), (Instant::from_micros(0), Instant::from_micros(999)));
        assert!(few.windows(2).all(|pair| pair[0] < pair[1]));
        assert_eq!(thinned(BTreeSet::new()), []);
        assert_eq!(thinned([Instant::MIN].into()), [Instant::MIN]);
        assert_eq!(thinned((0..3).map(Instant::from_micros).collect()).len(), 3);
    }
}
