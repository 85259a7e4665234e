//! The sample files, and ways of printing what comes out of them.

#![allow(dead_code, reason = "each test binary uses a part")]

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

use importers::{Format, Imported, Input, Options, read};

/// A sample file: its path below the data folder, and its bytes.
pub struct Sample {
    pub name: String,
    pub bytes: Vec<u8>,
}

/// Every file of the given folders of the repository's data, sorted by path.
pub fn samples(folders: &[&str]) -> Vec<Sample> {
    let root = data();
    let mut paths = Vec::new();
    for folder in folders {
        walk(&root.join(folder), &mut paths);
    }
    paths.sort();
    paths
        .into_iter()
        .map(|path| Sample {
            name: path.strip_prefix(&root).unwrap().to_str().unwrap().to_owned(),
            bytes: fs::read(&path).unwrap(),
        })
        .collect()
}

pub fn every_sample() -> Vec<Sample> {
    samples(&["import-chat", "import-agent-sessions"])
}

pub fn sample(name: &str) -> Sample {
    Sample { name: name.to_owned(), bytes: fs::read(data().join(name)).unwrap() }
}

pub fn data() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../data")
}

fn walk(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { walk(&path, found) } else { found.push(path) }
    }
}

pub fn import(name: &str, bytes: &[u8], options: &Options) -> Imported {
    read(None, &[Input { name, bytes }], options)
}

pub fn import_as(format: Format, name: &str, text: &str) -> Imported {
    read(Some(format), &[Input { name, bytes: text.as_bytes() }], &Options::default())
}

pub fn by_reason(imported: &Imported) -> BTreeMap<&'static str, usize> {
    let mut counts = BTreeMap::new();
    for refused in &imported.refused {
        *counts.entry(refused.reason.code()).or_insert(0) += 1;
    }
    counts
}

/// Everything that came out, one thing a line, in the words a reader would use.
pub fn printed(imported: &Imported) -> String {
    let mut text = String::new();
    for source in &imported.sources {
        text += &format!(
            "{} `{}` title={:?} {} {:?}\n",
            source.kind,
            source.reference,
            source.title.as_deref().unwrap_or(""),
            source.fidelity.as_str(),
            source.shape
        );
        for message in &source.messages {
            let time = message.event_time.as_ref().map_or("no time".to_owned(), ToString::to_string);
            text += &format!("  [{}] {}", time, message.author.as_str());
            if let Some(name) = &message.author_name {
                text += &format!(" ({name})");
            }
            text += &format!(" id={}", message.external_id);
            if let Some(session) = &message.session {
                text += &format!(" session={session}");
            }
            text += &format!(": {:?}\n", message.text);
            for file in &message.attachments {
                text += &format!("    + {} {:?} {:?}\n", file.name, file.media_type, file.size);
            }
            for proposal in &message.proposals {
                text += &format!("    ? {proposal}\n");
            }
        }
    }
    for refused in &imported.refused {
        text += &format!(
            "refused {} at {}: {} ({})\n",
            refused.file, refused.place, refused.reason, refused.detail
        );
    }
    for notice in &imported.notices {
        text += &format!("notice: {notice}\n");
    }
    text += &format!(
        "records={} messages={} documents={} refused={} joined={} parts_cut={}\n",
        imported.records,
        imported.messages(),
        imported.documents(),
        imported.refused.len(),
        imported.joined,
        imported.parts_cut
    );
    text
}
