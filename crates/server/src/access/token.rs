//! Bearer tokens of an identity provider (OpenID Connect): who signed, for whom, about whom, until when.
//!
//! A token is taken when it is signed by a key of the issuer with a method that needs no shared secret, names this server as its
//! audience, and is valid now. Whose memory it opens is the claim that the operator named; what it allows is its `scope`. It is for one
//! subject, never for all.

use std::time::Duration;

use jsonwebtoken::jwk::JwkSet;
use jsonwebtoken::{Algorithm, DecodingKey, Validation, decode, decode_header};
use ledger::scope::Subject;
use ledger::time::Instant;
use parking_lot::Mutex;
use serde_json::{Map, Value as Json};

use super::{Caller, Rights, Subjects};

/// The longest token that is read, in bytes.
const TOKEN_BYTES_MAX: usize = 16 * 1024;

/// How far the issuer's clock may be off.
const LEEWAY: Duration = Duration::from_secs(60);

/// How long the issuer is not asked for its keys again, however many tokens name one that is not known.
const ASK_AGAIN_AFTER: Duration = Duration::from_secs(60);

/// How long keys are used before the issuer is asked again: one it withdrew opens nothing for longer.
const KEYS_AGE_MAX: Duration = Duration::from_secs(60 * 60);

/// The methods of signing that are taken. None with a shared secret, and never `none`.
const ALGORITHMS: [Algorithm; 9] = [
    Algorithm::RS256,
    Algorithm::RS384,
    Algorithm::RS512,
    Algorithm::PS256,
    Algorithm::PS384,
    Algorithm::PS512,
    Algorithm::ES256,
    Algorithm::ES384,
    Algorithm::EdDSA,
];

/// Hands out the issuer's keys, as a JSON Web Key Set.
pub type KeySource = Box<dyn Fn() -> Result<Vec<u8>, String> + Send + Sync>;

/// Whose tokens are taken.
pub struct Tokens {
    issuer: String,
    audience: String,
    subject_claim: String,
    source: KeySource,
    keys: Mutex<Option<Keys>>,
}

struct Keys {
    set: JwkSet,
    asked: Instant,
}

/// Why a token opens nothing.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum TokenError {
    /// It is not one of the issuer's, not for this server, or not valid now.
    #[error("the token is not valid here: {0}")]
    NotValid(&'static str),
    /// The issuer's keys cannot be had, so nobody can tell.
    #[error("the issuer's keys cannot be had: {0}")]
    NoKeys(String),
}

impl Tokens {
    /// Tokens of `issuer` for `audience`, about the subject that the claim `subject_claim` names.
    #[must_use]
    pub fn new(issuer: &str, audience: &str, subject_claim: &str, source: KeySource) -> Self {
        Self {
            issuer: issuer.to_owned(),
            audience: audience.to_owned(),
            subject_claim: subject_claim.to_owned(),
            source,
            keys: Mutex::default(),
        }
    }

    /// The issuer, as clients are told where to get a token.
    #[must_use]
    pub fn issuer(&self) -> &str {
        &self.issuer
    }

    /// The audience a token must name.
    #[must_use]
    pub fn audience(&self) -> &str {
        &self.audience
    }

    /// Who bears this token.
    ///
    /// # Errors
    /// [`TokenError`].
    pub fn caller(&self, token: &str, now: Instant) -> Result<Caller, TokenError> {
        let not_valid = TokenError::NotValid;
        if token.len() > TOKEN_BYTES_MAX {
            return Err(not_valid("it is too long"));
        }
        let header = decode_header(token).map_err(|_| not_valid("it is no token"))?;
        if !ALGORITHMS.contains(&header.alg) {
            return Err(not_valid("it is signed in a way that is not taken"));
        }
        let key = self.key(header.kid.as_deref(), now)?.ok_or(not_valid("its key is not the issuer's"))?;
        let mut validation = Validation::new(header.alg);
        validation.set_issuer(&[&self.issuer]);
        validation.set_audience(&[&self.audience]);
        validation.set_required_spec_claims(&["exp", "iss", "aud"]);
        // The clock is an argument here, so what is said of times is looked at below.
        validation.validate_exp = false;
        validation.validate_nbf = false;
        let claims = decode::<Map<String, Json>>(token, &key, &validation)
            .map_err(|_| not_valid("its signature, issuer or audience is another"))?
            .claims;
        let seconds = |name: &str| claims.get(name).and_then(Json::as_f64);
        let now_seconds = now.micros() as f64 / 1e6;
        let leeway = LEEWAY.as_secs_f64();
        if seconds("exp").is_none_or(|expires| expires + leeway <= now_seconds) {
            return Err(not_valid("it has expired"));
        }
        if seconds("nbf").is_some_and(|begins| begins - leeway > now_seconds) {
            return Err(not_valid("it is not valid yet"));
        }
        let subject = claims.get(&self.subject_claim).and_then(Json::as_str);
        let subject = subject.and_then(|name| Subject::parse(name).ok());
        let subject = subject.ok_or(not_valid("it names no subject"))?;
        let scopes = claims.get("scope").or_else(|| claims.get("scp"));
        let rights = match scopes {
            Some(Json::String(scopes)) => Rights::of_scopes(scopes),
            Some(Json::Array(scopes)) => {
                let names: Vec<&str> = scopes.iter().filter_map(Json::as_str).collect();
                Rights::of_scopes(&names.join(" "))
            }
            _ => Rights::default(),
        };
        let name = subject.as_str().to_owned();
        Ok(Caller::new(&name, rights, Subjects::Only(vec![subject])).with_key(&format!("token {name}")))
    }

    /// The issuer's key of this id; its only one, where the token names none.
    fn key(&self, id: Option<&str>, now: Instant) -> Result<Option<DecodingKey>, TokenError> {
        let mut keys = self.keys.lock();
        let age = |keys: &Keys| {
            Duration::from_micros(now.micros().saturating_sub(keys.asked.micros()).unsigned_abs())
        };
        let is_known = |keys: &Keys| find(&keys.set, id).is_some();
        let ask = match &*keys {
            None => true,
            Some(keys) if is_known(keys) => age(keys) > KEYS_AGE_MAX,
            Some(keys) => age(keys) > ASK_AGAIN_AFTER,
        };
        if ask {
            let set = (self.source)().and_then(|bytes| {
                serde_json::from_slice(&bytes).map_err(|error| format!("they are no set of keys: {error}"))
            });
            match (set, &mut *keys) {
                (Ok(set), _) => *keys = Some(Keys { set, asked: now }),
                (Err(why), None) => return Err(TokenError::NoKeys(why)),
                // What is known goes on being used for as long as the issuer cannot be asked.
                (Err(_), Some(keys)) => keys.asked = now,
            }
        }
        let found = keys.as_ref().and_then(|keys| find(&keys.set, id));
        Ok(found.and_then(|key| DecodingKey::from_jwk(key).ok()))
    }
}

fn find<'set>(set: &'set JwkSet, id: Option<&str>) -> Option<&'set jsonwebtoken::jwk::Jwk> {
    match (id, set.keys.as_slice()) {
        (Some(id), _) => set.find(id),
        (None, [only]) => Some(only),
        (None, _) => None,
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use base64::Engine as _;
    use base64::engine::general_purpose::URL_SAFE_NO_PAD;
    use ed25519_dalek::SigningKey;
    use jsonwebtoken::{EncodingKey, Header, encode};
    use ledger::time::{Moment, Zone};
    use serde_json::json;

    use super::*;
    use crate::access::Right;

    const ISSUER: &str = "https://login.example";
    const NOON: i64 = 1_796_040_000;

    fn signing(seed: u8) -> SigningKey {
        SigningKey::from_bytes(&[seed; 32])
    }

    fn keys(seeds: &[u8]) -> Vec<u8> {
        let key = |seed: &u8| {
            let public = URL_SAFE_NO_PAD.encode(signing(*seed).verifying_key().as_bytes());
            json!({"kty": "OKP", "crv": "Ed25519", "kid": format!("k{seed}"), "x": public})
        };
        serde_json::to_vec(&json!({"keys": seeds.iter().map(key).collect::<Vec<_>>()})).expect("JSON")
    }

    fn token(seed: u8, claims: &Json) -> String {
        // PKCS #8 around the 32 bytes of the key.
        let mut der = vec![0x30, 0x2e, 2, 1, 0, 0x30, 5, 6, 3, 0x2b, 0x65, 0x70, 4, 0x22, 4, 0x20];
        der.extend_from_slice(&[seed; 32]);
        let header = Header { kid: Some(format!("k{seed}")), ..Header::new(Algorithm::EdDSA) };
        encode(&header, claims, &EncodingKey::from_ed_der(&der)).expect("a token")
    }

    fn claims() -> Json {
        json!({"iss": ISSUER, "aud": "memory", "exp": NOON + 600, "nbf": NOON - 600, "sub": "u-1", "person": "ana",
               "scope": "openid memory:read memory:write"})
    }

    fn now(seconds: i64) -> Instant {
        Instant::from_micros(seconds * 1_000_000)
    }

    fn tokens(seeds: &'static [u8]) -> Tokens {
        Tokens::new(ISSUER, "memory", "person", Box::new(move || Ok(keys(seeds))))
    }

    #[test]
    fn a_token_opens_the_memory_of_the_subject_it_names() {
        assert_eq!(
            now(NOON),
            Moment::parse_in("2026-11-30T12:00:00Z", &Zone::utc()).expect("an instant").instant
        );
        let caller = tokens(&[1, 2]).caller(&token(2, &claims()), now(NOON)).expect("a caller");
        assert_eq!(caller.scope(None).expect("a scope").subject().as_str(), "ana");
        assert!(caller.scope(Some("ben")).is_err());
        assert!(caller.may(Right::Read) && caller.may(Right::Write) && !caller.may(Right::Forget));
    }

    #[test]
    fn what_is_not_the_issuers_or_not_for_here_or_not_now_opens_nothing() {
        let with = |name: &str, value: Json| {
            let mut changed = claims();
            changed[name] = value;
            changed
        };
        let refused =
            |seed: u8, claims: &Json, at: i64| tokens(&[1]).caller(&token(seed, claims), now(at)).is_err();
        assert!(!refused(1, &claims(), NOON));
        assert!(refused(2, &claims(), NOON), "another's key");
        assert!(refused(1, &with("iss", json!("https://evil.example")), NOON));
        assert!(refused(1, &with("aud", json!("another")), NOON));
        assert!(!refused(1, &with("aud", json!(["another", "memory"])), NOON));
        assert!(refused(1, &with("exp", Json::Null), NOON));
        assert!(refused(1, &with("person", Json::Null), NOON));
        assert!(refused(1, &with("person", json!("a\nb")), NOON));
        assert!(!refused(1, &claims(), NOON + 659));
        assert!(refused(1, &claims(), NOON + 660));
        assert!(refused(1, &claims(), NOON - 661));
        let whole = token(1, &claims());
        let parts: Vec<&str> = whole.split('.').collect();
        let none = URL_SAFE_NO_PAD.encode(br#"{"alg":"none","kid":"k1"}"#);
        let shared = URL_SAFE_NO_PAD.encode(br#"{"alg":"HS256","kid":"k1"}"#);
        for broken in [
            String::new(),
            "a.b.c".to_owned(),
            format!("{}.{}.", parts[0], parts[1]),
            format!("{none}.{}.", parts[1]),
            format!("{shared}.{}.{}", parts[1], parts[2]),
            format!(
                "{}.{}.{}",
                parts[0],
                URL_SAFE_NO_PAD.encode(with("person", json!("ben")).to_string()),
                parts[2]
            ),
            "a".repeat(TOKEN_BYTES_MAX + 1),
        ] {
            assert!(tokens(&[1]).caller(&broken, now(NOON)).is_err(), "{broken}");
        }
    }

    #[test]
    fn the_issuer_is_asked_for_its_keys_when_one_is_new_and_not_for_every_token() {
        let asked = Arc::new(AtomicUsize::new(0));
        let counted = asked.clone();
        let source = move || {
            Ok(match counted.fetch_add(1, Ordering::Relaxed) {
                0 => keys(&[1]),
                _ => keys(&[1, 2]),
            })
        };
        let tokens = Tokens::new(ISSUER, "memory", "person", Box::new(source));
        assert!(tokens.caller(&token(1, &claims()), now(NOON)).is_ok());
        assert!(tokens.caller(&token(1, &claims()), now(NOON)).is_ok());
        assert_eq!(asked.load(Ordering::Relaxed), 1);
        assert!(tokens.caller(&token(2, &claims()), now(NOON + 1)).is_err(), "asked a second ago");
        assert!(tokens.caller(&token(2, &claims()), now(NOON + 61)).is_ok());
        assert_eq!(asked.load(Ordering::Relaxed), 2);
        for _ in 0..10 {
            assert!(tokens.caller(&token(3, &claims()), now(NOON + 62)).is_err());
        }
        assert_eq!(asked.load(Ordering::Relaxed), 2, "unknown keys cannot make it ask");
    }

    #[test]
    fn without_the_issuers_keys_nobody_can_tell() {
        let tokens = Tokens::new(ISSUER, "memory", "person", Box::new(|| Err("no way there".to_owned())));
        assert!(matches!(tokens.caller(&token(1, &claims()), now(NOON)), Err(TokenError::NoKeys(_))));
    }
}
