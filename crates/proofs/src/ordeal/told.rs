//! What was asked of a memory, what it answered, and what must therefore be there.

use std::collections::BTreeMap;

/// What is asked of a memory.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Deed {
    /// A message with one claim; told from others by its number.
    Say {
        /// Who says it.
        subject: usize,
        /// Which message.
        number: u64,
    },
    /// That message is to be forgotten.
    Forget {
        /// Which message.
        number: u64,
    },
    /// Everything that was said by somebody is to be forgotten.
    ForgetSubject {
        /// Who.
        subject: usize,
    },
    /// A turn of a conversation.
    Turn {
        /// Who asks.
        subject: usize,
    },
    /// The log is written back into the database.
    Checkpoint,
    /// The store is closed and opened again.
    Reopen,
}

/// How far a deed came.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Outcome {
    /// Nobody began it.
    NotBegun,
    /// It was begun, and no answer came, or an error: it may have been done.
    Begun,
    /// It was answered as done.
    Acknowledged,
}

/// Deeds with their outcomes, in order.
#[derive(Clone, Default, Debug)]
pub struct Told {
    deeds: Vec<(Deed, Outcome)>,
    /// By the deed's place: bytes that were in the database before an erasure was acknowledged and not after.
    needles: BTreeMap<usize, Vec<Vec<u8>>>,
}

/// What must be true of one message.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Saying {
    /// Who said it.
    pub subject: usize,
    /// Whether it was said.
    pub said: Outcome,
    /// Whether it was forgotten.
    pub forgotten: Outcome,
}

impl Told {
    /// A deed begins; its place.
    pub fn begin(&mut self, deed: Deed) -> usize {
        self.deeds.push((deed, Outcome::Begun));
        self.deeds.len() - 1
    }

    /// The deed at this place was answered as done.
    pub fn acknowledge(&mut self, place: usize) {
        if let Some((_, outcome)) = self.deeds.get_mut(place) {
            *outcome = Outcome::Acknowledged;
        }
    }

    /// Once the deed at this place is acknowledged, none of these bytes may be found in any file.
    pub fn gone(&mut self, place: usize, needles: Vec<Vec<u8>>) {
        self.needles.insert(place, needles);
    }

    /// How many deeds were acknowledged.
    #[must_use]
    pub fn acknowledged(&self) -> usize {
        self.deeds.iter().filter(|(_, outcome)| *outcome == Outcome::Acknowledged).count()
    }

    /// The same as somebody knew it who saw only some of it: `outcome` says how far the deed at a place had come then.
    #[must_use]
    pub fn as_of(&self, outcome: impl Fn(usize) -> Outcome) -> Self {
        let deeds = self.deeds.iter().enumerate();
        let deeds = deeds.map(|(place, (deed, known))| (deed.clone(), outcome(place).min(*known)));
        Self { deeds: deeds.collect(), needles: self.needles.clone() }
    }

    /// What must be true of each message, by its number.
    #[must_use]
    pub fn sayings(&self) -> BTreeMap<u64, Saying> {
        let mut sayings: BTreeMap<u64, Saying> = BTreeMap::new();
        for (deed, outcome) in self.deeds.iter().filter(|(_, outcome)| *outcome > Outcome::NotBegun) {
            match deed {
                Deed::Say { subject, number } => {
                    let fresh = Saying { subject: *subject, said: *outcome, forgotten: Outcome::NotBegun };
                    let saying = sayings.entry(*number).or_insert(fresh);
                    saying.said = saying.said.max(*outcome);
                }
                Deed::Forget { number } => {
                    if let Some(saying) = sayings.get_mut(number) {
                        saying.forgotten = saying.forgotten.max(*outcome);
                    }
                }
                Deed::ForgetSubject { subject } => {
                    for saying in sayings.values_mut().filter(|saying| saying.subject == *subject) {
                        saying.forgotten = saying.forgotten.max(*outcome);
                    }
                }
                Deed::Turn { .. } | Deed::Checkpoint | Deed::Reopen => {}
            }
        }
        sayings
    }

    /// Bytes that may be in no file any more.
    pub fn needles(&self) -> impl Iterator<Item = &[u8]> {
        let done = |place: &usize| {
            self.deeds.get(*place).is_some_and(|(_, outcome)| *outcome == Outcome::Acknowledged)
        };
        self.needles
            .iter()
            .filter(move |(place, _)| done(place))
            .flat_map(|(_, needles)| needles)
            .map(Vec::as_slice)
    }
}
