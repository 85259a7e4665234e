//! The portal through its router, in the process: who gets in, what forms may do, and what pages hold.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::http::header::{
    ACCEPT_LANGUAGE, CACHE_CONTROL, CONTENT_SECURITY_POLICY, COOKIE, HOST, LOCATION, ORIGIN, REFERRER_POLICY,
    SET_COOKIE,
};
use axum::http::{HeaderMap, Method, Request};
use engine::observe::{Message, Observing};
use engine::remember::Remember;
use engine::tokens::Tokens;
use engine::turn::Turn;
use engine::{Call, Engine};
use http_body_util::BodyExt;
use ledger::admission::Policies;
use ledger::reference::ReferenceStore;
use ledger::scope::{Scope, Subject};
use ledger::time::Instant;
use parking_lot::Mutex;
use serde_json::json;
use tower::ServiceExt;

use super::form::query;
use crate::access::book::{Book, NewKey, Random};
use crate::access::{Right, Rights, Subjects};
use crate::http::{Shared, router};
use crate::settings::Settings;
use crate::{House, Server};

const HOSTILE: &str =
    "My note is \"><img src=x onerror=alert(1)></bdi><script>alert(1) <b>bold \u{202e}olleh\u{2066}";

/// A server on the reference store, with a clock that is set by hand.
struct World {
    server: Server,
    router: Router,
    clock: Arc<Mutex<Instant>>,
    keys: Mutex<u8>,
    _place: tempfile::TempDir,
}

fn at(text: &str) -> Instant {
    text.parse().expect("an instant")
}

fn named(name: &str) -> Subject {
    Subject::parse(name).expect("a name")
}

impl World {
    fn new(change: impl FnOnce(&mut Settings)) -> Self {
        let place = tempfile::tempdir().expect("a place");
        let clock = Arc::new(Mutex::new(at("2026-05-01T12:00:00Z")));
        let told = clock.clone();
        let mut settings = Settings::of(named("ana"));
        change(&mut settings);
        let house = House {
            book: Book::at(place.path().join("access.json")),
            tokens: None,
            settings,
            clock: Arc::new(move || *told.lock()),
            written: Box::new(|_| {}),
            reads: None,
        };
        let engine = Engine::new(Arc::new(ReferenceStore::new()), Policies::shipped(), Arc::new(Tokens));
        let server = Server::new(Arc::new(engine), house);
        let router = router(Shared::new(server.clone()));
        Self { server, router, clock, keys: Mutex::new(0), _place: place }
    }

    /// A world whose owner needs no key.
    fn at_home() -> Self {
        Self::new(|settings| settings.without_key = true)
    }

    fn key(&self, name: &str, rights: &[Right], subjects: Subjects) -> String {
        let mut keys = self.keys.lock();
        *keys += 1;
        let random = Random { id: [*keys; 9], secret: [*keys; 32] };
        let new = NewKey { name: name.to_owned(), rights: Rights::of(rights), subjects, expires: None };
        let (key, _) = self.server.house().book.create(&new, &random, self.server.now()).expect("made");
        key.reveal().to_string()
    }

    /// Remembers for a subject; its version.
    fn remember(&self, subject: &str, text: &str, said: Option<(&str, &str)>) -> String {
        let scope = Scope::of(named(subject));
        let remember = Remember {
            text: text.to_owned(),
            predicate: said.map(|(predicate, _)| predicate.to_owned()),
            value: said.map(|(_, value)| value.to_owned()),
            ..Remember::default()
        };
        let call = Call { scope: &scope, now: self.server.now() };
        let kept = self.server.engine().remember(call, remember).expect("kept");
        assert!(kept.refused.is_empty(), "{:?}", kept.refused);
        kept.admitted[0].version.clone().expect("a version")
    }

    /// Two documents that contradict each other.
    fn dispute(&self, subject: &str) {
        let scope = Scope::of(named(subject));
        for (reference, count) in [("report", "120"), ("leaflet", "90")] {
            let text = format!("Acme employs {count} people.");
            let message: Message = serde_json::from_value(json!({
                "source": {"kind": "document", "ref": reference}, "author": "external", "text": text,
                "event_time": "2026-02-01T00:00:00Z",
                "proposals": [{"entity": "acme", "predicate": "headcount", "value": count, "confidence": 0.9, "quote": text}],
            }))
            .expect("a message");
            let call = Call { scope: &scope, now: self.server.now() };
            let seen =
                self.server.engine().observe(call, vec![message], Observing::default()).expect("taken in");
            assert_eq!(seen[0].admitted.len(), 1, "{:?}", seen[0]);
        }
    }

    fn visitor(&self) -> Browser<'_> {
        Browser {
            world: self,
            cookies: BTreeMap::new(),
            language: "en",
            host: "localhost:7171",
            token: String::new(),
        }
    }
}

/// What a browser does with cookies and forms, and nothing more.
struct Browser<'world> {
    world: &'world World,
    cookies: BTreeMap<String, String>,
    language: &'static str,
    host: &'static str,
    token: String,
}

struct Seen {
    status: u16,
    headers: HeaderMap,
    text: String,
}

impl Seen {
    fn place(&self) -> &str {
        self.headers.get(LOCATION).and_then(|place| place.to_str().ok()).unwrap_or_default()
    }

    /// The first address on the page that begins so.
    fn link(&self, begins: &str) -> String {
        let rest = self
            .text
            .split(&format!("\"{begins}"))
            .nth(1)
            .unwrap_or_else(|| panic!("no {begins}: {}", self.text));
        format!("{begins}{}", rest.split('"').next().expect("an end"))
    }

    /// What a field of the page holds.
    fn field(&self, name: &str) -> String {
        let rest = self.text.split(&format!("name=\"{name}\" value=\"")).nth(1);
        rest.unwrap_or_else(|| panic!("no {name}")).split('"').next().expect("an end").to_owned()
    }
}

impl Browser<'_> {
    async fn send(&mut self, method: Method, path: &str, body: String, origin: Option<&str>) -> Seen {
        let path = path.split('#').next().unwrap_or_default();
        let mut request = Request::builder().method(method).uri(path).header(HOST, self.host);
        if !self.cookies.is_empty() {
            let cookies: Vec<String> =
                self.cookies.iter().map(|(name, value)| format!("{name}={value}")).collect();
            request = request.header(COOKIE, cookies.join("; "));
        }
        if let Some(origin) = origin {
            request = request.header(ORIGIN, origin);
        }
        let request =
            request.header(ACCEPT_LANGUAGE, self.language).body(Body::from(body)).expect("a request");
        let response = self.world.router.clone().oneshot(request).await.expect("an answer");
        let (parts, body) = response.into_parts();
        for cookie in parts.headers.get_all(SET_COOKIE) {
            let cookie = cookie.to_str().expect("text");
            assert!(cookie.contains("; HttpOnly; SameSite=Strict"), "{cookie}");
            let (name, value) = cookie.split(';').next().expect("a pair").split_once('=').expect("a pair");
            match cookie.contains("Max-Age=0") {
                true => drop(self.cookies.remove(name)),
                false => drop(self.cookies.insert(name.to_owned(), value.to_owned())),
            }
        }
        let bytes = body.collect().await.expect("a body").to_bytes();
        let text = String::from_utf8(bytes.to_vec()).expect("text");
        if let Some(rest) = text.split("name=\"token\" value=\"").nth(1) {
            rest.split('"').next().expect("an end").clone_into(&mut self.token);
        }
        Seen { status: parts.status.as_u16(), headers: parts.headers, text }
    }

    async fn get(&mut self, path: &str) -> Seen {
        self.send(Method::GET, path, String::new(), None).await
    }

    /// Sends a form with the token of the page that was seen last.
    async fn post(&mut self, path: &str, fields: &[(&str, &str)]) -> Seen {
        let token = self.token.clone();
        let fields: Vec<(&str, &str)> =
            [("token", token.as_str())].into_iter().chain(fields.iter().copied()).collect();
        self.send(Method::POST, path, query(&fields), Some(&format!("http://{}", self.host))).await
    }

    async fn sign_in(&mut self, key: &str) -> Seen {
        self.get("/portal/sign-in").await;
        self.post("/portal/sign-in", &[("key", key)]).await
    }
}

/// Every page that can be read.
fn pages(id: &str) -> Vec<String> {
    let plain = ["memory", "disputes", "turns", "sources", "search", "timeline", "health", "keys", "receipt"];
    let with_id =
        ["facts/ID", "evidence/ID", "turns/ID", "sources/ID", "memories/ID/correct", "forget?id=ID"];
    plain.iter().chain(&with_id).map(|page| format!("/portal/{}", page.replace("ID", id))).collect()
}

/// Every act that needs somebody to be let in.
const ACTS: [&str; 6] =
    ["disputes", "memories/ve_1/correct", "forget", "keys", "keys/key_1/revoke", "subject"];

#[tokio::test]
async fn without_a_session_every_page_and_every_act_leads_to_the_sign_in() {
    let world = World::new(|_| {});
    let mut visitor = world.visitor();
    for page in pages("fa_1").into_iter().chain(["/portal/nothing".to_owned()]) {
        let seen = visitor.get(&page).await;
        assert_eq!((seen.status, seen.text.as_str()), (303, ""), "{page}");
        assert_eq!(seen.place(), format!("/portal/sign-in?{}", query(&[("back", &page)])));
    }
    visitor.get("/portal/sign-in").await;
    for act in ACTS {
        let seen = visitor.post(&format!("/portal/{act}"), &[]).await;
        assert_eq!((seen.status, seen.place()), (303, "/portal/sign-in"), "{act}");
    }
    assert_eq!(visitor.get("/").await.place(), "/portal/memory");
    for embedded in ["/portal/style.css", "/portal/script.js"] {
        assert_eq!(visitor.get(embedded).await.status, 200);
    }
}

#[tokio::test]
async fn a_key_opens_a_session_that_ends_with_it() {
    let world = World::new(|_| {});
    let key = world.key("laptop", &Right::ALL, Subjects::Only(vec![named("ana")]));
    let mut ana = world.visitor();
    let page = "/portal/sign-in?back=%2Fportal%2Fhealth";
    assert!(ana.get(page).await.text.contains("type=\"password\""));
    assert!(!ana.cookies.contains_key("testimony_session"), "nobody signed in");
    // Somebody else's cookie, put there in the hope that it will be signed in with.
    let planted = ana.cookies["testimony_visit"].clone();
    ana.cookies.insert("testimony_session".to_owned(), planted.clone());
    for wrong in ["", "testimony_wrong", &key[..key.len() - 1]] {
        let seen = ana.post("/portal/sign-in", &[("key", wrong), ("back", "/portal/health")]).await;
        assert_eq!(seen.place(), page);
        assert!(ana.get(page).await.text.contains("That key opens nothing here."));
        assert!(!ana.get(page).await.text.contains("That key opens"), "it is told once");
    }
    let seen = ana.post("/portal/sign-in", &[("key", &key), ("back", "/portal/health")]).await;
    assert_eq!((seen.status, seen.place()), (303, "/portal/health"));
    assert_ne!(ana.cookies["testimony_session"], planted);
    let seen = ana.get("/portal/health").await;
    assert_eq!(seen.status, 200);
    assert!(!seen.text.contains(&key));
    assert!(!ana.get("/portal/memory").await.text.contains("/portal/keys"), "this key is for one subject");

    let mut thief = world.visitor();
    for cookie in ["testimony_session", "testimony_visit"] {
        thief.cookies.insert(cookie.to_owned(), planted.clone());
    }
    assert_eq!(thief.get("/portal/health").await.status, 303);

    // A link from elsewhere comes without our cookies, and must end no session: whatever it sets is another cookie.
    let kept = std::mem::take(&mut ana.cookies);
    ana.get("/portal/health").await;
    let mut after = kept;
    after.append(&mut ana.cookies);
    ana.cookies = after;
    assert_eq!(ana.get("/portal/health").await.status, 200);

    // Over a network a cookie goes by TLS or not at all; on one machine there is no network.
    let mut other = world.visitor();
    let near = other.get("/portal/sign-in").await;
    let mut far = world.visitor();
    far.host = "memory.example.org";
    let far = far.get("/portal/sign-in").await;
    for (seen, secure) in [(near, false), (far, true)] {
        let cookie = seen.headers[SET_COOKIE].to_str().expect("text");
        assert_eq!(cookie.ends_with("; Secure"), secure, "{cookie}");
    }
    let id = world.server.house().book.list().expect("read").remove(0).id;
    assert!(world.server.house().book.revoke(&id).expect("revoked"));
    assert_eq!(ana.get("/portal/health").await.status, 303);
    let key = world.key("laptop", &Right::ALL, Subjects::Only(vec![named("ana")]));
    ana.sign_in(&key).await;
    *world.clock.lock() = at("2026-05-01T12:59:00Z");
    assert_eq!(ana.get("/portal/health").await.status, 200);
    *world.clock.lock() = at("2026-05-01T13:59:00Z");
    assert_eq!(ana.get("/portal/health").await.status, 303, "an hour unused");
    ana.sign_in(&key).await;
    assert_eq!(ana.get("/portal/health").await.status, 200);
    let kept = ana.cookies.clone();
    assert_eq!(ana.post("/portal/sign-out", &[]).await.place(), "/portal/sign-in");
    ana.cookies = kept;
    assert_eq!(ana.get("/portal/health").await.status, 303, "the cookie of a session that ended");
}

#[tokio::test]
async fn no_form_does_anything_without_the_token_of_its_browser() {
    let world = World::at_home();
    let version = world.remember("ana", "I live in Zagreb", Some(("home_city", "Zagreb")));
    let (mut ana, mut other) = (world.visitor(), world.visitor());
    ana.get("/portal/memory").await;
    other.get("/portal/memory").await;
    let own = ana.token.clone();
    let page = format!("/portal/forget?id={version}");
    let seen = ana.get(&page).await.field("seen");
    for token in ["", "x", &other.token] {
        for act in ["sign-in", "sign-out", "preferences"].iter().chain(&ACTS) {
            token.clone_into(&mut ana.token);
            let answer = ana.post(&format!("/portal/{act}"), &[("id", &version), ("seen", &seen)]).await;
            assert_eq!(answer.status, 403, "{act}");
            assert!(answer.text.contains("This form is no longer valid."), "{act}");
        }
    }
    let body = query(&[("token", &own), ("id", &version), ("seen", &seen)]);
    let foreign = ana.send(Method::POST, "/portal/forget", body.clone(), Some("https://evil.example")).await;
    assert_eq!(foreign.status, 403, "a page of another site may not send it either");
    assert_eq!(ana.get(&page).await.status, 200, "nothing was forgotten");
    assert_eq!(ana.send(Method::POST, "/portal/forget", body, None).await.status, 303);
    assert_eq!(ana.get(&page).await.status, 404);
}

#[tokio::test]
async fn what_is_not_there_is_one_page_whatever_was_asked_for() {
    let world = World::new(|_| {});
    let foreign = world.remember("bo", "I live in Split", Some(("home_city", "Split")));
    world.remember("ana", "I live in Zagreb", Some(("home_city", "Zagreb")));
    let key = world.key("laptop", &Right::ALL, Subjects::Only(vec![named("ana")]));
    let mut ana = world.visitor();
    ana.sign_in(&key).await;
    let mut told = Vec::new();
    for id in [foreign.as_str(), "ve_0000000000000000000000000a", "nonsense", "%3Cscript%3E", "%FF"] {
        for page in pages(id).iter().filter(|page| page.contains(id)) {
            let seen = ana.get(page).await;
            assert_eq!(seen.status, 404, "{page}");
            // Its own address stands in the form that changes the language.
            let back = seen
                .text
                .split("name=\"back\" value=\"")
                .nth(1)
                .expect("there")
                .split('"')
                .next()
                .expect("an end");
            told.push(seen.text.replace(back, ""));
        }
    }
    assert!(told.windows(2).all(|pair| pair[0] == pair[1]));
    let posted =
        ana.post(&format!("/portal/memories/{foreign}/correct"), &[("act", "correct"), ("text", "x")]).await;
    assert_eq!(posted.status, 404);
    assert_eq!(ana.post("/portal/forget", &[("id", &foreign)]).await.status, 404);
    assert_eq!(ana.get("/portal/nothing").await.status, 404);
}

#[tokio::test]
async fn every_page_is_marked_and_no_words_are_markup() {
    let world = World::at_home();
    let version = world.remember("ana", HOSTILE, None);
    world.dispute("ana");
    let scope = Scope::of(named("ana"));
    let call = Call { scope: &scope, now: world.server.now() };
    let turn =
        world.server.engine().turn(call, &Turn::of("What did olleh script alert?")).expect("resolved").turn;
    let mut ana = world.visitor();
    let source = ana.get("/portal/sources").await.link("/portal/sources/so_");
    let message = ana.get(&source).await.link("/portal/evidence/");
    let searches = [("q", HOSTILE), ("grain", "evidence")];
    let mut all: Vec<String> =
        pages("ID").into_iter().filter(|page| !page.contains("ID") && !page.ends_with("receipt")).collect();
    all.extend([
        format!("/portal/facts/{version}"),
        format!("/portal/turns/{turn}"),
        source,
        message,
        format!("/portal/memories/{version}/correct"),
        format!("/portal/forget?id={version}"),
        format!("/portal/search?{}", query(&searches)),
        format!("/portal/search?{}", query(&searches[..1])),
        "/portal/memory?class=note".to_owned(),
        "/portal/memory?believed_at=2026-05-01T12:00:01&valid_at=2026-05-01T12:00:01".to_owned(),
        "/portal/health?verify=yes".to_owned(),
    ]);
    let mut with_words = 0;
    for language in ["en", "hr"] {
        ana.language = language;
        for page in &all {
            let seen = ana.get(page).await;
            assert_eq!(seen.status, 200, "{page}: {}", seen.text);
            assert_eq!(seen.headers[CACHE_CONTROL], "no-store", "{page}");
            assert_eq!(seen.headers[CONTENT_SECURITY_POLICY], super::POLICY, "{page}");
            assert_eq!(seen.headers[REFERRER_POLICY], "same-origin", "{page}");
            assert!(seen.text.contains(&format!("<html lang=\"{language}\">")), "{page}");
            with_words += usize::from(seen.text.contains("&lt;img src=x"));
            // The field that was searched with holds the words as they were typed.
            let typed = HOSTILE.replace('"', "&quot;").replace('<', "&lt;").replace('>', "&gt;");
            let text = &seen.text.replace(&format!("name=\"q\" value=\"{typed}\""), "");
            assert!(
                !text.contains("<script>") && !text.contains("<img") && !text.contains("\u{202e}"),
                "{page}"
            );
            assert!(!text.contains(" style=") && !text.contains("<b>bold"), "{page}");
            // One heading, one main part, and no id twice.
            assert_eq!((text.matches("<h1").count(), text.matches("<main").count()), (1, 1), "{page}");
            let mut ids: Vec<&str> =
                text.split(" id=\"").skip(1).map(|rest| rest.split('"').next().expect("an end")).collect();
            ids.sort_unstable();
            assert!(ids.windows(2).all(|pair| pair[0] != pair[1]), "{page}: {ids:?}");
        }
    }
    assert!(with_words >= 16, "the words stand on {with_words} pages");
}

#[tokio::test]
async fn a_memory_is_corrected_and_forgotten_through_forms() {
    let world = World::at_home();
    let version = world.remember("ana", "no meetings before 9:30", Some(("no_meetings_before", "9:30")));
    let mut ana = world.visitor();
    let fact = ana.get("/portal/memory").await.link("/portal/facts/");
    assert!(ana.get(&fact).await.text.contains("<mark>no meetings before 9:30</mark>"));
    *world.clock.lock() = at("2026-05-02T12:00:00Z");
    let place = format!("/portal/memories/{version}/correct");
    let answer = ana.post(&place, &[("text", "in the morning"), ("act", "preview")]).await;
    assert_eq!((answer.status, answer.place()), (303, format!("{place}#preview").as_str()));
    let preview = ana.get(&place).await.text;
    assert!(
        preview.contains("This would be refused") && preview.contains("value_type_mismatch"),
        "{preview}"
    );
    ana.post(&place, &[("text", "10:00"), ("act", "preview")]).await;
    let preview = ana.get(&place).await;
    assert!(preview.text.contains("<dt>Begins</dt><dd><bdi>10:00</bdi></dd>"), "{}", preview.text);
    assert_eq!(preview.field("text"), "10:00");
    assert!(ana.get(&fact).await.text.contains("9:30"), "nothing was changed by looking");
    let answer = ana.post(&place, &[("text", "10:00"), ("act", "correct")]).await;
    assert_eq!(answer.status, 303);
    let page = ana.get(answer.place()).await.text;
    assert!(page.contains("role=\"status\">It is corrected.") && page.contains("<bdi>10:00</bdi>"), "{page}");
    assert!(ana.get(&place).await.text.contains("It says now"), "the old version is still told");
    let before = ana.get("/portal/memory?believed_at=2026-05-01T13:00").await.text;
    assert!(before.contains("<bdi>9:30</bdi>") || before.contains("<bdi>09:30</bdi>"), "{before}");

    let fact = fact.split('#').next().expect("a place").to_owned();
    let forget = format!("/portal/forget?id={}", fact.trim_start_matches("/portal/facts/"));
    let shown = ana.get(&forget).await;
    assert!(shown.text.contains("What would go: 2\u{a0}messages"), "{}", shown.text);
    let (id, seen) = (shown.field("id"), shown.field("seen"));
    world.remember("ana", "no meetings before 10:00 please", Some(("no_meetings_before", "10:00")));
    let answer = ana.post("/portal/forget", &[("id", &id), ("seen", &seen)]).await;
    assert_eq!(answer.place(), forget, "more would go than was shown");
    let again = ana.get(&forget).await;
    assert!(again.text.contains("Something changed since this was shown."), "{}", again.text);
    let answer = ana.post("/portal/forget", &[("id", &id), ("seen", &again.field("seen"))]).await;
    assert!(answer.place().starts_with("/portal/receipt?receipt="), "{}", answer.place());
    let receipt = ana.get(answer.place()).await.text;
    assert!(receipt.contains("The chain bears it out") && receipt.contains("It is forgotten."), "{receipt}");
    assert_eq!(ana.get(&fact).await.status, 404);
    let forged = answer.place().to_owned();
    let told = forged.split('=').nth(1).expect("a receipt");
    use base64::Engine as _;
    use base64::engine::general_purpose::URL_SAFE_NO_PAD;
    let told = String::from_utf8(URL_SAFE_NO_PAD.decode(told).expect("base64")).expect("text");
    let told = URL_SAFE_NO_PAD.encode(told.replace("\"evidence\":3", "\"evidence\":2"));
    let forged = ana.get(&format!("/portal/receipt?receipt={told}")).await.text;
    assert!(forged.contains("The chain does not bear this out."), "{forged}");
}

#[tokio::test]
async fn everything_is_forgotten_by_whoever_writes_whose_memory_it_is() {
    let world = World::at_home();
    world.remember("ana", "the spare key hangs in the shed", None);
    world.remember("ben", "the bicycle is blue", None);
    let mut ana = world.visitor();
    let place = ana.get("/portal/health").await.link("/portal/forget?everything");
    let shown = ana.get(&place).await;
    assert!(shown.text.contains("the spare key hangs in the shed"), "{}", shown.text);
    assert!(!shown.text.contains("bicycle"), "{}", shown.text);
    let (what, seen) = (shown.field("everything"), shown.field("seen"));
    let mut act = async |named: &str| {
        let fields = [("everything", what.as_str()), ("seen", &seen), ("named", named)];
        ana.post("/portal/forget", &fields).await.place().to_owned()
    };
    for wrong in ["", "ben", "Ana"] {
        assert_eq!(act(wrong).await, place, "`{wrong}` is not whose memory it is");
    }
    let receipt = act("ana").await;
    assert!(receipt.starts_with("/portal/receipt?receipt="), "{receipt}");
    let receipt = ana.get(&receipt).await.text;
    assert!(receipt.contains("The chain bears it out") && receipt.contains("It is forgotten."), "{receipt}");
    assert!(ana.get("/portal/memory").await.text.contains("There is nothing here."));
    assert!(
        ana.get("/metrics").await.text.contains("testimony_calls_total{verb=\"portal\",status=\"303\"} 4")
    );
}

#[tokio::test]
async fn a_dispute_is_decided_with_a_reason() {
    let world = World::at_home();
    world.dispute("ana");
    let mut ana = world.visitor();
    let page = ana.get("/portal/disputes").await;
    assert_eq!(page.text.matches("type=\"radio\"").count(), 2);
    let (fact, keep) = (page.field("fact"), page.field("keep"));
    for fields in [vec![("fact", fact.as_str())], vec![("fact", &fact), ("keep", &keep), ("reason", "  ")]] {
        assert_eq!(ana.post("/portal/disputes", &fields).await.place(), "/portal/disputes");
        assert!(ana.get("/portal/disputes").await.text.contains("role=\"alert\""));
    }
    let reason = "the report is the <newer> one";
    let fields = [("fact", fact.as_str()), ("keep", &keep), ("reason", reason)];
    let answer = ana.post("/portal/disputes", &fields).await;
    assert_eq!(answer.place(), format!("/portal/facts/{fact}"));
    let told = ana.get(answer.place()).await.text;
    assert!(
        told.contains("It is decided.") && told.contains("the report is the &lt;newer&gt; one"),
        "{told}"
    );
    assert!(ana.get("/portal/disputes").await.text.contains("Nothing contradicts itself."));
}

#[tokio::test]
async fn a_key_does_on_pages_what_it_may_and_no_more() {
    let world = World::new(|_| {});
    let version = world.remember("ana", "I live in Zagreb", Some(("home_city", "Zagreb")));
    world.dispute("ana");
    let subjects = Subjects::Only(vec![named("ana"), named("bo")]);
    let key = world.key("reader", &[Right::Read], subjects);
    let mut reader = world.visitor();
    reader.sign_in(&key).await;
    let fact = reader.get(&format!("/portal/facts/{version}")).await.text;
    assert!(
        fact.contains("Zagreb") && !fact.contains("/correct\"") && !fact.contains("/portal/forget"),
        "{fact}"
    );
    assert!(!reader.get("/portal/disputes").await.text.contains("type=\"radio\""));
    for page in ["keys", &format!("memories/{version}/correct"), &format!("forget?id={version}")] {
        let seen = reader.get(&format!("/portal/{page}")).await;
        assert_eq!(seen.status, 403, "{page}");
        assert!(seen.text.contains("Your key does not allow that."), "{page}");
    }
    for (act, fields) in [
        ("forget", vec![("id", version.as_str())]),
        ("keys", vec![("name", "more"), ("scope", "memory:read"), ("every", "yes")]),
        ("disputes", vec![("fact", "fa_1"), ("keep", "ve_1"), ("reason", "x")]),
    ] {
        assert_eq!(reader.post(&format!("/portal/{act}"), &fields).await.status, 303);
        let told = reader.get("/portal/memory").await.text;
        assert!(told.contains("Your key does not allow that."), "{act}: {told}");
    }
    assert_eq!(world.server.house().book.list().expect("read").len(), 1);

    // It may look at two subjects, and at no third.
    reader.post("/portal/subject", &[("subject", "bo")]).await;
    assert!(reader.get("/portal/memory").await.text.contains("Nothing has been remembered yet."));
    assert_eq!(reader.get(&format!("/portal/facts/{version}")).await.status, 404);
    reader.post("/portal/subject", &[("subject", "eve")]).await;
    assert!(reader.get("/portal/memory").await.text.contains("Your key is not for that subject."));
    reader.cookies.insert("testimony_subject".to_owned(), "eve".to_owned());
    assert!(reader.get("/portal/memory").await.text.contains("Zagreb"), "the first that it may look at");
}

#[tokio::test]
async fn who_looks_after_keys_makes_one_sees_it_once_and_takes_it_away() {
    let world = World::new(|_| {});
    let key = world.key("operator", &Right::ALL, Subjects::All);
    let mut operator = world.visitor();
    operator.sign_in(&key).await;
    assert!(operator.get("/portal/memory").await.text.contains("href=\"/portal/keys\""));
    let wanted =
        [("name", "phone <b>"), ("scope", "memory:read"), ("scope", "memory:write"), ("subjects", "ana, bo")];
    assert_eq!(operator.post("/portal/keys", &wanted[..3]).await.place(), "/portal/keys");
    assert!(operator.get("/portal/keys").await.text.contains("role=\"alert\""), "for nobody is for nobody");
    assert_eq!(operator.post("/portal/keys", &wanted).await.place(), "/portal/keys");
    let page = operator.get("/portal/keys").await.text;
    let made = page
        .split("<code class=\"key\">")
        .nth(1)
        .expect("a key")
        .split('<')
        .next()
        .expect("an end")
        .to_owned();
    assert!(!operator.get("/portal/keys").await.text.contains(&made), "it is shown once");
    let mut phone = world.visitor();
    phone.sign_in(&made).await;
    assert_eq!(phone.get("/portal/memory").await.status, 200);
    let id = world.server.house().book.list().expect("read").remove(1).id;
    assert_eq!(operator.post(&format!("/portal/keys/{id}/revoke"), &[]).await.place(), "/portal/keys");
    assert!(operator.get("/portal/keys").await.text.contains("The key opens nothing any more"));
    assert_eq!(phone.get("/portal/memory").await.status, 303);
    assert_eq!(operator.post(&format!("/portal/keys/{id}/revoke"), &[]).await.status, 404);
}

#[tokio::test]
async fn one_reads_in_ones_language_and_zone() {
    let world = World::at_home();
    world.remember("ana", "I live in Zagreb", Some(("home_city", "Zagreb")));
    let mut ana = world.visitor();
    ana.language = "hr-HR,hr;q=0.9,en;q=0.5";
    let page = ana.get("/portal/memory").await.text;
    assert!(page.contains("mjesto stanovanja") && page.contains("1. svibnja 2026. u 12:00 (UTC)"), "{page}");
    assert!(page.contains("1\u{a0}neovisno podrijetlo"), "{page}");
    let fields = [("language", "en"), ("zone", "Europe/Zagreb"), ("back", "/portal/memory?class=identity")];
    assert_eq!(ana.post("/portal/preferences", &fields).await.place(), "/portal/memory?class=identity");
    let page = ana.get("/portal/memory").await.text;
    assert!(page.contains("home city") && page.contains("1 May 2026, 14:00 CEST"), "{page}");
    for back in
        ["https://evil.example/", "//evil.example", "/portal//evil.example", "/portal/\\evil", "/docs"]
    {
        let place = ana.post("/portal/preferences", &[("language", "en"), ("back", back)]).await;
        assert_eq!(place.place(), "/portal/memory", "{back}");
    }
    ana.post("/portal/preferences", &[("zone", "Mars/Olympus")]).await;
    assert!(ana.get("/portal/memory").await.text.contains("role=\"alert\""));
}
