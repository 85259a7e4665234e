//! Adjudication, as stories and as laws.

use crate::common::{Says, World, day, held};
use ledger::erase::Targets;
use ledger::fact::{ActKind, Standing, TransitionKind};
use ledger::id::{EvidenceId, VersionId};
use ledger::log::Row;
use ledger::memory::Memory;
use ledger::registry::Registry;
use ledger::time::{AsOf, Instant};
use proptest::prelude::*;

/// The value keys held at `day`, as the latest knowledge has it.
fn values_at(memory: &Memory, number: i64) -> Vec<String> {
    let as_of = memory.now(day(number));
    let mut values: Vec<String> = memory
        .facts()
        .iter()
        .flat_map(|fact| &fact.versions)
        .filter(|version| version.is_current(&as_of))
        .filter_map(|version| memory.value_of(version))
        .map(|claim| claim.words.value_key())
        .collect();
    values.sort();
    values
}

fn effects(world: &mut World, says: &[Says]) -> Vec<TransitionKind> {
    says.iter().map(|says| world.says(says).effect).collect()
}

#[test]
fn a_correction_closes_the_old_value_and_keeps_it() {
    use TransitionKind::{Confirm, Open, Supersede};
    let mut world = World::default();
    let told = [
        Says::owner("home_city", "Zagreb", 10),
        Says::owner("home_city", "zagreb", 15),
        Says::owner("home_city", "Split", 20),
    ];
    assert_eq!(effects(&mut world, &told), [Open, Confirm, Supersede]);
    assert_eq!(values_at(&world.memory, 12), ["zagreb"]);
    assert_eq!(values_at(&world.memory, 25), ["split"]);
    // On the other clock: before the correction was recorded, Zagreb was believed to go on.
    let before = AsOf { valid_at: day(25), believed_at: day(world.clock - 2), watermark: u64::MAX };
    let fact = &world.memory.facts()[0];
    let believed: Vec<VersionId> = fact
        .versions
        .iter()
        .filter(|version| version.is_current(&before))
        .map(|version| version.id)
        .collect();
    assert_eq!(believed, [fact.versions[0].id]);
}

#[test]
fn late_evidence_is_placed_in_the_past() {
    use TransitionKind::{History, Open, Supersede};
    let mut world = World::default();
    let told = [
        Says::owner("home_city", "Zagreb", 10),
        Says::owner("home_city", "Split", 30),
        Says::owner("home_city", "Rijeka", 20),
        Says::owner("home_city", "Osijek", 5),
    ];
    assert_eq!(effects(&mut world, &told), [Open, Supersede, History, History]);
    for (at, value) in [(6, "osijek"), (12, "zagreb"), (22, "rijeka"), (40, "split")] {
        assert_eq!(values_at(&world.memory, at), [value], "on day {at}");
    }
}

#[test]
fn a_bounded_statement_does_not_end_what_surrounds_it() {
    let mut world = World::default();
    world.says(&Says::owner("home_city", "Zagreb", 10));
    world.says(&Says::owner("home_city", "Berlin", 20).from(12).to(14));
    for (at, value) in [(11, "zagreb"), (13, "berlin"), (14, "zagreb"), (99, "zagreb")] {
        assert_eq!(values_at(&world.memory, at), [value], "on day {at}");
    }
}

#[test]
fn a_statement_about_the_whole_past_retires_what_it_covers() {
    let mut world = World::default();
    world.says(&Says::owner("home_city", "Zagreb", 10));
    world.says(&Says::owner("home_city", "Split", 20).from(1));
    assert_eq!(values_at(&world.memory, 12), ["split"]);
    let zagreb = &world.memory.facts()[0].versions[0];
    assert_eq!(zagreb.latest().map(|state| state.standing), Some(Standing::Retired));
}

#[test]
fn a_stay_announced_for_later_is_not_history_and_ends_by_itself() {
    use TransitionKind::{Reopen, Supersede};
    let mut world = World::default();
    world.says(&Says::owner("home_city", "Zagreb", 10));
    let clock = world.clock;
    let announced = world.says(&Says::owner("home_city", "Vienna", 20).from(clock + 400).to(clock + 500));
    assert_eq!(announced.effect, Supersede);
    let kinds: Vec<TransitionKind> = announced.transitions.iter().map(|made| made.kind).collect();
    assert_eq!(kinds, [Supersede, Supersede, Reopen], "Zagreb ends, Vienna comes, Zagreb goes on");
    assert_eq!(values_at(&world.memory, clock + 300), ["zagreb"]);
    assert_eq!(values_at(&world.memory, clock + 450), ["vienna"]);
    assert_eq!(values_at(&world.memory, clock + 600), ["zagreb"]);
}

#[test]
fn retraction_closes_and_saying_it_again_reopens() {
    use TransitionKind::{Close, History, Open, Reopen};
    let mut world = World::default();
    let told = [
        Says::owner("likes", "coffee", 10),
        Says::owner("likes", "coffee", 20).no_longer(),
        Says::owner("likes", "coffee", 30),
        Says::owner("likes", "tea", 5).no_longer(),
    ];
    assert_eq!(effects(&mut world, &told), [Open, Close, Reopen, History]);
    assert_eq!(values_at(&world.memory, 15), ["coffee"]);
    assert!(values_at(&world.memory, 25).is_empty());
    assert_eq!(values_at(&world.memory, 35), ["coffee"]);
}

#[test]
fn documents_dispute_and_only_an_act_settles_it() {
    use TransitionKind::{Confirm, Dispute, Open};
    let mut world = World::default();
    let told = [
        Says::world(1, "headcount", "40", 10),
        Says::world(2, "headcount", "55", 12),
        Says::world(3, "headcount", "55", 13),
    ];
    assert_eq!(effects(&mut world, &told), [Open, Dispute, Confirm]);
    let fact = world.memory.facts()[0].clone();
    let as_of = world.memory.now(day(20));
    let dispute = world.memory.dispute(&fact, &as_of);
    assert_eq!(dispute.len(), 2);
    assert_eq!(world.memory.support(&fact, dispute[1], &as_of), 2);

    let keep = dispute[1].supporting(u64::MAX).collect();
    let settled = world.act(ActKind::ResolveDispute { fact: fact.id, keep });
    assert_eq!(settled[0].effect, TransitionKind::Resolve);
    assert_eq!(values_at(&world.memory, 20), ["55"]);
    // What was undisputed before the two contradicted each other stays as it was.
    assert_eq!(values_at(&world.memory, 11), ["40"]);
    // The loser may speak again, and is heard.
    assert_eq!(world.says(&Says::world(1, "headcount", "40", 30)).effect, Dispute);
}

#[test]
fn what_a_loser_had_said_before_does_not_come_back() {
    let mut world = World::default();
    world.says(&Says::world(1, "status", "draft", 5));
    world.says(&Says::world(1, "status", "open", 10));
    world.says(&Says::world(2, "status", "closed", 12));
    world.says(&Says::world(1, "status", "open", 15));
    let fact = world.memory.facts()[0].clone();
    let as_of = world.memory.now(day(20));
    let dispute = world.memory.dispute(&fact, &as_of);
    let closed = dispute.iter().find(|version| {
        world.memory.value_of(version).is_some_and(|claim| claim.words.value_key() == "closed")
    });
    let keep = closed.expect("in dispute").supporting(u64::MAX).collect();
    world.act(ActKind::ResolveDispute { fact: fact.id, keep });
    for (at, value) in [(6, "draft"), (11, "open"), (13, "closed"), (40, "closed")] {
        assert_eq!(values_at(&world.memory, at), [value], "on day {at}");
    }
}

#[test]
fn a_decision_is_told_of_the_stretch_in_dispute() {
    let mut world = World::default();
    world.says(&Says::world(1, "status", "draft", 5));
    world.says(&Says::world(1, "status", "open", 8).from(10).to(12));
    world.says(&Says::world(2, "status", "closed", 15));
    let fact = world.memory.facts()[0].clone();
    let as_of = world.memory.now(day(world.clock));
    let dispute = world.memory.dispute(&fact, &as_of);
    let draft = dispute.iter().find(|version| {
        world.memory.value_of(version).is_some_and(|claim| claim.words.value_key() == "draft")
    });
    let draft = draft.expect("in dispute");
    assert!(draft.latest().is_some_and(|state| state.validity.from() == day(12)), "the second stretch");
    let keep = draft.supporting(u64::MAX).collect();
    let settled = world.act(ActKind::ResolveDispute { fact: fact.id, keep });
    assert_eq!(settled[0].version, Some(draft.id));
    assert_eq!(settled[0].transitions[0].version, draft.id);
    assert_eq!(settled[0].transitions[0].kind, TransitionKind::Resolve);
}

#[test]
fn a_later_explicit_beginning_is_succession() {
    let mut world = World::default();
    world.says(&Says::world(1, "status", "draft", 10));
    let adjudicated = world.says(&Says::world(2, "status", "final", 20).from(18));
    assert_eq!(adjudicated.effect, TransitionKind::Supersede);
    assert_eq!(values_at(&world.memory, 17), ["draft"]);
    assert_eq!(values_at(&world.memory, 19), ["final"]);
    // Something else said by the first much later does not reach back over the succession.
    let mut other = World::default();
    other.says(&Says::world(1, "status", "green", 10));
    other.says(&Says::world(2, "status", "blue", 20).from(18));
    other.says(&Says::world(1, "status", "yellow", 30));
    assert_eq!(values_at(&other.memory, 19), ["blue"]);
    assert_eq!(values_at(&other.memory, 31), ["blue", "yellow"]);
    // Said again by the first after that beginning: now they do contradict each other.
    world.says(&Says::world(1, "status", "draft", 25));
    assert_eq!(values_at(&world.memory, 26), ["draft", "final"]);
}

#[test]
fn nothing_external_touches_the_owner_realm() {
    let mut world = World::default();
    world.says(&Says::owner("status", "well", 10));
    world.says(&Says::world(1, "status", "ill", 20));
    assert_eq!(values_at(&world.memory, 30), ["ill", "well"]);
    assert_eq!(world.memory.facts().len(), 2);
}

#[test]
fn withdrawing_a_source_closes_what_it_alone_supports_and_reinstating_reopens() {
    let mut world = World::default();
    world.says(&Says::world(1, "status", "open", 10));
    world.says(&Says::world(1, "headcount", "40", 10));
    world.says(&Says::world(2, "headcount", "40", 11));
    let source = world.source(1);
    let closed = world.act(ActKind::Withdraw { source });
    assert!(closed.iter().any(|adjudicated| adjudicated.effect == TransitionKind::Close));
    let now = world.clock + 10;
    assert_eq!(values_at(&world.memory, now), ["40"]);
    let reopened = world.act(ActKind::Reinstate { source });
    assert!(reopened.iter().any(|adjudicated| adjudicated.effect == TransitionKind::Reopen));
    assert_eq!(values_at(&world.memory, now), ["40", "open"]);
}

#[test]
fn measurements_of_one_period_dispute_and_of_two_do_not() {
    let mut world = World::default();
    let quarter =
        |source, value: &str, from: i64| Says::world(source, "revenue", value, 500).from(from).to(from + 90);
    world.says(&quarter(1, "10 eur", 0));
    world.says(&quarter(1, "12 eur", 90));
    assert_eq!(values_at(&world.memory, 50), ["10 eur"]);
    assert_eq!(world.says(&quarter(2, "11 eur", 0)).effect, TransitionKind::Dispute);
    assert_eq!(values_at(&world.memory, 50), ["10 eur", "11 eur"]);
    assert_eq!(values_at(&world.memory, 100), ["12 eur"]);
}

#[test]
fn repeating_and_copying_never_raise_support() {
    let mut world = World::default();
    for said in 10..20 {
        world.says(&Says::world(1, "status", "final", said));
    }
    let fact = &world.memory.facts()[0];
    let as_of = world.memory.now(day(30));
    assert_eq!(fact.versions.len(), 1);
    assert_eq!(world.memory.support(fact, &fact.versions[0], &as_of), 1);
}

#[test]
fn erasing_a_supersession_reopens_what_it_closed() {
    let mut world = World::default();
    world.says(&Says::owner("home_city", "Zagreb", 10));
    world.says(&Says { source: 7, ..Says::owner("home_city", "Split", 20) });
    let zagreb = world.memory.facts()[0].versions[0].id;
    let targets = Targets { sources: [world.source(7)].into_iter().collect(), ..Targets::default() };
    let plan = world.plan(&targets);
    assert_eq!(plan.reopened, [zagreb]);
    let after = world.erased(&plan);
    assert_eq!(values_at(&after, 30), ["zagreb"]);
}

fn any_says() -> impl Strategy<Value = Says> {
    let predicate = prop_oneof![Just("home_city"), Just("likes"), Just("status"), Just("headcount")];
    let bounds = (proptest::option::of(0..60_i64), proptest::option::of(1..30_i64));
    (0..4_u32, any::<bool>(), predicate, 1..4_u32, 0..40_i64, bounds, proptest::bool::weighted(0.15))
        .prop_map(|(source, owner, predicate, value, said, (from, length), retract)| {
            let value = if predicate == "headcount" { value.to_string() } else { format!("value {value}") };
            Says {
                source,
                owner,
                predicate,
                value: Some(value),
                said,
                from,
                to: from.zip(length).map(|(from, length)| from + length),
                retract,
            }
        })
}

/// Statements with pairwise different times, so that which is later does not depend on arrival.
fn any_story() -> impl Strategy<Value = Vec<Says>> {
    proptest::collection::vec(any_says(), 1..14).prop_map(|mut story| {
        for (place, says) in story.iter_mut().enumerate() {
            says.said = says.said * 20 + place as i64;
            says.from = says.from.map(|from| from * 15);
            says.to = says.to.map(|to| to * 15);
        }
        story
    })
}

fn tell(story: &[Says]) -> World {
    let mut world = World::default();
    for says in story {
        world.says(says);
    }
    world
}

/// What is current at several instants, told without ids.
fn current(memory: &Memory) -> Vec<Vec<String>> {
    (0..12).map(|step| values_at(memory, step * 80)).collect()
}

proptest! {
    #[test]
    fn order_of_arrival_does_not_change_what_is_current(story in any_story(), seed in any::<u64>()) {
        let mut shuffled = story.clone();
        let mut state = seed | 1;
        for place in (1..shuffled.len()).rev() {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            shuffled.swap(place, (state >> 33) as usize % (place + 1));
        }
        prop_assert_eq!(current(&tell(&story).memory), current(&tell(&shuffled).memory));
    }

    #[test]
    fn spans_of_one_voice_never_overlap_at_any_belief_instant(story in any_story()) {
        let world = tell(&story);
        for watermark in 0..=world.memory.watermark() {
            for fact in world.memory.facts().iter().filter(|fact| {
                fact.key.as_ref().is_some_and(|key| key.realm == ledger::claim::Realm::Owner)
            }) {
                let as_of = AsOf { valid_at: day(0), believed_at: Instant::MAX, watermark };
                let mut spans: Vec<_> = fact
                    .versions
                    .iter()
                    .filter_map(|version| version.state(&as_of))
                    .filter(|state| state.standing == Standing::Held)
                    .map(|state| state.validity)
                    .collect();
                spans.sort_by_key(|span| span.from());
                for pair in spans.windows(2) {
                    prop_assert!(!pair[0].overlaps(&pair[1]), "{pair:?} at watermark {watermark}");
                }
            }
        }
    }

    #[test]
    fn replaying_the_log_gives_the_state(story in any_story()) {
        let world = tell(&story);
        let mut replayed = Memory::default();
        for (position, row) in &world.rows {
            replayed.apply_row(*position, row, Registry::shipped());
        }
        (1..=world.memory.watermark()).for_each(|seq| {
            replayed.finish(seq, world.memory.recorded_when(seq).expect("recorded"));
        });
        for watermark in 0..=world.memory.watermark() {
            let as_of = AsOf { valid_at: day(50), believed_at: Instant::MAX, watermark };
            prop_assert_eq!(held(&world.memory, &as_of), held(&replayed, &as_of));
            // And the state at a watermark is the state when only that much was told.
            let early = tell(&story[..watermark as usize]);
            prop_assert_eq!(held(&world.memory, &as_of), held(&early.memory, &as_of));
        }
    }

    #[test]
    fn every_claim_supports_a_version_or_retracts(story in any_story()) {
        let world = tell(&story);
        for (id, claim) in world.memory.claims() {
            let fact = world.memory.fact(claim.fact).expect("every claim has its fact");
            let supported = fact.versions.iter().any(|version| version.supporting(u64::MAX).any(|of| of == id));
            prop_assert!(supported || claim.op == ledger::claim::Op::Retract, "{claim:?}");
        }
    }

    #[test]
    fn support_never_rises_by_repetition(story in any_story(), again in any::<prop::sample::Index>()) {
        // Only statements that stand alone on the clock, so that "current" is the same before and after.
        let open: Vec<Says> = story.iter().filter(|says| !says.retract).map(|says| Says { from: None, to: None, ..says.clone() }).collect();
        prop_assume!(!open.is_empty());
        let mut world = tell(&open);
        let latest = latest_of_source(&open, again.get(&open));
        let supports = |world: &World| -> Vec<String> {
            held(&world.memory, &world.memory.now(day(4_000)))
                .iter()
                .map(|line| line.split(" claims ").next().unwrap_or_default().to_owned())
                .collect()
        };
        let before = supports(&world);
        world.says(&Says { said: 3_000, ..latest });
        // The last word of a source on something, said again by it, changes neither what is held nor its support,
        // unless another source had taken its place in the owner's own memory.
        if world.memory.claim(world.last_claim()).is_some_and(|claim| claim.realm == ledger::claim::Realm::World) {
            prop_assert_eq!(before, supports(&world));
        }
    }

    #[test]
    fn taking_back_leaves_the_memory_as_it_was(story in any_story(), cut in any::<prop::sample::Index>()) {
        let mut world = tell(&story);
        let keep = cut.index(story.len()) as u64;
        let (_, late): (Vec<_>, Vec<_>) = world.rows.iter().cloned().partition(|(position, _)| position.seq <= keep);
        world.memory.take_back(keep, &late);
        let early = tell(&story[..keep as usize]);
        let as_of = AsOf { valid_at: day(50), believed_at: Instant::MAX, watermark: u64::MAX };
        prop_assert_eq!(held(&world.memory, &as_of), held(&early.memory, &as_of));
        prop_assert_eq!(world.memory.watermark(), keep);
    }

    #[test]
    fn erased_words_leave_the_ledger_that_never_saw_them(
        story in any_story(), chosen in proptest::collection::vec(any::<bool>(), 14),
    ) {
        let world = tell(&story);
        let evidence: Vec<EvidenceId> = world
            .rows
            .iter()
            .filter(|(_, row)| matches!(row, Row::Evidence(_)))
            .map(|(position, _)| EvidenceId(*position))
            .collect();
        let targets = Targets {
            evidence: evidence.iter().zip(&chosen).filter(|(_, chosen)| **chosen).map(|(id, _)| *id).collect(),
            ..Targets::default()
        };
        let after = world.erased(&world.plan(&targets));
        // The other ledger hears the same days pass, but only the words that stay.
        let mut never = World::default();
        for (says, chosen) in story.iter().zip(&chosen) {
            match chosen {
                true => never.clock += 1,
                false => { never.says(says); }
            }
        }
        for (believed, valid) in [(i64::MAX, 30), (i64::MAX, 500), (100_003, 30), (100_006, 200), (100_009, 400)] {
            let believed_at = if believed == i64::MAX { Instant::MAX } else { day(believed) };
            let as_of = AsOf { valid_at: day(valid), believed_at, watermark: u64::MAX };
            prop_assert_eq!(held(&after, &as_of), held(&never.memory, &as_of), "believed {} valid {}", believed, valid);
        }
    }
}

/// The latest thing the same source said of the same predicate.
fn latest_of_source(story: &[Says], chosen: &Says) -> Says {
    let same = |says: &&Says| {
        says.source == chosen.source && says.owner == chosen.owner && says.predicate == chosen.predicate
    };
    story.iter().filter(same).max_by_key(|says| says.said).unwrap_or(chosen).clone()
}
