//! Credentials are recognised, ordinary talk is left alone: tables, the two published sets with floors, laws.

use std::collections::HashMap;
use std::io::Read;

use ledger::secret::secret_like;
use proptest::prelude::*;
use serde_json::Value;

/// Text and the kind it must be found as. Values are invented or published samples; the ones with a provider's
/// prefix are put together from two pieces, so that a scanner of this repository has nothing to report.
const SECRETS: &[(&str, &str)] = &[
    ("my password is hunter2!", "password"),
    ("My password is swordfish.", "password"),
    ("the wifi password is Grand4Piano", "password"),
    ("password for the wifi at home is blue42horse", "password"),
    ("password: Tr0ub4dor&3", "password"),
    ("Password = \"open sesame\"", "password"),
    ("DB_PASSWORD=admin123", "password"),
    ("db.password: s3cret-thing", "password"),
    ("\"userPassword\": \"hunter22\"", "password"),
    ("<Pass>ExamplePas123</Pass>", "password"),
    ("login ana password swordfish", "password"),
    ("hunter2! is my password", "password"),
    ("use Grand4Piano as the wifi password", "password"),
    ("lozinka je tajna123", "password"),
    ("Lozinka mi je sunce2020.", "password"),
    ("moja lozinka je maslačak", "password"),
    ("lozinka za wifi je plavi42konj", "password"),
    ("šifra: k0njic!5", "password"),
    ("Zaporka: Ljeto2024!", "password"),
    ("passphrase is \"correct horse battery staple\"", "password"),
    ("my pwd is 8Fk2p!", "password"),
    ("the passphrase is correct horse battery staple", "password"),
    ("My password is correct horse battery staple.", "password"),
    ("my birthday password is 12 June", "password"),
    ("moja lozinka je 12. lipnja", "password"),
    ("my password is 12.6.1990", "password"),
    ("my p@ssword: Tr0ub4dor&3", "password"),
    ("my p@ssw0rd is Tr0ub4dor&3", "password"),
    ("the door code is 4821#", "pin"),
    ("Alarm code: 4821", "pin"),
    ("the gate code at home is *4821", "pin"),
    ("šifra alarma je 4821", "pin"),
    ("Šifra za alarm: 4821", "pin"),
    ("kod za vrata je 4821", "pin"),
    ("my ｐａｓｓｗｏｒｄ is Tr0ub4dor&3", "password"),
    ("my password is Ｔｒ０ｕｂ４ｄｏｒ＆３", "password"),
    ("PIN 1234", "pin"),
    ("my PIN is 4821", "pin"),
    ("PIN za karticu je 4821", "pin"),
    ("pin kod: 0042", "pin"),
    ("the CVV is 123", "pin"),
    ("api key: 9f8a7b6c5d4e3f2a1b0c", "api_key"),
    ("API_KEY=q7w8e9r1t2y3u4i5o6p7", "api_key"),
    ("my access token is Zx81kQp0Lw92mNbV", "api_key"),
    ("Authorization: Bearer 7f3c9a1e5b2d8f4a6c0e", "api_key"),
    ("client_secret = 'Jx9-kQ2_mZ7pL4vR8tW1'", "api_key"),
    ("api ključ: 9f8a7b6c5d4e3f2a1b0c", "api_key"),
    ("postgres://ana:swordfish@db.example.com/main", "url_credentials"),
    ("redis://:p4ss@cache.example.com:6379", "url_credentials"),
    ("https://ana:lozinka@example.com/x", "url_credentials"),
    ("-----BEGIN RSA PRIVATE KEY-----\nMIIEpAIBAAKCAQEA", "private_key"),
    ("-----BEGIN OPENSSH PRIVATE KEY-----", "private_key"),
    ("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.dBjftJeZ4CVPmB92K27u", "jwt"),
    ("$2b$12$eImiTXuWVxfM37uY4JANjQ.7hJwQh1Jc1kq0mE5v9w0Yc1yq", "password_hash"),
    (
        "root:$6$qoE2letU$wWPRl.PVczjzeMVgjiA8LLy2nOyZbf7Amj3qLIL978o18gbMySdKZ7uepq9tmMQXxyTIrS12Pln.2Q/6Xscao0:1",
        "password_hash",
    ),
    ("card 4111 1111 1111 1111", "card_number"),
    ("5500005555555559", "card_number"),
    ("amex 3782 822463 10005", "card_number"),
    ("witch collapse practice feed shame open despair creek road again ice least", "seed_phrase"),
    ("seed: legal winner thank year wave sausage worth useful legal winner thank yellow", "seed_phrase"),
    (
        "1. witch 2. collapse 3. practice 4. feed 5. shame 6. open 7. despair 8. creek 9. road 10. again 11. ice 12. least",
        "seed_phrase",
    ),
    ("cGFzc3dvcmQgaXMgaHVudGVyMiEgb2s=", "base64_secret"),
    ("TXkgQVBJX0tFWT1xN3c4ZTlyMXQyeTN1NGk1bzZwNw==", "base64_secret"),
    ("Kq8Zr3Lm1Xv9Tb4Nw7Yp2Hd6Jf5Gs0Ac", "random_token"),
    ("pass\u{200b}word is hunter2!", "password"),
    ("password is hun\u{200b}ter2!", "password"),
];

/// Prefix, rest, kind.
const PIECES: &[(&str, &str)] = &[
    ("AKIA", "IOSFODNN7EXAMPLE"),
    ("ＡＫＩＡ", "ＩＯＳＦＯＤＮＮ７ＥＸＡＭＰＬＥ"),
    ("𝐀𝐊𝐈𝐀", "𝐈𝐎𝐒𝐅𝐎𝐃𝐍𝐍𝟕𝐄𝐗𝐀𝐌𝐏𝐋𝐄"),
    ("AKIA", " IOSF ODNN 7EXA MPLE"),
    ("AK", "IA IOSF ODNN 7EXA MPLE"),
    ("AKIA\u{200b}", "IOSFODNN7\u{200b}EXAMPLE"),
    ("gh", "p_1B4a2e77838347a7E420ce178F2E7c6912E1"),
    ("gh", "p_ 1B4a2e77 838347a7 E420ce17 8F2E7c69 12E1ab"),
    ("xox", "b-153445930147-Tjy11gGxUW6Cf99YOYwtzG0K"),
    ("sk", "-ZqSkh4mQUbd9pojV52VKT3BlbkFJ2enUikl6ol"),
    ("sk", "-ant-api03-Zq9kh4mQUbd9pojV52VKT3Blb"),
    ("AI", "zaSyA1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q"),
    ("glp", "at-Zq9kh4mQUbd9pojV52VK"),
    ("sk_", "live_4eC39HqLyjWDarjtT1zdp7dc"),
    ("npm", "_TCllNwh2WLQlMWVhybM1iQrsTj6rMQ0BOh6d"),
    ("SG", ".slEPQhoGSdSjiy1sXXl94Q.xzKsq_jteajHFJgBltwdaZCf99H2fjBQ41eNHLt79g"),
    ("hf", "_aBcDeFgH1jKlMn0pQrStUvWxYz2345678"),
    ("123456789:", "AAF7dQ9kLm2Xv4Tb8Nw1Yp3Hd6Jf5Gs0Ac9"),
];

const ORDINARY: &[&str] = &[
    "",
    "I live in Rome and I like tea.",
    "I forgot my password again.",
    "My password is too weak, I should change it.",
    "my password is expired",
    "the password is required",
    "password hashing with bcrypt is what I use",
    "the passphrase is required every single time",
    "my password is stored somewhere really safe",
    "the password is not working anymore today",
    "my password expires on 12 June",
    "the password reset is 12 June",
    "The door code is 4 digits long",
    "the door code changed in 2024",
    "the gate code is from 2019",
    "the door code is on a note in room 12",
    "My kitchen door code review is at 9:30",
    "Ｉ ｌｉｖｅ ｉｎ Ｒｏｍｅ",
    "I use 1Password as my password manager",
    "I never reuse a password and neither should you",
    "Remind me to reset my password on Friday 12 June 2026",
    "my password must be at least 12 characters",
    "password policy: minimum 12 characters",
    "The password field has the label Password: and nothing else",
    "What is a token in NLP? A token is a piece of a word",
    "I ordered a birthday token 2 days ago",
    "The secret to good bread is time.",
    "my secret ingredient is nutmeg",
    "The key to success is patience",
    "My house key is under the mat number 4",
    "I passed the exam with 95 points",
    "my passport expires in 2031",
    "He plays in the key of C sharp minor",
    "pinned 1234 messages",
    "I bought 1000 pins",
    "pin 1000 nails to the wall",
    "Access to the building is from 8 to 17",
    "My API design talk is at 9:30",
    "The client meets me at 10 on 12.6.2026.",
    "private lessons cost 30 euros",
    "Lozinka mi je istekla.",
    "Zaboravila sam lozinku.",
    "Lozinka je preslaba, moram je promijeniti.",
    "lozinka mora imati 12 znakova",
    "Ključ je u dobroj pripremi.",
    "Šifra proizvoda nije na kutiji.",
    "Otorinolaringologija i najnepotrebniji prijestolonasljednikovica su duge riječi.",
    "Elektroencefalografija Prijestolonasljednikovičinima",
    "IBAN HR1210010051863000160 is my account",
    "Moj IBAN je DE89 3704 0044 0532 0130 00",
    "ISBN 978-3-16-148410-0 is the book I want",
    "9783161484100",
    "order 4000123412341235 shipped",
    "my phone is +385 91 234 5678",
    "call me at 0038591 2345678",
    "123e4567-e89b-12d3-a456-426614174000",
    "commit 3b335d612137949d2f21fcc6c8c8164db7603227 broke the build",
    "The auth fix is in commit 3b335d612137949d2f21fcc6c8c8164db7603227",
    "sha256 e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "md5 5d41402abc4b2a76b9719d911017c592",
    "sha512-z4PhNX7vuL3xVChQ1m2AB9Yg5AULVxXcg/SpIdNs6c5H0NE8XYXysP+DGNKHfuwvY7kxvUdBeoGlODJ6+SfaPg==",
    "version 1.22.3-rc.4+build.20260512",
    "https://docs.google.com/document/d/1A2b3C4d5E6f7G8h9I0jKlMnOpQrStUvWxYz12345678/edit",
    "https://www.youtube.com/watch?v=dQw4w9WgXcQ",
    "see /usr/local/share/Very/Long/Path/With123/Numbers456/file.txt",
    "src/components/UserProfile/UserProfileCardHeader2.test.tsx",
    "SGVsbG8gd29ybGQsIHRoaXMgaXMgcGxhaW4=",
    "the word is cHJpamVzdG9sb25hc2xqZWRuaWs=",
    "com.example.application.service.UserAuthenticationServiceImpl2",
    "snake_case_identifier_with_some_2_numbers_in_it",
    "sk-learn is how people call scikit-learn",
    "risk-management-with-2-teams-and-budget",
    "https://example.com/user@host:8080",
    "mail me at ana@example.com",
    "git@github.com:ana/project.git",
    "password=${DB_PASSWORD}",
    "password = os.environ['DB_PASSWORD']",
    "password = getpass()",
    "password: <your password>",
    "password: ********",
    "API_KEY=YOUR_API_KEY",
    "api_key = \"your-api-key-here\"",
    "token: {{ token }}",
    "def login(self, user='', password=''):",
    "password: string;",
    "It costs $5 or $6 for two, $1 tips included",
    "I walk 12345 steps and run 6789 metres",
    "12 34 56 78 are my lucky numbers",
    "1 2 3 4 5 6 7 8 9 10",
    "I am in flat 3B, floor 2, block A7, entrance C1",
    "we need milk bread butter cheese apples pears plums salt sugar flour eggs tea and more",
    "kupi kruh mlijeko maslac sir jabuke kruške šljive sol šećer brašno jaja čaj",
    "danas sutra preksutra nekako ipak dobro moram samo malo bolje raditi stvari",
    "the quick brown fox jumps over the lazy dog and then runs home again",
    "On 2026-03-01T09:30:00Z I start",
    "My Wi-Fi is called Zagreb5GHz",
    "flight OU4437 seat 12A booking on 12 June",
    "my car is ZG-1234-AB",
    "VIN WVWZZZ1JZXW000001",
    "COVID19 vaccination in 2021",
    "Session 3 starts at 10:00, cookie break at 11:30",
];

#[test]
fn credentials_are_found_with_their_kind() {
    let mut wrong = Vec::new();
    for (text, kind) in SECRETS {
        let found = secret_like(text);
        if found.map(|found| found.kind) != Some(*kind) {
            wrong.push(format!("{text:?} should be {kind}, is {found:?}"));
        }
    }
    for (first, rest) in PIECES {
        let text = format!("it is {first}{rest} ok");
        let found = secret_like(&text);
        if found.map(|found| found.kind) != Some("provider_token") {
            wrong.push(format!("{text:?} is {found:?}"));
        }
    }
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), SECRETS.len() + PIECES.len(), wrong.join("\n"));
}

#[test]
fn the_span_is_the_credential() {
    for (text, words) in [
        ("my password is hunter2! ok", "hunter2!"),
        ("lozinka za wifi je plavi42konj, zapamti", "plavi42konj"),
        ("PIN je 4821.", "4821"),
        ("postgres://ana:swordfish@db.example.com/main", "swordfish"),
        ("pay with 4111 1111 1111 1111 now", "4111 1111 1111 1111"),
        ("password is hun\u{200b}ter2! ok", "hun\u{200b}ter2!"),
        ("šđč api key: 9f8a7b6c5d4e3f2a1b0c, ok", "9f8a7b6c5d4e3f2a1b0c"),
    ] {
        assert_eq!(secret_like(text).and_then(|found| found.span.slice(text)), Some(words), "{text:?}");
    }
}

#[test]
fn ordinary_talk_is_left_alone() {
    let wrong: Vec<_> = ORDINARY
        .iter()
        .filter_map(|text| secret_like(text).map(|found| format!("{text:?}: {found:?}")))
        .collect();
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), ORDINARY.len(), wrong.join("\n"));
}

fn data(path: &str) -> Vec<u8> {
    let path = format!("{}/../../data/{path}", env!("CARGO_MANIFEST_DIR"));
    std::fs::read(&path).unwrap_or_else(|error| panic!("{path}: {error}"))
}

fn lines_of(path: &str) -> Vec<Value> {
    let text = String::from_utf8(data(path)).expect("UTF-8");
    text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

fn decode_base64(text: &str) -> String {
    let (mut bytes, mut buffer, mut bits) = (Vec::new(), 0_u32, 0);
    for byte in text.bytes() {
        let value = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            _ => break,
        };
        buffer = (buffer << 6) | u32::from(value);
        bits += 6;
        if bits >= 8 {
            bits -= 8;
            bytes.push(u8::try_from((buffer >> bits) & 0xff).unwrap_or(0));
            buffer &= (1 << bits) - 1;
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Detection rules' own samples. Some "secrets" are names of buckets, hosts and users, and most of the "non-secrets"
/// are well-formed tokens that only one rule disowns (another provider's, or one digit short), so neither figure can
/// reach its end; the floors are what holds today.
#[test]
fn published_samples() {
    let (mut found, mut secrets, mut flagged, mut others) = (0, 0, 0, 0);
    for case in lines_of("security/secret-cases.jsonl") {
        let text = decode_base64(case["text_b64"].as_str().unwrap_or_default());
        let hit = usize::from(secret_like(&text).is_some());
        if case["secret"] == true {
            secrets += 1;
            found += hit;
        } else {
            others += 1;
            flagged += hit;
        }
    }
    println!("samples: {found} of {secrets} secrets found, {flagged} of {others} non-secrets flagged");
    assert_eq!((secrets, others), (912, 87));
    assert!(found >= 815, "{found} of {secrets}");
    assert!(flagged <= 34, "{flagged} of {others}");
}

/// Line by line, as messages would be; a file's finds count up to the number its list announces.
#[test]
fn a_leaky_home_folder() {
    let mut unpacked = Vec::new();
    let packed = data("attack-secrets/leaky-repo.tar.gz");
    flate2::read::GzDecoder::new(packed.as_slice()).read_to_end(&mut unpacked).expect("gzip");
    let files = tar_files(&unpacked);
    let list = String::from_utf8(data("attack-secrets/leaky-repo.secrets.csv")).expect("UTF-8");
    let (mut announced, mut found, mut silent) = (0, 0, Vec::new());
    for line in list.lines().filter(|line| !line.starts_with('#') && line.contains(',')) {
        let mut fields = line.split(',');
        let name = fields.next().unwrap_or_default();
        let risks: usize = fields.next().and_then(|field| field.parse().ok()).expect("a number");
        // One listed file is not in the archive.
        let Some(text) = files.get(name) else { continue };
        let hits = text.lines().filter(|line| secret_like(line).is_some()).count();
        announced += risks;
        found += hits.min(risks);
        if risks > 0 && secret_like(text).is_none() {
            silent.push(name.to_owned());
        }
    }
    println!("leaky folder: {found} of {announced} lines; no find in {silent:?}");
    assert_eq!(announced, 95);
    assert!(found >= 86, "{found} of {announced}");
    assert!(silent.len() <= 1, "{silent:?}");
}

/// Names and texts of a tar archive: a header of 512 bytes, then the file in blocks of 512.
fn tar_files(archive: &[u8]) -> HashMap<String, String> {
    let mut files = HashMap::new();
    let mut at = 0;
    while let Some(header) = archive.get(at..at + 512).filter(|header| header[0] != 0) {
        let field = |from: usize, to: usize| {
            String::from_utf8_lossy(&header[from..to]).trim_matches(['\0', ' ']).to_owned()
        };
        let size = usize::from_str_radix(&field(124, 136), 8).expect("an octal size");
        let text = archive.get(at + 512..at + 512 + size).expect("the whole file");
        let name = field(0, 100).trim_start_matches("leaky-repo/").to_owned();
        files.insert(name, String::from_utf8_lossy(text).into_owned());
        at += 512 + size.div_ceil(512) * 512;
    }
    files
}

/// Benign mail and benign records of other people's attack sets: what ordinary words look like.
#[test]
fn benign_mail_and_records_are_left_alone() {
    let mut texts = Vec::new();
    for mail in lines_of("attack-injection/bipia/email_train.jsonl") {
        strings(&mail, &mut texts);
    }
    let seeds: Value =
        serde_json::from_slice(&data("attack-memory-poisoning/experience_seeds.json")).expect("JSON");
    strings(&seeds, &mut texts);
    let flagged: Vec<_> =
        texts.iter().filter_map(|text| secret_like(text).map(|found| (found, text))).collect();
    println!("benign: {} of {} texts flagged", flagged.len(), texts.len());
    assert!(texts.len() > 300, "{}", texts.len());
    assert!(flagged.len() * 100 <= texts.len(), "{flagged:?}");
}

fn strings(value: &Value, into: &mut Vec<String>) {
    match value {
        Value::String(text) => into.push(text.clone()),
        Value::Array(items) => items.iter().for_each(|item| strings(item, into)),
        Value::Object(fields) => fields.values().for_each(|item| strings(item, into)),
        _ => {}
    }
}

#[test]
fn long_rows_of_triggers_are_linear() {
    for piece in [
        "password",
        "password is ",
        "key ",
        "eyJ",
        "eyJ ",
        "://",
        "://a:",
        "$1$",
        "AKIA",
        "1 ",
        "4111",
        "a b c ",
        "pass=",
        "pin ",
        "-----begin ",
        "abandon ",
        "login(",
        "\u{200b}",
    ] {
        let text = piece.repeat(200_000 / piece.len());
        if let Some(found) = secret_like(&text) {
            assert!(found.span.slice(&text).is_some(), "{piece:?}");
        }
    }
}

fn messy() -> impl Strategy<Value = String> {
    let part = proptest::sample::select(vec![
        "password",
        "lozinka",
        "šifra",
        "PIN",
        "key",
        "token",
        " is ",
        " je ",
        "=",
        ":",
        " ",
        "\"",
        "'",
        "\n",
        "hunter2!",
        "4821",
        "č",
        "\u{200b}",
        "😀",
        "://",
        "@",
        "$1$",
        "eyJ",
        "AKIA",
        "IOSFODNN7EXAMPLE",
        "abcdef0123456789abcdef",
        "-----BEGIN PRIVATE KEY-----",
        "4111111111111111",
        "curl -u a:bcde",
        "psexec -p ",
        "login('a', 'bcde')",
        ":5432:",
        "api",
        "_mmk",
        "NRAL",
        "/webhook/",
        "“",
        "”",
        "\\",
        "<Pass>",
        "=>",
        "for the ",
        "ž",
        "\u{30c}",
    ]);
    prop_oneof![proptest::collection::vec(part, 0..25).prop_map(|parts| parts.concat()), "\\PC{0,100}"]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_text_is_searched(text in messy()) {
        if let Some(found) = secret_like(&text) {
            prop_assert!(found.span.slice(&text).is_some_and(|words| !words.is_empty()), "{found:?}");
        }
    }

    #[test]
    fn hiding_characters_inside_changes_nothing(at in 0_usize..23) {
        let text = "my password is hunter2!";
        let hidden = format!("{}\u{200b}{}", &text[..at], &text[at..]);
        let found = secret_like(&hidden).expect("still a password");
        prop_assert_eq!(found.kind, "password");
        prop_assert_eq!(found.span.slice(&hidden).map(|words| words.replace('\u{200b}', "")), Some("hunter2!".to_owned()));
    }

    #[test]
    fn an_assigned_random_key_is_found(key in "[a-f0-9]{32}", name in "[a-z]{3,10}") {
        prop_assume!(key.bytes().filter(u8::is_ascii_digit).count() >= 4 && key.bytes().any(|byte| byte.is_ascii_alphabetic()));
        let text = format!("{name}_token={key}");
        prop_assert!(secret_like(&text).is_some(), "{}", text);
    }
}
