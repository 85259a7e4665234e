//! Ctrl-C: what is in flight is finished and told, what waits is left. Asking twice ends at once.

use std::sync::atomic::{AtomicBool, Ordering};

static ASKED: AtomicBool = AtomicBool::new(false);

/// Has the first Ctrl-C (or termination) only noted. For verbs that write many things and look at [`asked`] between.
pub(crate) fn finish_in_flight() {
    // Where a handler cannot be set, Ctrl-C ends the process as ever: nothing acknowledged is lost then either.
    _ = ctrlc::set_handler(|| {
        if ASKED.swap(true, Ordering::SeqCst) {
            std::process::exit(130);
        }
    });
}

/// Whether it was asked to stop.
pub(crate) fn asked() -> bool {
    ASKED.load(Ordering::SeqCst)
}
