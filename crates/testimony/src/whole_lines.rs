//! A file read in pieces of whole lines, each of bounded size.

use std::io::{self, Read};

use ledger::limits::Limit;

/// The bytes read before a piece is handed over; one line that is longer makes a longer piece.
const PIECE_BYTES: usize = 4 << 20;

/// What comes next in a file.
pub(crate) enum Piece {
    /// Whole lines with their breaks; the last line of the file may have none.
    Lines(Vec<u8>),
    /// A line of more than [`Limit::IMPORTED_LINE_BYTES`]; it was passed over.
    TooLong {
        /// Its length.
        bytes: u64,
    },
}

/// Hands a reader over in pieces.
pub(crate) struct WholeLines<R> {
    reader: R,
    /// Read and not handed over: the beginning of a line.
    held: Vec<u8>,
    /// The bytes of an overlong line that were passed over.
    passed: u64,
    ended: bool,
}

impl<R: Read> WholeLines<R> {
    pub fn new(reader: R) -> Self {
        Self { reader, held: Vec::new(), passed: 0, ended: false }
    }

    /// The next piece; `None` at the end.
    pub fn next_piece(&mut self) -> io::Result<Option<Piece>> {
        loop {
            if self.held.len() < PIECE_BYTES && !self.ended {
                self.fill()?;
                continue;
            }
            // Only the first line can be too long: what stood before it was handed over when it had not ended yet.
            let first = self.held.iter().position(|byte| *byte == b'\n');
            let length = self.passed + first.unwrap_or(self.held.len()) as u64;
            match first {
                Some(end) if length > Limit::IMPORTED_LINE_BYTES.max => {
                    self.held.drain(..=end);
                    self.passed = 0;
                    return Ok(Some(Piece::TooLong { bytes: length }));
                }
                None if length > Limit::IMPORTED_LINE_BYTES.max => {
                    self.held.clear();
                    self.passed = length;
                    if self.ended {
                        self.passed = 0;
                        return Ok(Some(Piece::TooLong { bytes: length }));
                    }
                }
                None if !self.ended => self.fill()?,
                None if self.held.is_empty() => return Ok(None),
                None => return Ok(Some(Piece::Lines(std::mem::take(&mut self.held)))),
                Some(_) => {
                    let last = self.held.iter().rposition(|byte| *byte == b'\n').unwrap_or_default();
                    let rest = self.held.split_off(last + 1);
                    return Ok(Some(Piece::Lines(std::mem::replace(&mut self.held, rest))));
                }
            }
        }
    }

    fn fill(&mut self) -> io::Result<()> {
        let read = self.reader.by_ref().take(PIECE_BYTES as u64 / 4).read_to_end(&mut self.held)?;
        self.ended = read == 0;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pieces(bytes: &[u8]) -> Vec<Result<usize, u64>> {
        let mut reader = WholeLines::new(bytes);
        let mut found = Vec::new();
        while let Some(piece) = reader.next_piece().expect("memory does not fail") {
            found.push(match piece {
                Piece::Lines(lines) => Ok(lines.len()),
                Piece::TooLong { bytes } => Err(bytes),
            });
        }
        found
    }

    #[test]
    fn pieces_are_whole_lines_and_nothing_is_lost() {
        assert_eq!(pieces(b""), []);
        assert_eq!(pieces(b"one\ntwo"), [Ok(4), Ok(3)]);
        let line = [b"x".repeat(999), b"\n".to_vec()].concat();
        let found = pieces(&line.repeat(12_000));
        assert_eq!(found.iter().map(|piece| piece.expect("short lines")).sum::<usize>(), 12_000_000);
        assert!(found.len() > 2 && found.iter().all(|piece| piece.is_ok_and(|length| length % 1_000 == 0)));
    }

    #[test]
    fn a_line_over_the_limit_is_passed_over_and_the_next_is_read() {
        let most = Limit::IMPORTED_LINE_BYTES.size();
        for (long, expected) in [(most, Ok(most + 1)), (most + 1, Err(most as u64 + 1))] {
            let text = [&b"x".repeat(long)[..], b"\nshort\n"].concat();
            let found = pieces(&text);
            match expected {
                Err(bytes) => assert_eq!(found, [Err(bytes), Ok(6)]),
                Ok(_) => {
                    assert_eq!(found.iter().map(|piece| piece.expect("within")).sum::<usize>(), text.len())
                }
            }
        }
        let endless = b"x".repeat(most + 5);
        assert_eq!(pieces(&endless), [Err(most as u64 + 5)]);
        let later = [&b"short\n"[..], &b"x".repeat(most + 9), b"\nend"].concat();
        assert_eq!(pieces(&later), [Ok(6), Err(most as u64 + 9), Ok(3)]);
    }
}
