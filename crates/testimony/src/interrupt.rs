//! Ctrl-C: what is in flight is finished and told, what waits is left. Asking twice ends at once.

use std::sync::LazyLock;
use std::sync::atomic::{AtomicBool, Ordering};

use inference::Cancel;

static ASKED: AtomicBool = AtomicBool::new(false);

static CANCEL: LazyLock<Cancel> = LazyLock::new(Cancel::default);

/// Has the first Ctrl-C (or termination) only noted. For verbs that write many things and look at [`asked`] between.
pub(crate) fn finish_in_flight() {
    // Where a handler cannot be set, Ctrl-C ends the process as ever: nothing acknowledged is lost then either.
    _ = ctrlc::set_handler(|| {
        if ASKED.swap(true, Ordering::SeqCst) {
            std::process::exit(130);
        }
        CANCEL.cancel();
    });
}

/// Whether it was asked to stop.
pub(crate) fn asked() -> bool {
    ASKED.load(Ordering::SeqCst)
}

/// The switch that Ctrl-C throws, for calls to models: nothing is lost when one of those is given up.
pub(crate) fn cancel() -> Cancel {
    CANCEL.clone()
}
