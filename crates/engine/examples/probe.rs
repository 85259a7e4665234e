use std::io::Read;
fn main() {
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text).unwrap();
    let anchor: jiff::ZonedDateTime = "2026-03-02T10:00[Europe/Zagreb]".parse().unwrap();
    let (mut n, mut d) = (0, 0);
    for message in text.split('\u{1}') {
        n += 1;
        for draft in engine::propose::propose(message, &anchor, ledger::registry::Registry::shipped()) {
            d += 1;
            println!(
                "{}\t{}\t{}\t{:?}\t{:?}\t{:?}{:?}",
                draft.entity,
                draft.predicate,
                draft.value,
                draft.op,
                draft.quote,
                draft.valid_from,
                draft.valid_to
            );
        }
    }
    eprintln!("{n} messages, {d} drafts");
}
