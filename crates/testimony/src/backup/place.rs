//! Directories and files of copies: their owner's alone, on the disk when a call returns, and removed again when a copy
//! comes to nothing.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use super::BackupError;
use super::manifest::{FileMark, Manifest, NAME, UNFINISHED, hexadecimal};

/// Says of an error what was being done, to which file.
pub(super) fn failed(doing: &'static str, path: &Path) -> impl FnOnce(io::Error) -> BackupError {
    let path = path.to_owned();
    move |source| BackupError::File { doing, path, source }
}

/// A directory that is being filled. Dropped before [`Place::finish`], it is emptied again, and removed if it was made.
pub(super) struct Place {
    pub(super) directory: PathBuf,
    made: bool,
    finished: bool,
}

impl Place {
    /// Takes an empty or new directory, and closes it to others.
    pub(super) fn take(directory: &Path) -> Result<Self, BackupError> {
        let made = match fs::read_dir(directory) {
            Ok(mut listing) => match listing.next() {
                None => {
                    fs::set_permissions(directory, fs::Permissions::from_mode(0o700))
                        .map_err(failed("close to others", directory))?;
                    false
                }
                Some(_) => return Err(BackupError::NotEmpty(directory.to_owned())),
            },
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                fs::DirBuilder::new()
                    .recursive(true)
                    .mode(0o700)
                    .create(directory)
                    .map_err(failed("create", directory))?;
                true
            }
            Err(error) => return Err(failed("read", directory)(error)),
        };
        Ok(Self { directory: directory.to_owned(), made, finished: false })
    }

    /// Marks the directory as a backup that is not finished. Of two that begin here at once, one wins.
    pub(super) fn mark_unfinished(&mut self) -> Result<(), BackupError> {
        let path = self.directory.join(UNFINISHED);
        let marked = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path);
        match marked {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                // What is here is another's.
                self.finished = true;
                Err(BackupError::NotEmpty(self.directory.clone()))
            }
            other => other.map(drop).map_err(failed("create", &path)),
        }
    }

    /// Writes the list and gives it its name, once all that it lists is on the disk.
    pub(super) fn seal(mut self, manifest: &Manifest) -> Result<(), BackupError> {
        let (unfinished, path) = (self.directory.join(UNFINISHED), self.directory.join(NAME));
        let mut text = serde_json::to_vec_pretty(manifest)
            .map_err(|error| BackupError::Manifest { path: path.clone(), what: error.to_string() })?;
        text.push(b'\n');
        for file in &manifest.files {
            let mut inner = Path::new(&file.path);
            while let Some(parent) = inner.parent().filter(|parent| !parent.as_os_str().is_empty()) {
                sync(&self.directory.join(parent))?;
                inner = parent;
            }
        }
        OpenOptions::new()
            .write(true)
            .truncate(true)
            .open(&unfinished)
            .and_then(|mut file| file.write_all(&text).and_then(|()| file.sync_all()))
            .map_err(failed("write", &unfinished))?;
        sync(&self.directory)?;
        fs::rename(&unfinished, &path).map_err(failed("write", &path))?;
        sync(&self.directory)?;
        self.finish()
    }

    /// Keeps what is there, and makes the directory itself last.
    pub(super) fn finish(&mut self) -> Result<(), BackupError> {
        self.finished = true;
        sync(&self.directory)?;
        let parent = self.directory.parent().filter(|_| self.made);
        match parent {
            Some(parent) if parent.as_os_str().is_empty() => sync(Path::new(".")),
            Some(parent) => sync(parent),
            None => Ok(()),
        }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        if self.finished {
            return;
        }
        // What cannot be removed stays marked as unfinished.
        if self.made {
            let _ = fs::remove_dir_all(&self.directory);
            return;
        }
        for item in fs::read_dir(&self.directory).into_iter().flatten().flatten() {
            let path = item.path();
            let _ = match item.file_type() {
                Ok(kind) if kind.is_dir() => fs::remove_dir_all(path),
                _ => fs::remove_file(path),
            };
        }
    }
}

/// Whether `inner`, which need not exist yet, lies in `outer` or is it, whatever links lead there.
pub(super) fn is_inside(inner: &Path, outer: &Path) -> bool {
    real(inner).starts_with(real(outer))
}

/// The path with every link followed, as far as it exists.
fn real(path: &Path) -> PathBuf {
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let there = absolute.ancestors().find_map(|above| above.canonicalize().ok().map(|real| (above, real)));
    match there {
        Some((above, real)) => {
            let rest = absolute.strip_prefix(above).unwrap_or(Path::new(""));
            if rest.as_os_str().is_empty() { real } else { real.join(rest) }
        }
        None => absolute,
    }
}

/// Makes an empty file that is its owner's alone.
pub(super) fn create(path: &Path) -> Result<File, BackupError> {
    if let Some(parent) = path.parent().filter(|parent| !parent.exists()) {
        let made = fs::DirBuilder::new().recursive(true).mode(0o700).create(parent);
        made.map_err(failed("create", parent))?;
    }
    let opened = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path);
    let file = opened.map_err(failed("create", path))?;
    // The process's mask may have taken bits the owner needs.
    file.set_permissions(fs::Permissions::from_mode(0o600)).map_err(failed("close to others", path))?;
    Ok(file)
}

/// Writes a whole file, durably, and says what it is.
pub(super) fn write(directory: &Path, name: &str, bytes: &[u8]) -> Result<FileMark, BackupError> {
    let path = directory.join(name);
    let mut file = create(&path)?;
    file.write_all(bytes).and_then(|()| file.sync_all()).map_err(failed("write", &path))?;
    Ok(FileMark {
        path: name.to_owned(),
        bytes: bytes.len() as u64,
        blake3: blake3::hash(bytes).to_hex().to_string(),
    })
}

/// Reads a file from its beginning to its end, handing over every piece; its size and hash.
pub(super) fn read_through(
    path: &Path,
    mut piece: impl FnMut(&[u8]) -> Result<(), BackupError>,
) -> Result<(u64, String), BackupError> {
    let mut file = File::open(path).map_err(failed("read", path))?;
    let mut hasher = blake3::Hasher::new();
    let mut buffer = vec![0; 1 << 20];
    let mut bytes = 0;
    loop {
        let read = match file.read(&mut buffer) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            other => other.map_err(failed("read", path))?,
        };
        if read == 0 {
            return Ok((bytes, hexadecimal(hasher.finalize().as_bytes())));
        }
        bytes += read as u64;
        hasher.update(&buffer[..read]);
        piece(&buffer[..read])?;
    }
}

/// What a file of a copy is.
pub(super) fn mark(directory: &Path, name: &str) -> Result<FileMark, BackupError> {
    let (bytes, blake3) = read_through(&directory.join(name), |_| Ok(()))?;
    Ok(FileMark { path: name.to_owned(), bytes, blake3 })
}

/// Makes a file, or what a directory lists, last.
pub(super) fn sync(path: &Path) -> Result<(), BackupError> {
    File::open(path).and_then(|file| file.sync_all()).map_err(failed("flush", path))
}

/// Every file below `directory`, by its path there with `/` between folders, in order. Links are not followed.
pub(super) fn list(directory: &Path) -> Result<Vec<String>, BackupError> {
    let mut found = Vec::new();
    let mut open = vec![String::new()];
    while let Some(folder) = open.pop() {
        let path = directory.join(&folder);
        let listing = match fs::read_dir(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            other => other.map_err(failed("read", &path))?,
        };
        for item in listing {
            let item = item.map_err(failed("read", &path))?;
            let name = item.file_name().to_string_lossy().into_owned();
            let name = if folder.is_empty() { name } else { format!("{folder}/{name}") };
            match item.file_type().map_err(failed("read", &path))? {
                kind if kind.is_dir() => open.push(name),
                _ => found.push(name),
            }
        }
    }
    found.sort_unstable();
    Ok(found)
}
