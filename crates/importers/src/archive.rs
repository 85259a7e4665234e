//! Zip archives, opened with suspicion.
//!
//! Exports come zipped, and an archive is the easiest file to hurt a reader with. Sizes are counted while unpacking
//! and never believed from a header; paths that climb, links, archives within archives and entries that swell are
//! refused by name; the rest of the archive is read.

use std::{
    borrow::Cow,
    io::{Cursor, Read},
};

use zip::{ZipArchive, read::ZipFile};

use crate::{Input, Limits, Reason, collect::Collector};

/// Entries with these endings hold no text; they are refused without being unpacked.
const MEDIA: &[&str] = &[
    "jpg", "jpeg", "png", "gif", "webp", "heic", "bmp", "tiff", "ico", "mp3", "m4a", "ogg", "opus", "oga",
    "wav", "aac", "amr", "mp4", "mov", "avi", "mkv", "webm", "3gp", "pdf", "doc", "docx", "xls", "xlsx",
    "ppt", "pptx", "vcf", "tgs", "exe", "bin", "woff", "woff2", "ttf",
];

/// What an input holds: itself, or the entries of the archive it is.
pub(crate) fn expand<'a>(input: Input<'a>, out: &mut Collector<'_>) -> Vec<(Cow<'a, str>, Cow<'a, [u8]>)> {
    let limits = out.options().limits;
    if input.bytes.len() as u64 > limits.file_bytes_max {
        let detail = format!("`{}` bytes, at most `{}`", input.bytes.len(), limits.file_bytes_max);
        out.refuse_named(input.name, "file", Reason::FileTooLarge, &detail);
        return Vec::new();
    }
    if is_zip(input.bytes) {
        return entries(input, &limits, out);
    }
    if is_media(input.name) || looks_binary(input.bytes) {
        out.refuse_named(input.name, "file", Reason::Media, "the file is not text");
        return Vec::new();
    }
    vec![(Cow::Borrowed(input.name), Cow::Borrowed(input.bytes))]
}

fn entries<'a>(
    input: Input<'a>,
    limits: &Limits,
    out: &mut Collector<'_>,
) -> Vec<(Cow<'a, str>, Cow<'a, [u8]>)> {
    let mut archive = match ZipArchive::new(Cursor::new(input.bytes)) {
        Ok(archive) => archive,
        Err(error) => {
            out.refuse_named(input.name, "file", Reason::ArchiveUnreadable, &error.to_string());
            return Vec::new();
        }
    };
    if archive.is_empty() {
        out.refuse_named(input.name, "file", Reason::NoRecords, "the archive is empty");
    }
    let mut found = Vec::new();
    let mut total = 0_u64;
    for index in 0..archive.len() {
        if index >= limits.archive_entries_max {
            let detail = format!("`{}` entries, at most `{}`", archive.len(), limits.archive_entries_max);
            out.refuse_named(
                input.name,
                &format!("entries from {index}"),
                Reason::ArchiveTooManyEntries,
                &detail,
            );
            break;
        }
        // Raw first: it answers for names and flags also where the content cannot be unpacked.
        let name = match archive.by_index_raw(index) {
            Ok(entry) => match check(&entry) {
                Ok(None) => continue,
                Ok(Some(name)) => name,
                Err((name, reason, detail)) => {
                    out.refuse_named(&format!("{}/{name}", input.name), "entry", reason, &detail);
                    continue;
                }
            },
            Err(error) => {
                out.refuse_named(
                    input.name,
                    &format!("entry {index}"),
                    Reason::ArchiveUnreadable,
                    &error.to_string(),
                );
                continue;
            }
        };
        let shown = format!("{}/{name}", input.name);
        let unpacked = match archive.by_index(index) {
            Ok(entry) => unpack(entry, limits, total),
            Err(error) => Err((Reason::ArchiveUnreadable, error.to_string())),
        };
        match unpacked {
            Ok(bytes) if is_zip(&bytes) => {
                total += bytes.len() as u64;
                out.refuse_named(
                    &shown,
                    "entry",
                    Reason::ArchiveNested,
                    "archives within archives are not opened",
                );
            }
            Ok(bytes) if looks_binary(&bytes) => {
                total += bytes.len() as u64;
                out.refuse_named(&shown, "entry", Reason::Media, "the entry is not text");
            }
            Ok(bytes) => {
                total += bytes.len() as u64;
                found.push((Cow::Owned(shown), Cow::Owned(bytes)));
            }
            Err((reason, detail)) => {
                out.refuse_named(&shown, "entry", reason, &detail);
                if reason == Reason::ArchiveTooLarge {
                    let rest = archive.len() - index - 1;
                    if rest > 0 {
                        let place = format!("the last {rest} entries");
                        out.refuse_named(input.name, &place, reason, "not opened, as the total is reached");
                    }
                    break;
                }
            }
        }
    }
    found
}

/// The entry's name; `None` for a folder; else why it is not opened, with a name that is safe to show.
fn check<R: Read>(entry: &ZipFile<'_, R>) -> Result<Option<String>, (String, Reason, String)> {
    let shown: String = String::from_utf8_lossy(entry.name_raw()).escape_debug().collect();
    let Ok(name) = entry.name().map(Cow::into_owned) else {
        return Err((shown, Reason::ArchiveUnreadable, "the entry's name cannot be read".to_owned()));
    };
    if !is_safe_path(&name) {
        let detail = "the entry's path is absolute or climbs out of the archive".to_owned();
        return Err((shown, Reason::ArchivePathUnsafe, detail));
    }
    if entry.is_symlink() {
        return Err((shown, Reason::ArchiveSymlink, "the entry is a symbolic link".to_owned()));
    }
    if entry.is_dir() || name.ends_with('/') {
        return Ok(None);
    }
    if entry.encrypted() {
        return Err((shown, Reason::ArchiveEncrypted, "the entry is behind a password".to_owned()));
    }
    if is_media(&name) {
        return Err((shown, Reason::Media, "not a text format".to_owned()));
    }
    Ok(Some(name))
}

fn unpack<R: Read>(entry: ZipFile<'_, R>, limits: &Limits, total: u64) -> Result<Vec<u8>, (Reason, String)> {
    const RATIO_FROM_BYTES: u64 = 1024 * 1024;
    let packed = entry.compressed_size().max(1);
    let left = limits.archive_total_bytes_max.saturating_sub(total);
    let by_ratio = packed.saturating_mul(limits.archive_ratio_max).max(RATIO_FROM_BYTES);
    // One byte more than allowed tells "reached" from "crossed" without unpacking the rest.
    let allowed = limits.archive_entry_bytes_max.min(left).min(by_ratio);
    let mut bytes = Vec::new();
    if let Err(error) = entry.take(allowed.saturating_add(1)).read_to_end(&mut bytes) {
        return Err((Reason::ArchiveUnreadable, error.to_string()));
    }
    if bytes.len() as u64 <= allowed {
        return Ok(bytes);
    }
    Err(if allowed == by_ratio {
        (Reason::ArchiveRatio, format!("unpacks to over `{}` times its size", limits.archive_ratio_max))
    } else if allowed == limits.archive_entry_bytes_max {
        (Reason::ArchiveEntryTooLarge, format!("unpacks to over `{}` bytes", limits.archive_entry_bytes_max))
    } else {
        (
            Reason::ArchiveTooLarge,
            format!("the archive unpacks to over `{}` bytes", limits.archive_total_bytes_max),
        )
    })
}

fn is_safe_path(name: &str) -> bool {
    let drive = name.as_bytes().get(1) == Some(&b':');
    let climbs = name.split(['/', '\\']).any(|part| part == "..");
    !(name.is_empty() || name.starts_with(['/', '\\']) || drive || climbs || name.contains('\0'))
}

fn is_zip(bytes: &[u8]) -> bool {
    bytes.starts_with(b"PK\x03\x04") || bytes.starts_with(b"PK\x05\x06")
}

fn is_media(name: &str) -> bool {
    name.rsplit_once('.').is_some_and(|(_, ending)| MEDIA.contains(&ending.to_ascii_lowercase().as_str()))
}

/// A zero byte near the start, in a file that is not UTF-16, or SQLite's own header.
fn looks_binary(bytes: &[u8]) -> bool {
    let utf16 = bytes.starts_with(&[0xFF, 0xFE]) || bytes.starts_with(&[0xFE, 0xFF]);
    !utf16 && bytes.iter().take(1024).any(|byte| *byte == 0)
}
