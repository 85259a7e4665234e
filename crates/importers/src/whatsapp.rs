//! WhatsApp's chat text, in whatever date style the phone wrote. See [`crate::chat_lines`] for the reading.
//!
//! The file names no chat, so the source is named after it: export to the same name, or give a reference, and the
//! second import finds the first. Nobody is the owner until named.

use crate::{chat_lines, collect::Collector, decode::File};

pub(crate) fn read(files: &[File<'_>], out: &mut Collector<'_>) {
    for file in files {
        chat_lines::read(file, "whatsapp", "WhatsApp chat", out);
    }
}
