//! The importers: whatever the bytes, every record is accounted for, and the same file says the same again.

use importers::{Format, Imported, Input, Limits, Options, read};

use super::choices;

/// Names by which a file may be recognised, besides its content.
const NAMES: [&str; 8] =
    ["a.json", "a.jsonl", "_chat.txt", "a.sql", "a.md", "conversations.json", "result.json", "a.zip"];

/// Choices: the format, or 0 for whichever the content has; the name.
pub(super) fn importers(bytes: &[u8]) {
    let ([format, name], content) = choices(bytes);
    let format = usize::from(format).checked_sub(1).map(|place| Format::ALL[place % Format::ALL.len()]);
    let input = Input { name: NAMES[name as usize % NAMES.len()], bytes: content };
    let limits =
        Limits { archive_total_bytes_max: 4 << 20, archive_entry_bytes_max: 1 << 20, ..Limits::default() };
    let options = Options { owner: Some("Ana".to_owned()), limits, ..Options::default() };
    let imported = read(format, &[input], &options);
    assert!(imported.balances(), "records are lost in silence");
    assert!(imported.records > 0, "a file is passed over in silence");
    for source in &imported.sources {
        assert!(!source.messages.is_empty(), "a source that says nothing");
    }
    for message in imported.sources.iter().flat_map(|source| &source.messages) {
        assert!(!message.text.trim().is_empty() && !message.external_id.is_empty());
        assert!(message.text.len() <= limits.text_bytes_max);
    }
    assert_eq!(ids(&imported), ids(&read(format, &[input], &options)), "a second import changes something");
}

fn ids(imported: &Imported) -> Vec<&str> {
    imported
        .sources
        .iter()
        .flat_map(|source| &source.messages)
        .map(|message| message.external_id.as_str())
        .collect()
}
