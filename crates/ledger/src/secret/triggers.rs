//! One automaton over everything that can begin a finding.

use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};

use super::prefixes::PREFIXES;

/// What was seen.
#[derive(Clone, Copy, Debug)]
pub(super) enum Trigger {
    /// A provider's prefix, by its row in [`PREFIXES`].
    Prefix(usize),
    /// The beginning of a structure.
    Structure(Structure),
    /// A word that names a secret.
    Name(Name),
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Structure {
    Pem,
    Jwt,
    Address,
    Hash,
    Webhook,
    Putty,
    CommandLine,
    PasswordFile,
}

/// A word that names a secret, with where its match ends relative to its beginning.
#[derive(Clone, Copy, Debug)]
pub(super) struct Name {
    pub(super) class: NameClass,
    pub(super) length: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NameClass {
    /// `password` and its like: nearly any value will do.
    Password,
    /// `pass`, `pwd`, `šifra`: words with other meanings, which need an operator.
    Pass,
    /// `secret`, `token`, `api key`: the value must look random.
    Key,
    /// `key`, `access`, `auth`, `private`, `client`: as `Key`, but the value must be longer.
    WeakKey,
    /// `PIN`, `CVV`: a few digits.
    Pin,
    /// `door code`, `šifra alarma`: a few digits behind a verb or colon.
    DoorCode,
}

const STRUCTURES: &[(&str, Structure)] = &[
    ("-----begin", Structure::Pem),
    ("---- begin", Structure::Pem),
    ("eyj", Structure::Jwt),
    ("://", Structure::Address),
    ("$1$", Structure::Hash),
    ("$2a$", Structure::Hash),
    ("$2b$", Structure::Hash),
    ("$2y$", Structure::Hash),
    ("$2x$", Structure::Hash),
    ("$5$", Structure::Hash),
    ("$6$", Structure::Hash),
    ("$8$", Structure::Hash),
    ("$9$", Structure::Hash),
    ("$y$", Structure::Hash),
    ("$7$", Structure::Hash),
    ("$14$", Structure::Hash),
    ("$apr1$", Structure::Hash),
    ("$argon2", Structure::Hash),
    ("$pbkdf2", Structure::Hash),
    ("$krb5", Structure::Hash),
    ("$p$b", Structure::Hash),
    ("$h$9", Structure::Hash),
    ("$s$d", Structure::Hash),
    ("{ssha}", Structure::Hash),
    ("{ssha256}", Structure::Hash),
    ("{ssha512}", Structure::Hash),
    ("pbkdf2_sha", Structure::Hash),
    ("hooks.slack.com/", Structure::Webhook),
    ("/api/webhooks/", Structure::Webhook),
    ("/webhook/", Structure::Webhook),
    ("hooks.zapier.com/", Structure::Webhook),
    ("private-lines:", Structure::Putty),
    ("private-mac:", Structure::Putty),
    (":5432:", Structure::PasswordFile),
    ("login(", Structure::CommandLine),
    ("psexec", Structure::CommandLine),
    ("sshpass", Structure::CommandLine),
    ("mysqldump", Structure::CommandLine),
    ("mysql -", Structure::CommandLine),
    ("curl ", Structure::CommandLine),
    ("net use", Structure::CommandLine),
    ("directoryentry(", Structure::CommandLine),
    ("networkcredential(", Structure::CommandLine),
    ("convertto-securestring", Structure::CommandLine),
];

const NAMES: &[(&str, NameClass)] = &[
    ("password", NameClass::Password),
    ("passwd", NameClass::Password),
    ("passwort", NameClass::Password),
    ("kennwort", NameClass::Password),
    ("passphrase", NameClass::Password),
    ("pass phrase", NameClass::Password),
    ("passcode", NameClass::Password),
    ("p@ssword", NameClass::Password),
    ("p@ssw0rd", NameClass::Password),
    ("passw0rd", NameClass::Password),
    ("p4ssword", NameClass::Password),
    ("p4ssw0rd", NameClass::Password),
    ("pa$$word", NameClass::Password),
    ("p@$$word", NameClass::Password),
    ("p@$$w0rd", NameClass::Password),
    ("pa55word", NameClass::Password),
    ("l0zink", NameClass::Password),
    ("pwd", NameClass::Password),
    ("lozink", NameClass::Password),
    ("zapork", NameClass::Password),
    ("contraseña", NameClass::Password),
    ("mot de passe", NameClass::Password),
    ("pass", NameClass::Pass),
    ("pw", NameClass::Pass),
    ("šifr", NameClass::Pass),
    ("Šifr", NameClass::Pass),
    ("sifra", NameClass::Pass),
    ("parola", NameClass::Pass),
    ("secret", NameClass::Key),
    ("token", NameClass::Key),
    ("apikey", NameClass::Key),
    ("api_key", NameClass::Key),
    ("api-key", NameClass::Key),
    ("api key", NameClass::Key),
    ("api ključ", NameClass::Key),
    ("tajni ključ", NameClass::Key),
    ("access key", NameClass::Key),
    ("accesskey", NameClass::Key),
    ("access_key", NameClass::Key),
    ("private key", NameClass::Key),
    ("privatekey", NameClass::Key),
    ("presharedkey", NameClass::Key),
    ("license key", NameClass::Key),
    ("license_key", NameClass::Key),
    ("licence key", NameClass::Key),
    ("recovery code", NameClass::Key),
    ("backup code", NameClass::Key),
    ("credential", NameClass::Key),
    ("bearer", NameClass::Key),
    ("authorization", NameClass::Key),
    ("api", NameClass::WeakKey),
    ("key", NameClass::WeakKey),
    ("ključ", NameClass::WeakKey),
    ("access", NameClass::WeakKey),
    ("auth", NameClass::WeakKey),
    ("private", NameClass::WeakKey),
    ("client", NameClass::WeakKey),
    ("cookie", NameClass::WeakKey),
    ("session", NameClass::WeakKey),
    ("salt", NameClass::WeakKey),
    ("login", NameClass::WeakKey),
    ("_pat", NameClass::Key),
    ("crumb", NameClass::WeakKey),
    ("door code", NameClass::DoorCode),
    ("alarm code", NameClass::DoorCode),
    ("gate code", NameClass::DoorCode),
    ("entry code", NameClass::DoorCode),
    ("entrance code", NameClass::DoorCode),
    ("garage code", NameClass::DoorCode),
    ("keypad code", NameClass::DoorCode),
    ("lock code", NameClass::DoorCode),
    ("lockbox code", NameClass::DoorCode),
    ("safe code", NameClass::DoorCode),
    ("security code", NameClass::DoorCode),
    ("unlock code", NameClass::DoorCode),
    ("code for the door", NameClass::DoorCode),
    ("code for the gate", NameClass::DoorCode),
    ("code for the alarm", NameClass::DoorCode),
    ("code to the door", NameClass::DoorCode),
    ("šifra alarma", NameClass::DoorCode),
    ("Šifra alarma", NameClass::DoorCode),
    ("šifra vrata", NameClass::DoorCode),
    ("Šifra vrata", NameClass::DoorCode),
    ("šifra ulaz", NameClass::DoorCode),
    ("Šifra ulaz", NameClass::DoorCode),
    ("šifra sefa", NameClass::DoorCode),
    ("Šifra sefa", NameClass::DoorCode),
    ("šifra za ", NameClass::DoorCode),
    ("Šifra za ", NameClass::DoorCode),
    ("šifra od ", NameClass::DoorCode),
    ("Šifra od ", NameClass::DoorCode),
    ("kod alarma", NameClass::DoorCode),
    ("kod za alarm", NameClass::DoorCode),
    ("kod za vrata", NameClass::DoorCode),
    ("kod za ulaz", NameClass::DoorCode),
    ("kod za kapiju", NameClass::DoorCode),
    ("kod od alarma", NameClass::DoorCode),
    ("kod od vrata", NameClass::DoorCode),
    ("pin", NameClass::Pin),
    ("cvv", NameClass::Pin),
    ("cvc", NameClass::Pin),
    ("otp", NameClass::Pin),
];

struct Automaton {
    search: AhoCorasick,
    triggers: Vec<Trigger>,
}

static AUTOMATON: LazyLock<Automaton> = LazyLock::new(|| {
    let mut patterns: Vec<&str> = Vec::new();
    let mut triggers = Vec::new();
    for (index, prefix) in PREFIXES.iter().enumerate() {
        patterns.push(prefix.text);
        triggers.push(Trigger::Prefix(index));
    }
    for (text, structure) in STRUCTURES {
        patterns.push(text);
        triggers.push(Trigger::Structure(*structure));
    }
    for (text, class) in NAMES {
        patterns.push(text);
        triggers.push(Trigger::Name(Name { class: *class, length: text.len() }));
    }
    let search = AhoCorasick::builder()
        .ascii_case_insensitive(true)
        .match_kind(MatchKind::Standard)
        .kind(Some(AhoCorasickKind::DFA))
        .build(&patterns)
        .expect("a few hundred short constant patterns, compiled by the tests");
    Automaton { search, triggers }
});

/// Every trigger in `text` with its offset, in the order in which they end.
pub(super) fn all(text: &str) -> impl Iterator<Item = (Trigger, usize)> + '_ {
    let automaton = &*AUTOMATON;
    automaton.search.find_overlapping_iter(text).filter_map(|found| {
        automaton.triggers.get(found.pattern().as_usize()).map(|trigger| (*trigger, found.start()))
    })
}
