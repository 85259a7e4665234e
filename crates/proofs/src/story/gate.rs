//! A gate before the record of turns, so that a story can let something happen between a turn's resolution and its record.

use ledger::id::TurnId;
use ledger::store::StoreError;
use parking_lot::{Condvar, Mutex};

use crate::passage::Passage;

#[derive(Default)]
pub struct Gate {
    state: Mutex<State>,
    moved: Condvar,
}

#[derive(Default)]
struct State {
    closed: bool,
    waiting: usize,
}

impl Gate {
    /// From now on turns wait before they are recorded.
    pub fn close(&self) {
        self.state.lock().closed = true;
    }

    /// Those that wait go on, as do those that come.
    pub fn open(&self) {
        *self.state.lock() = State::default();
        self.moved.notify_all();
    }

    /// Returns when so many turns wait.
    pub fn wait_for(&self, count: usize) {
        let mut state = self.state.lock();
        while state.waiting < count {
            self.moved.wait(&mut state);
        }
    }

    fn pass(&self) {
        let mut state = self.state.lock();
        if state.closed {
            state.waiting += 1;
            self.moved.notify_all();
            while state.closed {
                self.moved.wait(&mut state);
            }
        }
    }
}

impl Passage for Gate {
    fn record_turn(
        &self,
        call: impl FnOnce() -> Result<Option<TurnId>, StoreError>,
    ) -> Result<Option<TurnId>, StoreError> {
        self.pass();
        call()
    }
}
