//! A process that dies at a chosen write: before it reaches the store beneath, or after, when nobody hears the answer any more.

use ledger::store::{StoreError, StoreErrorKind};
use parking_lot::Mutex;

use crate::passage::Passage;

/// When a process dies.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Death {
    /// Writes it still lives through.
    pub writes: usize,
    /// Whether the write it dies at reaches the store.
    pub is_written: bool,
}

/// What a process still has before it.
enum Life {
    Alive,
    Doomed(Death),
    Dead,
}

/// One process's way to a store that others use as well.
pub(super) struct Mortal {
    life: Mutex<Life>,
}

impl Mortal {
    pub fn new() -> Self {
        Self { life: Mutex::new(Life::Alive) }
    }

    /// Has the process die at one of its next writes.
    pub fn doom(&self, death: Death) {
        *self.life.lock() = Life::Doomed(death);
    }

    /// Lets it live on, if it still does; `false` when it is dead.
    pub fn spare(&self) -> bool {
        let mut life = self.life.lock();
        let is_alive = !matches!(*life, Life::Dead);
        if is_alive {
            *life = Life::Alive;
        }
        is_alive
    }
}

impl Passage for Mortal {
    fn read<T>(&self, call: impl FnOnce() -> Result<T, StoreError>) -> Result<T, StoreError> {
        match *self.life.lock() {
            Life::Dead => Err(gone()),
            Life::Alive | Life::Doomed(_) => call(),
        }
    }

    fn write<T>(&self, call: impl FnOnce() -> Result<T, StoreError>) -> Result<T, StoreError> {
        let mut life = self.life.lock();
        match &mut *life {
            Life::Dead => Err(gone()),
            Life::Alive => call(),
            Life::Doomed(death) if death.writes > 0 => {
                death.writes -= 1;
                call()
            }
            Life::Doomed(death) => {
                let is_written = death.is_written;
                *life = Life::Dead;
                if is_written {
                    call()?;
                }
                Err(gone())
            }
        }
    }
}

fn gone() -> StoreError {
    StoreError::new(StoreErrorKind::Io, "the process is gone")
}
