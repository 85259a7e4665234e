//! What is fuzzed: for each reader of foreign bytes, a function that takes any bytes and holds the reader to its word.
//!
//! The functions panic where a promise is broken, and are called by two: the fuzzer in `fuzz/`, which makes up inputs and keeps
//! those that reach new code, and the test `tests/corpus/`, which runs every kept input through the same function. So an input
//! that once broke something is a test from then on.
//!
//! An input is text. Where a target needs several, they stand one after the other with the byte `FF` between them, which no
//! UTF-8 text holds; where it needs choices as well, those are its first bytes.

mod agent;
mod asked;
mod imported;
mod judged;
mod lived;
mod nominated;
mod served;
mod told;
mod written;

/// One thing that is fuzzed.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    /// Its name: of its folder in `fuzz/corpus/` and of its program in `fuzz/fuzz_targets/`.
    pub name: &'static str,
    /// Takes any bytes; panics where a promise is broken.
    pub run: fn(&[u8]),
}

/// Everything that is fuzzed.
pub const TARGETS: [Target; 20] = [
    Target { name: "gate", run: judged::gate },
    Target { name: "quote", run: judged::quote },
    Target { name: "regions", run: judged::regions },
    Target { name: "secret", run: judged::secret },
    Target { name: "dates", run: written::dates },
    Target { name: "times", run: written::times },
    Target { name: "numbers", run: written::numbers },
    Target { name: "names", run: written::names },
    Target { name: "values", run: written::values },
    Target { name: "rules", run: nominated::rules },
    Target { name: "model_reply", run: nominated::model_reply },
    Target { name: "importers", run: imported::importers },
    Target { name: "packet", run: told::packet },
    Target { name: "input", run: asked::input },
    Target { name: "policies", run: asked::policies },
    Target { name: "mcp", run: agent::mcp },
    Target { name: "observe", run: lived::observe },
    Target { name: "export", run: lived::export },
    Target { name: "http", run: served::http },
    Target { name: "cursor", run: served::cursor },
];

/// Puts an input to the target of this name.
///
/// # Panics
/// Where a promise is broken; and when there is no such target.
pub fn run(name: &str, bytes: &[u8]) {
    let target = TARGETS.iter().find(|target| target.name == name);
    let target = target.unwrap_or_else(|| panic!("no target is named `{name}`"));
    (target.run)(bytes);
}

/// The bytes as text; what is no UTF-8 becomes the replacement character.
fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// The texts of an input.
fn texts(bytes: &[u8]) -> impl Iterator<Item = String> + '_ {
    bytes.split(|byte| *byte == 0xFF).map(text)
}

/// The first `N` bytes, zero where there are none, and the rest.
fn choices<const N: usize>(bytes: &[u8]) -> ([u8; N], &[u8]) {
    let mut first = [0; N];
    let count = bytes.len().min(N);
    first[..count].copy_from_slice(&bytes[..count]);
    (first, &bytes[count..])
}
