//! The write-ahead log as bytes: whether something in the middle of it is damaged, and how it is made sure of.
//!
//! SQLite reads a log up to the first frame that does not fit, takes that for where a power cut tore it, and passes over
//! the rest in silence. So one flipped byte would take back acknowledged appends. But a transaction is written only
//! once the one before it is on the disk. Where a whole transaction follows one with a frame that does not fit, that frame did
//! last once, and was damaged since. Frames left over from a transaction that was given up may follow one another as well, but
//! none of them ends it: half a head written over one of them is no damage. Damage in the last transaction cannot be told from a
//! torn one.

use std::fs::{File, OpenOptions};
use std::io::{self, BufReader, Read};
use std::os::unix::fs::FileExt;
use std::path::Path;

use crate::failpoint::{self, FileStep};

/// Bytes before the first frame, and before the page of each.
const HEAD_BYTES: usize = 32;
const FRAME_HEAD_BYTES: usize = 24;

/// What a log begins with; its last bit says in which order sums read numbers.
const MAGIC: u32 = 0x377f_0682;

type Sum = (u32, u32);

/// The first frame of the log at `path` that is damaged, from 1, or 0 for its head; `None` where nothing shows that any is.
pub(crate) fn first_damaged(path: &Path, page_bytes: usize) -> io::Result<Option<u64>> {
    let mut log = match File::open(path) {
        Err(missing) if missing.kind() == io::ErrorKind::NotFound => return Ok(None),
        opened => BufReader::with_capacity(1 << 20, opened?),
    };
    let mut head = [0; HEAD_BYTES];
    if !read_whole(&mut log, &mut head)? {
        return Ok(None);
    }
    let number = |bytes: &[u8], at: usize| {
        bytes.get(at..at + 4).and_then(|four| four.try_into().ok()).map_or(0, u32::from_be_bytes)
    };
    let magic = number(&head, 0);
    let big = if magic & !1 == MAGIC { magic & 1 == 1 } else { cfg!(target_endian = "big") };
    let fits = magic & !1 == MAGIC
        && number(&head, 8) as usize == page_bytes
        && sum(big, (0, 0), &head[..24]) == (number(&head, 24), number(&head, 28));
    let mut bad = if fits { None } else { Some(0) };
    let mut salts = fits.then(|| (number(&head, 16), number(&head, 20)));
    // The sums the next frame may follow: the one that stands there, and the one that should.
    let mut before: [Sum; 2] = [(number(&head, 24), number(&head, 28)); 2];
    // Since a frame that did not fit, or in it: a transaction has ended, and all frames fit since.
    let mut ended = false;
    let mut frame = vec![0; FRAME_HEAD_BYTES + page_bytes];
    let mut place = 0;
    while read_whole(&mut log, &mut frame)? {
        place += 1;
        let own = (number(&frame, 8), number(&frame, 12));
        let same_log = *salts.get_or_insert(own) == own;
        let stands = (number(&frame, 16), number(&frame, 20));
        let (frame_head, page) = frame.split_at(FRAME_HEAD_BYTES);
        let follow = |before: Sum| sum(big, sum(big, before, &frame_head[..8]), page);
        let follows = same_log && before.into_iter().any(|before| follow(before) == stands);
        let ends = same_log && number(&frame, 4) != 0;
        match bad {
            None if !follows => (bad, ended) = (Some(place), ends),
            None => {}
            Some(first) if follows && ended && ends => return Ok(Some(first)),
            Some(_) if follows && ended => {}
            Some(_) => ended = ends,
        }
        before = [stands, follow(before[0])];
    }
    Ok(None)
}

/// Writes the log at `path` once more as it is, and makes it last.
///
/// After a sync that failed, what was written before may be in memory and never reach the disk, and a later sync that
/// succeeds does not tell. The log of a process that ended like that is read from memory; appends that follow in it would
/// be lost with it. Called with the write lock held, so that nobody else writes to the log.
pub(crate) fn write_again(path: &Path) -> io::Result<()> {
    let log = match OpenOptions::new().read(true).write(true).open(path) {
        Err(missing) if missing.kind() == io::ErrorKind::NotFound => return Ok(()),
        opened => opened?,
    };
    let mut piece = vec![0; 1 << 20];
    let mut place = 0;
    loop {
        let count = log.read_at(&mut piece, place)?;
        if count == 0 {
            break;
        }
        failpoint::file(FileStep::WriteAt(path, place, &piece[..count]))?;
        log.write_all_at(&piece[..count], place)?;
        place += count as u64;
    }
    if place > 0 {
        failpoint::file(FileStep::Sync(path))?;
        log.sync_all()?;
    }
    Ok(())
}

fn read_whole(from: &mut impl Read, into: &mut [u8]) -> io::Result<bool> {
    match from.read_exact(into) {
        Err(short) if short.kind() == io::ErrorKind::UnexpectedEof => Ok(false),
        read => read.map(|()| true),
    }
}

/// SQLite's running sum over pairs of numbers.
fn sum(big: bool, before: Sum, bytes: &[u8]) -> Sum {
    let (pairs, _) = bytes.as_chunks::<8>();
    pairs.iter().fold(before, |(first, second), pair| {
        let number = |four: [u8; 4]| if big { u32::from_be_bytes(four) } else { u32::from_le_bytes(four) };
        let [a, b, c, d, e, f, g, h] = *pair;
        let first = first.wrapping_add(number([a, b, c, d])).wrapping_add(second);
        (first, second.wrapping_add(number([e, f, g, h])).wrapping_add(first))
    })
}
