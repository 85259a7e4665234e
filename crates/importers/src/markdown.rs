//! A Markdown or plain text file: one document, whole.
//!
//! A document is never the owner's testimony, even when the owner wrote it: it has no moment at which somebody said it.
//! Its source is named after its path, so that a later edition is the same source; the edition's id is its content's.

use crate::{
    Author, Fidelity, Shape,
    collect::{Collector, Id, Opening, Words},
    decode::File,
};

pub(crate) fn read(files: &[File<'_>], out: &mut Collector<'_>) {
    for file in files {
        let opening = Opening {
            kind: "document",
            reference: file.name.clone().into_owned(),
            title: title(&file.text),
            fidelity: Fidelity::VisibleTranscript,
            shape: Shape::Document,
        };
        let source = out.open(opening);
        let id = Id::given_or(None, &[&file.text]);
        out.store(file, source, "file", Words::new(Author::External, None, file.text.clone(), id));
    }
}

/// The first heading outside a code fence within the first two hundred lines, else nothing.
fn title(text: &str) -> Option<String> {
    let mut fenced = false;
    for line in text.lines().take(200) {
        if line.trim_start().starts_with("```") {
            fenced = !fenced;
        } else if let Some(heading) = line.strip_prefix("# ").filter(|_| !fenced) {
            return Some(heading.trim().trim_end_matches('#').trim_end().to_owned())
                .filter(|title| !title.is_empty());
        }
    }
    None
}
