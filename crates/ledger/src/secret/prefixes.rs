//! Prefixes that providers put before their tokens, so that they can be recognised. Facts, one a row.

use super::SecretLike;
use super::shape::Classes;
use crate::quote::Span;

/// Characters a token is made of behind its prefix.
#[derive(Clone, Copy)]
pub(super) enum Alphabet {
    /// Letters and digits.
    Alphanumeric,
    /// Also `_` and `-`.
    Url,
    /// Also `_`, `-`, `.`, `+`, `/`, `=`, `%` and `:`.
    Wide,
    /// Hexadecimal digits and `-`.
    Hex,
    /// Capitals and digits.
    Capitals,
}

/// One row.
pub(super) struct Prefix {
    pub(super) text: &'static str,
    alphabet: Alphabet,
    tail_min: usize,
}

const fn row(text: &'static str, alphabet: Alphabet, tail_min: usize) -> Prefix {
    Prefix { text, alphabet, tail_min }
}

use Alphabet::{Alphanumeric, Capitals, Hex, Url, Wide};

pub(super) const PREFIXES: &[Prefix] = &[
    // Clouds
    row("AKIA", Capitals, 16),
    row("ASIA", Capitals, 16),
    row("ABIA", Capitals, 16),
    row("ACCA", Capitals, 16),
    row("AGPA", Capitals, 16),
    row("AIDA", Capitals, 16),
    row("AROA", Capitals, 16),
    row("A3T", Capitals, 17),
    row("amzn.mws.", Hex, 30),
    row("AIza", Url, 30),
    row("GOCSPX-", Url, 20),
    row("ya29.", Wide, 20),
    row("1//0", Url, 30),
    row("LTAI", Alphanumeric, 12),
    row("AccountKey=", Wide, 40),
    row("SharedAccessKey=", Wide, 30),
    row("dop_v1_", Hex, 40),
    row("doo_v1_", Hex, 40),
    row("dor_v1_", Hex, 40),
    row("do00", Alphanumeric, 16),
    row("tfp_", Alphanumeric, 30),
    // Code hosts and packages
    row("ghp_", Alphanumeric, 30),
    row("gho_", Alphanumeric, 30),
    row("ghu_", Alphanumeric, 30),
    row("ghs_", Alphanumeric, 30),
    row("ghr_", Alphanumeric, 30),
    row("github_pat_", Url, 30),
    row("glpat-", Url, 18),
    row("glptt-", Url, 20),
    row("gldt-", Url, 18),
    row("glrt-", Url, 18),
    row("glcbt-", Url, 18),
    row("glsoat-", Url, 18),
    row("gloas-", Url, 30),
    row("GR1348941", Url, 18),
    row("npm_", Alphanumeric, 30),
    row("pypi-", Url, 30),
    row("rubygems_", Hex, 30),
    row("oy2", Alphanumeric, 40),
    row("dckr_pat_", Url, 20),
    row("dckr_oat_", Url, 20),
    row("ATATT3", Wide, 40),
    row("ATBB", Alphanumeric, 24),
    row("AKCp", Alphanumeric, 30),
    row("sqp_", Hex, 30),
    row("squ_", Hex, 30),
    row("sqa_", Hex, 30),
    row("sgp_", Url, 30),
    row("CLOJARS_", Alphanumeric, 40),
    // Talk
    row("xoxb-", Url, 16),
    row("xoxp-", Url, 16),
    row("xoxa-", Url, 16),
    row("xoxr-", Url, 16),
    row("xoxs-", Url, 16),
    row("xoxo-", Url, 16),
    row("xoxe-", Url, 16),
    row("xoxe.", Wide, 20),
    row("xapp-", Url, 20),
    row("mfa.", Url, 40),
    row("EAACEdEose0cBA", Alphanumeric, 10),
    row("EAAA", Url, 40),
    row("EAAB", Alphanumeric, 60),
    // Models
    row("sk-ant-", Url, 20),
    row("sk-proj-", Url, 20),
    row("sk-or-", Url, 20),
    row("sk-", Url, 20),
    row("hf_", Alphanumeric, 28),
    row("api_org_", Alphanumeric, 28),
    row("gsk_", Alphanumeric, 30),
    row("r8_", Alphanumeric, 30),
    row("xai-", Alphanumeric, 40),
    row("pplx-", Alphanumeric, 30),
    row("tgp_v1_", Url, 30),
    row("lsv2_", Url, 30),
    row("nvapi-", Url, 40),
    row("csk-", Alphanumeric, 30),
    row("fw_", Alphanumeric, 20),
    // Money
    row("sk_live_", Alphanumeric, 10),
    row("sk_test_", Alphanumeric, 10),
    row("pk_live_", Alphanumeric, 10),
    row("pk_test_", Alphanumeric, 10),
    row("rk_live_", Alphanumeric, 10),
    row("rk_test_", Alphanumeric, 10),
    row("ak_live_", Alphanumeric, 20),
    row("ak_test_", Alphanumeric, 20),
    row("whsec_", Wide, 20),
    row("sq0atp-", Url, 20),
    row("sq0csp-", Url, 30),
    row("sq0idp-", Url, 20),
    row("access_token$production$", Hex, 20),
    row("access-production-", Hex, 30),
    row("access-sandbox-", Hex, 30),
    row("FLWSECK", Url, 20),
    row("FLWPUBK", Url, 20),
    row("rzp_live_", Alphanumeric, 12),
    row("rzp_test_", Alphanumeric, 12),
    row("shltm_", Url, 20),
    row("xkeysib-", Url, 40),
    row("live_", Alphanumeric, 30),
    // Shops, mail, maps
    row("shpat_", Hex, 30),
    row("shpca_", Hex, 30),
    row("shppa_", Hex, 30),
    row("shpss_", Hex, 30),
    row("SG.", Wide, 40),
    row("key-", Hex, 32),
    row("pk.eyJ", Wide, 20),
    row("sk.eyJ", Wide, 20),
    row("tk.eyJ", Wide, 20),
    row("SK", Hex, 32),
    row("_mmk", Alphanumeric, 0),
    // Operations
    row("hvs.", Url, 60),
    row("hvb.", Url, 60),
    row("hvr.", Url, 60),
    row("dapi", Hex, 32),
    row("dp.pt.", Alphanumeric, 30),
    row("dp.st.", Wide, 30),
    row("dp.ct.", Alphanumeric, 30),
    row("dp.sa.", Alphanumeric, 30),
    row("dp.scim.", Alphanumeric, 30),
    row("dp.audit.", Alphanumeric, 30),
    row("NRAK-", Alphanumeric, 20),
    row("NRJS-", Hex, 15),
    row("NRRA-", Hex, 30),
    row("NRAA-", Hex, 20),
    row("NRII-", Url, 25),
    row("NRIQ-", Url, 20),
    row("NRSP-", Url, 20),
    row("PMAK-", Hex, 40),
    row("glsa_", Alphanumeric, 30),
    row("glc_eyJ", Wide, 20),
    row("eyJrIjoi", Wide, 40),
    row("sntrys_", Wide, 40),
    row("sntryu_", Hex, 40),
    row("pul-", Hex, 38),
    row("pnu_", Alphanumeric, 30),
    row("fio-u-", Url, 40),
    row("fo1_", Url, 30),
    row("FlyV1 fm", Wide, 40),
    row("FlyV1", Wide, 40),
    row("rnd_", Alphanumeric, 24),
    row("HRKU-", Url, 30),
    row("CFPAT-", Url, 30),
    row("lin_api_", Alphanumeric, 30),
    row("secret_", Alphanumeric, 40),
    row("ntn_", Alphanumeric, 40),
    row("figd_", Url, 30),
    row("phc_", Alphanumeric, 30),
    row("phx_", Alphanumeric, 30),
    row("pat-na1-", Hex, 30),
    row("pat-eu1-", Hex, 30),
    row("aio_", Alphanumeric, 24),
    row("api-", Hex, 32),
    row("tskey-", Url, 16),
    row("ops_eyJ", Wide, 100),
    row("AGE-SECRET-KEY-1", Alphanumeric, 50),
    row("b.AAAA", Url, 100),
    row("nfp_", Alphanumeric, 30),
    row("sbp_", Hex, 40),
    row("pscale_", Wide, 30),
    row("duffel_", Url, 40),
    row("EZAK", Alphanumeric, 50),
    row("EZTK", Alphanumeric, 50),
    row("shippo_", Url, 40),
    row("bkua_", Alphanumeric, 30),
    row("rdme_", Alphanumeric, 50),
    row("sl.", Url, 60),
    row("SWMTKN-1-", Url, 40),
    row("dt0c01.", Wide, 60),
    row("supernotes_sk", Url, 20),
    row("px-dep-", Hex, 30),
    row("px-api-", Hex, 30),
    row("NRAL", Alphanumeric, 0),
];

/// The token that begins with row `index` at `at`, if there is one.
pub(super) fn token_at(text: &str, at: usize, index: usize) -> Option<SecretLike> {
    let prefix = PREFIXES.get(index)?;
    let rest = text.get(at..)?;
    let tail = rest.strip_prefix(prefix.text)?;
    if prefix.tail_min == 0 {
        return suffixed(text, at, prefix.text);
    }
    let before = text[..at].chars().next_back();
    if before
        .is_some_and(|character| character.is_alphanumeric() || character == '_' && prefix.text.len() < 5)
    {
        return None;
    }
    let length = tail.bytes().take_while(|byte| prefix.alphabet.holds(*byte)).count();
    let body = &tail[..length];
    let classes = Classes::of(body);
    let capitals = matches!(prefix.alphabet, Capitals);
    // A longer run of capitals and digits is something else that happens to begin so.
    let fits = if capitals { length == prefix.tail_min } else { length >= prefix.tail_min };
    let ends = !tail[length..]
        .starts_with(|next: char| next.is_alphanumeric() && (capitals || matches!(prefix.alphabet, Hex)));
    let mixed = classes.digits >= 1 || (classes.upper >= 2 && classes.lower >= 2);
    let varied = distinct_bytes(body) >= 5 && !is_words(body);
    let unreal = classes.digits == 0 && prefix.text.len() <= 4 && !capitals && body.contains(['-', '_']);
    (fits && ends && (mixed || capitals) && varied && !unreal)
        .then(|| SecretLike { kind: "provider_token", span: Span::new(at, at + prefix.text.len() + length) })
}

/// Tokens known by their end: `…NRAL`, `…_mmk`.
fn suffixed(text: &str, at: usize, suffix: &'static str) -> Option<SecretLike> {
    let end = at + suffix.len();
    if text[end..].starts_with(char::is_alphanumeric) {
        return None;
    }
    let before = text.get(..at)?;
    let length = before
        .bytes()
        .rev()
        .take(64)
        .take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'_')
        .count();
    let body = &before[at - length..];
    let classes = Classes::of(body);
    (length >= 24 && classes.digits >= 4)
        .then_some(SecretLike { kind: "provider_token", span: Span::new(at - length, end) })
}

fn distinct_bytes(body: &str) -> u32 {
    let mut seen = 0_u128;
    for byte in body.bytes().take(200) {
        seen |= 1_u128 << (byte & 0x7f);
    }
    seen.count_ones()
}

/// `sk-learn-pipeline-with-2-steps`: pieces that are words or short numbers.
fn is_words(body: &str) -> bool {
    let mut pieces = 0;
    let wordy = body.split(['-', '_', '.', '/']).filter(|piece| !piece.is_empty()).all(|piece| {
        pieces += 1;
        let lower = piece.bytes().all(|byte| byte.is_ascii_lowercase());
        let number = piece.len() <= 4 && piece.bytes().all(|byte| byte.is_ascii_digit());
        (lower && piece.len() <= 14) || number
    });
    wordy && pieces >= 2
}

impl Alphabet {
    const fn holds(self, byte: u8) -> bool {
        match self {
            Self::Alphanumeric => byte.is_ascii_alphanumeric(),
            Self::Url => byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'),
            Self::Wide => {
                byte.is_ascii_alphanumeric()
                    || matches!(byte, b'_' | b'-' | b'.' | b'+' | b'/' | b'=' | b'%' | b':' | b',')
            }
            Self::Hex => byte.is_ascii_hexdigit() || byte == b'-',
            Self::Capitals => byte.is_ascii_uppercase() || byte.is_ascii_digit(),
        }
    }
}
