//! Lines as they come: a thread reads, the verb takes what is there, so that a slow writer is answered at once and a
//! fast one in groups. What waits is bounded in lines and in bytes.

use std::collections::VecDeque;
use std::io::{self, BufRead, BufReader, Read};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use ledger::limits::Limit;

/// The longest line read, in bytes.
const LINE_BYTES_MAX: usize = Limit::LINE_BYTES.size();

/// Lines that may wait.
const LINES_WAITING_MAX: usize = 1_024;

/// Bytes that may wait, but for one line that is longer by itself.
const BYTES_WAITING_MAX: usize = 32 * 1024 * 1024;

/// How long one waits before looking whether it was asked to stop.
const LOOK_UP_EVERY: Duration = Duration::from_millis(100);

/// A line with its number, from 1.
#[derive(Debug)]
pub(crate) struct Line {
    pub number: u64,
    pub content: Content,
}

/// What stands in a line.
#[derive(Debug)]
pub(crate) enum Content {
    /// Its bytes, without the line break.
    Bytes(Vec<u8>),
    /// It is longer than [`LINE_BYTES_MAX`] and was passed over.
    TooLong { bytes: u64 },
    /// Reading failed here; nothing follows.
    Failed(io::Error),
}

/// The lines of one reader.
pub(crate) struct Lines {
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    waiting: Mutex<Waiting>,
    changed: Condvar,
}

#[derive(Default)]
struct Waiting {
    lines: VecDeque<Line>,
    bytes: usize,
    ended: bool,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Lines {
    /// Begins to read in a thread of its own.
    pub fn read(reader: Box<dyn Read + Send>) -> Self {
        let shared: Arc<Shared> = Arc::default();
        let hers = shared.clone();
        std::thread::spawn(move || read_all(reader, &hers));
        Self { shared }
    }

    /// The lines that are there, at least one and at most `max`; empty at the end, or when `stop` says so.
    pub fn next_group(&self, max: usize, stop: impl Fn() -> bool) -> Vec<Line> {
        let mut waiting = self.shared.lock();
        while waiting.lines.is_empty() && !waiting.ended && !stop() {
            (waiting, _) = self
                .shared
                .changed
                .wait_timeout(waiting, LOOK_UP_EVERY)
                .unwrap_or_else(PoisonError::into_inner);
        }
        let take = waiting.lines.len().min(max);
        let group: Vec<Line> = if stop() { Vec::new() } else { waiting.lines.drain(..take).collect() };
        waiting.bytes -= group.iter().map(size).sum::<usize>().min(waiting.bytes);
        self.shared.changed.notify_all();
        group
    }
}

fn size(line: &Line) -> usize {
    match &line.content {
        Content::Bytes(bytes) => bytes.len(),
        Content::TooLong { .. } | Content::Failed(_) => 0,
    }
}

fn read_all(reader: Box<dyn Read + Send>, shared: &Shared) {
    let mut reader = BufReader::with_capacity(64 * 1024, reader);
    for number in 1.. {
        let content = match read_line(&mut reader) {
            Ok(None) => break,
            Ok(Some(content)) => content,
            Err(error) => Content::Failed(error),
        };
        let failed = matches!(content, Content::Failed(_));
        let line = Line { number, content };
        let mut waiting = shared.lock();
        while !waiting.lines.is_empty()
            && (waiting.lines.len() >= LINES_WAITING_MAX || waiting.bytes + size(&line) > BYTES_WAITING_MAX)
        {
            waiting = shared.changed.wait(waiting).unwrap_or_else(PoisonError::into_inner);
        }
        waiting.bytes += size(&line);
        waiting.lines.push_back(line);
        shared.changed.notify_all();
        if failed {
            break;
        }
    }
    shared.lock().ended = true;
    shared.changed.notify_all();
}

fn read_line(reader: &mut impl BufRead) -> io::Result<Option<Content>> {
    let mut bytes = Vec::new();
    let mut total = 0_u64;
    loop {
        let found = match reader.fill_buf() {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            other => other?,
        };
        if found.is_empty() {
            break;
        }
        let end = found.iter().position(|byte| *byte == b'\n');
        let part = &found[..end.unwrap_or(found.len())];
        total += part.len() as u64;
        if total <= LINE_BYTES_MAX as u64 {
            bytes.extend_from_slice(part);
        } else {
            bytes = Vec::new();
        }
        let consumed = end.map_or(found.len(), |end| end + 1);
        reader.consume(consumed);
        if end.is_some() {
            return Ok(Some(content(bytes, total)));
        }
    }
    Ok((total > 0).then(|| content(bytes, total)))
}

fn content(bytes: Vec<u8>, total: u64) -> Content {
    if total > LINE_BYTES_MAX as u64 { Content::TooLong { bytes: total } } else { Content::Bytes(bytes) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_come_in_order_with_their_numbers_and_without_their_breaks() {
        let text = "one\r\n\n\u{17e}three\nlast without a break".as_bytes().to_vec();
        let lines = Lines::read(Box::new(io::Cursor::new(text)));
        let mut told = Vec::new();
        loop {
            let group = lines.next_group(2, || false);
            if group.is_empty() {
                break;
            }
            assert!(group.len() <= 2);
            for line in group {
                let Content::Bytes(bytes) = line.content else { panic!("all lines are read") };
                told.push(format!("{} {:?}", line.number, String::from_utf8_lossy(&bytes)));
            }
        }
        assert_eq!(told, ["1 \"one\\r\"", "2 \"\"", "3 \"\u{17e}three\"", "4 \"last without a break\""]);
    }

    #[test]
    fn being_asked_to_stop_leaves_what_waits() {
        let lines = Lines::read(Box::new(io::Cursor::new(b"one\ntwo\n".to_vec())));
        assert!(lines.next_group(10, || true).is_empty());
    }
}
