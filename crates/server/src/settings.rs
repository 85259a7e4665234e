//! Settings of a server: what it bears, and whom it lets near.

use std::time::Duration;

use ledger::scope::Subject;

/// What a server bears and allows.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Calls of the engine at once; others wait.
    pub calls_at_once: usize,
    /// Calls that wait to be at work, and bodies that wait for room; one more is sent away without waiting, so that what waits takes
    /// bounded memory.
    pub calls_waiting_max: usize,
    /// How long a call waits for room.
    pub patience: Duration,
    /// How long a call may take.
    pub deadline: Duration,
    /// How long the rest of a request may take to arrive.
    pub request_deadline: Duration,
    /// How long the head of a request may take.
    pub head_deadline: Duration,
    /// How long a connection may be silent between requests, and its reader stand still while an answer waits.
    pub silence_max: Duration,
    /// Connections at once; others are let in when one ends.
    pub connections_max: usize,
    /// The longest body of a request, in bytes.
    pub body_bytes_max: usize,
    /// What the bodies of all calls may take together, in bytes; short ones do not count.
    pub bodies_bytes_max: usize,
    /// Calls a caller may make a second, on the average; 0 for as many as it likes.
    pub calls_per_second: u32,
    /// Calls a caller may make at once before that counts.
    pub burst: u32,
    /// Origins that scripts of other pages may ask from; none, when empty.
    pub origins: Vec<String>,
    /// Host names under which it is asked; a request for another is refused, so that no page can reach it under a name of its own.
    /// Any, when empty.
    pub hosts: Vec<String>,
    /// Whether whoever connects is the owner: only for a loopback address, and only when asked for by name.
    pub without_key: bool,
    /// Whether MCP has the tools of the protocol's own memory server in the place of its own.
    pub memory_server_tools: bool,
    /// Whom the owner means who names nobody.
    pub subject: Subject,
}

impl Settings {
    /// The usual settings, for an owner who means this subject.
    #[must_use]
    pub fn of(subject: Subject) -> Self {
        Self {
            calls_at_once: 64,
            calls_waiting_max: 2_048,
            patience: Duration::from_secs(5),
            deadline: Duration::from_secs(30),
            request_deadline: Duration::from_secs(30),
            head_deadline: Duration::from_secs(10),
            silence_max: Duration::from_secs(60),
            connections_max: 10_000,
            body_bytes_max: 32 * 1024 * 1024,
            bodies_bytes_max: 256 * 1024 * 1024,
            calls_per_second: 0,
            burst: 200,
            origins: Vec::new(),
            hosts: Vec::new(),
            without_key: false,
            memory_server_tools: false,
            subject,
        }
    }
}
