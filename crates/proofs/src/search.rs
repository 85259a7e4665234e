//! Looking for words in the bytes of files, in the disguises a store might leave them in.

use std::path::{Path, PathBuf};

/// Every disguise of `words`: as they are, in lower case, in UTF-16, in hexadecimal, and in base64 at each alignment.
#[must_use]
pub fn disguises(words: &str) -> Vec<Vec<u8>> {
    let lower = words.to_lowercase();
    let upper = words.to_uppercase();
    let mut all: Vec<Vec<u8>> = [words, &lower, &upper].iter().map(|text| text.as_bytes().to_vec()).collect();
    for text in [words, lower.as_str()] {
        all.push(text.encode_utf16().flat_map(u16::to_le_bytes).collect());
        all.push(text.encode_utf16().flat_map(u16::to_be_bytes).collect());
        let hex: String = text.bytes().map(|byte| format!("{byte:02x}")).collect();
        all.push(hex.to_uppercase().into_bytes());
        all.push(hex.into_bytes());
        for alignment in 0..3 {
            all.push(base64_inside(text.as_bytes(), alignment));
        }
    }
    all.sort();
    all.dedup();
    all
}

/// The characters of base64 that stand for `bytes` wherever they begin `alignment` bytes into a group of three.
fn base64_inside(bytes: &[u8], alignment: usize) -> Vec<u8> {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let padded: Vec<u8> = std::iter::repeat_n(0, alignment).chain(bytes.iter().copied()).collect();
    let whole = &padded[..padded.len() / 3 * 3];
    let text: Vec<u8> = whole
        .chunks_exact(3)
        .flat_map(|group| {
            let number = u32::from(group[0]) << 16 | u32::from(group[1]) << 8 | u32::from(group[2]);
            [18, 12, 6, 0].map(|shift| ALPHABET[(number >> shift & 63) as usize])
        })
        .collect();
    // The first group holds bits of the neighbour before the words.
    text[if alignment == 0 { 0 } else { 4 }..].to_vec()
}

/// Every file below `directory`.
///
/// # Panics
/// When the directory cannot be read.
#[must_use]
pub fn files(directory: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut waiting = vec![directory.to_owned()];
    while let Some(next) = waiting.pop() {
        for entry in std::fs::read_dir(&next).expect("the directory is read") {
            let path = entry.expect("an entry").path();
            if path.is_dir() { waiting.push(path) } else { found.push(path) }
        }
    }
    found.sort();
    found
}

/// Where `words` stand in the files below `directory`, in any disguise: file names and places.
///
/// # Panics
/// When a file cannot be read.
#[must_use]
pub fn find(directory: &Path, words: &str) -> Vec<String> {
    let mut hits = Vec::new();
    let disguises = disguises(words);
    for file in files(directory) {
        let bytes = std::fs::read(&file).expect("the file is read");
        for disguise in disguises.iter().filter(|disguise| disguise.len() >= 4) {
            if let Some(place) = position(&bytes, disguise) {
                hits.push(format!("{} at byte {place}", file.display()));
            }
        }
        if file.to_string_lossy().to_lowercase().contains(&words.to_lowercase()) {
            hits.push(format!("the name of {}", file.display()));
        }
    }
    hits
}

fn position(bytes: &[u8], wanted: &[u8]) -> Option<usize> {
    let first = *wanted.first()?;
    let mut from = 0;
    while let Some(offset) = bytes.get(from..)?.iter().position(|byte| *byte == first) {
        let place = from + offset;
        if bytes[place..].starts_with(wanted) {
            return Some(place);
        }
        from = place + 1;
    }
    None
}
