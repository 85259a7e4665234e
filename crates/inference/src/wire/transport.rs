//! A connection that looks up: while it waits for bytes it asks, twenty times a second, whether the caller still wants them.
//!
//! It stands between the socket and TLS, so a handshake, a model that thinks for a minute and a body that drips are all
//! interrupted alike. What stops a call is the caller's, not the connection's, which is kept and used again; so it is laid
//! out per thread for as long as the call runs.

use std::cell::RefCell;
use std::fmt;

use ureq::Error;
use ureq::unversioned::transport::time::Duration;
use ureq::unversioned::transport::{Buffers, ConnectionDetails, Connector, NextTimeout, Transport};

use crate::clock::LOOK_UP_EVERY;
use crate::limits::Cancel;

thread_local! {
    static RUNNING: RefCell<Option<Cancel>> = const { RefCell::new(None) };
}

/// Runs `call` with `cancel` in force for the connections this thread waits on.
pub(super) fn interruptible<T>(cancel: &Cancel, call: impl FnOnce() -> T) -> T {
    /// Puts back what was in force before, also when `call` panics.
    struct Restore(Option<Cancel>);
    impl Drop for Restore {
        fn drop(&mut self) {
            RUNNING.with(|running| *running.borrow_mut() = self.0.take());
        }
    }
    let _restore = Restore(RUNNING.with(|running| running.borrow_mut().replace(cancel.clone())));
    call()
}

fn is_cancelled() -> bool {
    RUNNING.with(|running| running.borrow().as_ref().is_some_and(Cancel::is_cancelled))
}

/// The caller stopped waiting.
#[derive(Debug, thiserror::Error)]
#[error("stopped by the caller")]
pub(super) struct Stopped;

/// Makes connections that look up.
#[derive(Debug)]
pub(super) struct LookingUp;

impl<In: Transport> Connector<In> for LookingUp {
    type Out = Watched<In>;

    fn connect(&self, _: &ConnectionDetails, chained: Option<In>) -> Result<Option<Self::Out>, Error> {
        Ok(chained.map(Watched))
    }
}

/// A connection that looks up.
pub(super) struct Watched<In>(In);

impl<In: fmt::Debug> fmt::Debug for Watched<In> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(formatter)
    }
}

impl<In: Transport> Transport for Watched<In> {
    fn buffers(&mut self) -> &mut dyn Buffers {
        self.0.buffers()
    }

    fn transmit_output(&mut self, amount: usize, timeout: NextTimeout) -> Result<(), Error> {
        match is_cancelled() {
            true => Err(Error::Other(Box::new(Stopped))),
            false => self.0.transmit_output(amount, timeout),
        }
    }

    fn await_input(&mut self, timeout: NextTimeout) -> Result<bool, Error> {
        let mut left = timeout.after;
        loop {
            if is_cancelled() {
                return Err(Error::Other(Box::new(Stopped)));
            }
            let piece = (*left).min(LOOK_UP_EVERY);
            let mut soon = timeout;
            soon.after = Duration::Exact(piece);
            match self.0.await_input(soon) {
                Err(Error::Timeout(_)) if *left > piece => {
                    if let Duration::Exact(left) = &mut left {
                        *left -= piece;
                    }
                }
                // The reason of the whole wait, not of its last piece.
                Err(Error::Timeout(_)) => return Err(Error::Timeout(timeout.reason)),
                other => return other,
            }
        }
    }

    fn is_open(&mut self) -> bool {
        self.0.is_open()
    }

    fn is_tls(&self) -> bool {
        self.0.is_tls()
    }
}
