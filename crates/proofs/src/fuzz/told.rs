//! What a model is handed and what it answers: the packet and its citations.

use ledger::citation::{HANDLES_MAX, cited};
use ledger::id::{Position, VersionId};
use ledger::packet::{Item, PACKET_BEGINS, PACKET_ENDS, handle, place_of, write};
use ledger::triage::{Request, question, triage};

use super::texts;

/// Texts: a reply and the message it answers, then the items of a packet.
pub(super) fn packet(bytes: &[u8]) {
    let mut texts = texts(bytes);
    let (reply, message) = (texts.next().unwrap_or_default(), texts.next().unwrap_or_default());
    let handles = cited(&reply);
    assert!(handles.len() <= HANDLES_MAX);
    for (place, one) in handles.iter().enumerate() {
        assert_eq!(place_of(one).map(handle).as_ref(), Some(one), "a handle is written one way");
        assert!(!handles[..place].contains(one), "a handle is told once");
    }
    for matches in [0, 3] {
        let request = Request { message: &message, has_hint: false, matches };
        assert_eq!(triage(request), triage(request), "triage changed its mind");
    }
    let items: Vec<Item> = texts
        .enumerate()
        .map(|(place, text)| Item { version: VersionId(Position::new(place as u64 + 1, 0)), text })
        .collect();
    let anchors: Vec<String> = items.iter().map(|item| item.text.clone()).collect();
    assert!(!question(&message, &anchors).trim().is_empty(), "an empty question");
    let packet = write(&items, &[], &[]);
    assert!(packet.starts_with(PACKET_BEGINS) && packet.ends_with(PACKET_ENDS));
    for (place, item) in items.iter().enumerate() {
        assert!(packet.contains(&format!("\n[{}] {}\n", handle(place), item.text)));
    }
}
