//! Signal's chat text: `[2019-12-24, 12:23] Name: words`. See [`crate::chat_lines`] for the reading.
//!
//! Nobody is the owner until named; some exporters write the owner as `Me`, which can be named like any other.

use crate::{chat_lines, collect::Collector, decode::File};

pub(crate) fn read(files: &[File<'_>], out: &mut Collector<'_>) {
    for file in files {
        chat_lines::read(file, "signal", "Signal chat", out);
    }
}
