//! Tiers: which models there are, by the names the rest of the program uses (`fast`, `deep`, `embed`, `rerank`), read from a
//! `models.toml`. Each says how it is spoken to, what it can do, and within which bounds. A key never stands in the file.
//!
//! ```toml
//! [tier.fast]
//! vendor = "ollama"                 # or `protocol` and `base_url`
//! model = "qwen3:8b"
//! can = ["chat", "json_schema"]     # chat, json_schema, tools; or embed; or rerank
//!
//! [tier.embed]
//! vendor = "openai"
//! model = "text-embedding-3-small"
//! key = { environment = "OPENAI_API_KEY" }
//! can = ["embed"]
//! dims = 1536
//!
//! [propose]
//! tier = "fast"
//! ```

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::LazyLock;
use std::time::Duration;

use ledger::evidence::ContentHash;
use serde_json::{Map, Value as Json};
use toml::Value;

use crate::embed::ModelIdentity;
use crate::key::KeySource;
use crate::settings::{KEY_HINT, Reading, SettingsError, shown};

/// The vendors this build knows, as text.
pub const SHIPPED_VENDORS: &str = include_str!("../vendors.toml");

/// The longest `models.toml` that is read, in bytes.
pub const MODELS_BYTES_MAX: usize = 1024 * 1024;

/// The most tiers of one file.
pub const TIERS_MAX: usize = 64;

/// What a `models.toml` says.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Models {
    /// The tiers, by name.
    pub tiers: BTreeMap<String, Tier>,
    /// How a model is asked for proposals, where one is.
    pub propose: Option<ProposeSettings>,
}

/// One model and how it is reached.
#[derive(Clone, PartialEq, Debug)]
pub struct Tier {
    /// What the rest of the program calls it.
    pub name: String,
    /// Whose it is: the vendor's name, or the protocol's where none was named.
    pub vendor: String,
    /// How it is spoken to.
    pub protocol: Protocol,
    /// What stands before every path; without a slash at its end.
    pub base_url: String,
    /// The model, by the vendor's name.
    pub model: String,
    /// Where its key is, where it takes one.
    pub key: Option<KeySource>,
    /// The header that carries the key, where it is not the protocol's own.
    pub key_header: Option<String>,
    /// What it can do.
    pub can: Can,
    /// How long one call may take, its retries included.
    pub within: Duration,
    /// How long a connection may take to stand.
    pub connect: Duration,
    /// How often a request that failed for a passing reason is sent again.
    pub retries: u32,
    /// How many requests may be on their way at once.
    pub concurrent: usize,
    /// Further fields of every request.
    pub extra: Map<String, Json>,
}

/// How a server is spoken to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Protocol {
    /// Chat completions, embeddings and `/rerank`, as most servers have them.
    OpenAi,
    /// Anthropic's messages.
    Anthropic,
    /// Google's `generateContent` and `embedContent`.
    Gemini,
}

/// What a model is for. A tier is one model, and a model does one of these.
#[derive(Clone, PartialEq, Debug)]
pub enum Can {
    /// It writes.
    Chat(ChatShape),
    /// It places texts.
    Embed(EmbedShape),
    /// It scores passages.
    Rerank,
}

/// How a model that writes is asked.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ChatShape {
    /// Whether it keeps to a JSON schema.
    pub json_schema: bool,
    /// Whether it can call tools.
    pub tools: bool,
    /// Whether it takes a temperature; some models refuse one.
    pub temperature: bool,
    /// The field that bounds the answer.
    pub output_limit: String,
    /// The bound of every answer, in tokens; a request may ask for less.
    pub output_tokens_max: Option<u32>,
}

/// How a model that places texts is asked.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EmbedShape {
    /// Numbers in a vector.
    pub dims: u32,
    /// Whether the server is to be asked for exactly that many.
    pub asks_for_dims: bool,
    /// What is put before what is asked.
    pub query_prefix: String,
    /// What is put before what may answer.
    pub passage_prefix: String,
    /// Texts in one request, at most.
    pub batch: usize,
    /// Tells editions of a model that share its name.
    pub revision: String,
}

/// How a model is asked for proposals.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ProposeSettings {
    /// The tier that is asked.
    pub tier: String,
    /// Tokens a subject may cost a day, both ways.
    pub tokens_per_day: u64,
    /// Messages in one call, at most.
    pub batch_messages: usize,
    /// Tokens of messages in one call, at most.
    pub batch_tokens: usize,
}

impl ProposeSettings {
    /// Tokens a subject may cost a day, unless the file says otherwise: some 80 calls, of up to eight messages each.
    pub const TOKENS_PER_DAY_DEFAULT: u64 = 200_000;
    /// Messages in one call, unless the file says otherwise.
    pub const BATCH_MESSAGES_DEFAULT: usize = 8;
    /// Tokens of messages in one call, unless the file says otherwise.
    pub const BATCH_TOKENS_DEFAULT: usize = 3_000;

    /// The usual settings with this tier.
    #[must_use]
    pub fn of(tier: impl Into<String>) -> Self {
        Self {
            tier: tier.into(),
            tokens_per_day: Self::TOKENS_PER_DAY_DEFAULT,
            batch_messages: Self::BATCH_MESSAGES_DEFAULT,
            batch_tokens: Self::BATCH_TOKENS_DEFAULT,
        }
    }
}

impl Protocol {
    /// The word in files and answers.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::OpenAi => "openai",
            Self::Anthropic => "anthropic",
            Self::Gemini => "gemini",
        }
    }

    fn parse(word: &str) -> Option<Self> {
        [Self::OpenAi, Self::Anthropic, Self::Gemini].into_iter().find(|protocol| protocol.as_str() == word)
    }

    /// Names of fields that are ours to write in a request.
    fn own_fields(self) -> &'static [&'static str] {
        match self {
            Self::OpenAi => &[
                "model",
                "messages",
                "input",
                "query",
                "documents",
                "response_format",
                "stream",
                "n",
                "tools",
            ],
            Self::Anthropic => &["model", "messages", "system", "tools", "tool_choice", "stream"],
            Self::Gemini => {
                &["contents", "systemInstruction", "generationConfig", "requests", "content", "tools"]
            }
        }
    }
}

impl Can {
    /// The words in files and answers.
    #[must_use]
    pub fn words(&self) -> Vec<&'static str> {
        match self {
            Self::Chat(shape) => [("chat", true), ("json_schema", shape.json_schema), ("tools", shape.tools)]
                .into_iter()
                .filter_map(|(word, has)| has.then_some(word))
                .collect(),
            Self::Embed(_) => vec!["embed"],
            Self::Rerank => vec!["rerank"],
        }
    }
}

impl Tier {
    /// What it is called in records and reports: `vendor/model`.
    #[must_use]
    pub fn title(&self) -> String {
        format!("{}/{}", self.vendor, self.model)
    }

    /// Whether what is sent can be read on the way: no encryption, and the way leads over a network.
    #[must_use]
    pub fn is_in_clear(&self) -> bool {
        self.base_url.starts_with("http://") && !is_this_machine(&self.base_url)
    }

    /// Which embedding model this is, where it is one. The address is not part of it: the same model elsewhere places texts
    /// alike. Everything that changes a vector is, and `revision` for what only the operator knows.
    #[must_use]
    pub fn identity(&self) -> Option<ModelIdentity> {
        let Can::Embed(shape) = &self.can else { return None };
        let mut extra: Vec<String> =
            self.extra.iter().map(|(name, value)| format!("{name}={value}")).collect();
        extra.sort_unstable();
        let parts = [
            "wire/1".to_owned(),
            self.protocol.as_str().to_owned(),
            self.model.clone(),
            shape.dims.to_string(),
            shape.query_prefix.clone(),
            shape.passage_prefix.clone(),
            shape.revision.clone(),
            extra.join("\n"),
        ];
        // Each with its length before it, so that no two lists are written alike.
        let written: String = parts.iter().map(|part| format!("{}:{part}", part.len())).collect();
        Some(ModelIdentity {
            name: self.model.clone(),
            dims: shape.dims,
            mark: ContentHash::of(written.as_bytes()).0,
        })
    }
}

impl Models {
    /// Reads a `models.toml`; nothing but `text` is looked at. `file` is named in errors, and paths of key files are read
    /// relative to it.
    ///
    /// # Errors
    /// [`SettingsError`] for text that is not TOML, for a key this build does not know, a value outside its bounds, a tier
    /// that cannot be reached or does nothing, and for a key that stands in the file.
    pub fn parse(file: &Path, text: &str) -> Result<Self, SettingsError> {
        let name = file.display().to_string();
        let mut whole = Reading::of(&name, text)?;
        if text.len() > MODELS_BYTES_MAX {
            return Err(whole.error(None, format!("has more than {MODELS_BYTES_MAX} bytes"), "shorten it"));
        }
        let folder = file.parent().unwrap_or(Path::new(""));
        let mut tiers = BTreeMap::new();
        let tables = whole.tables("tier")?;
        if tables.len() > TIERS_MAX {
            return Err(whole.error(Some("tier"), format!("more than {TIERS_MAX} tiers"), "drop some"));
        }
        for (name, table) in tables {
            tiers.insert(name.clone(), read_tier(table, name, folder)?);
        }
        let propose = match whole.table("propose")? {
            None => None,
            Some(table) => Some(read_propose(table, &tiers)?),
        };
        whole.finish()?;
        Ok(Self { tiers, propose })
    }
}

/// A row of the vendors.
#[derive(Clone)]
struct Vendor {
    protocol: Protocol,
    base_url: String,
    key: Option<String>,
    key_header: Option<String>,
    output_limit: Option<String>,
}

static VENDORS: LazyLock<BTreeMap<String, Vendor>> = LazyLock::new(|| {
    // A test reads the same constant, so this cannot fail in a build that passed its tests.
    read_vendors(SHIPPED_VENDORS).expect("the shipped vendors are valid")
});

/// The names of the vendors this build knows.
pub fn vendors() -> impl Iterator<Item = &'static str> {
    VENDORS.keys().map(String::as_str)
}

fn read_vendors(text: &str) -> Result<BTreeMap<String, Vendor>, SettingsError> {
    let mut whole = Reading::of("vendors.toml", text)?;
    let mut vendors = BTreeMap::new();
    for (name, mut row) in whole.tables("vendor")? {
        let vendor = Vendor {
            protocol: read_protocol(&mut row)?
                .ok_or_else(|| row.error(Some("protocol"), "is missing", "name one"))?,
            base_url: read_url(&mut row)?
                .ok_or_else(|| row.error(Some("base_url"), "is missing", "name it"))?,
            key: row.text("key", NAME_BYTES_MAX)?,
            key_header: row.text("key_header", NAME_BYTES_MAX)?,
            output_limit: row.text("output_limit", NAME_BYTES_MAX)?,
        };
        row.finish()?;
        vendors.insert(name, vendor);
    }
    whole.finish()?;
    Ok(vendors)
}

/// The longest name or path of a tier, in bytes.
const NAME_BYTES_MAX: usize = 1_000;

fn read_tier(mut table: Reading<'_>, name: String, folder: &Path) -> Result<Tier, SettingsError> {
    let is_name = |letter: char| letter.is_ascii_alphanumeric() || "-_.".contains(letter);
    if name.is_empty() || name.len() > 64 || !name.chars().all(is_name) {
        let hint = "name tiers by letters, digits, `-`, `_` and `.`, such as `fast`";
        return Err(table.error(None, "the name cannot be one", hint));
    }
    let vendor_name = table.text("vendor", NAME_BYTES_MAX)?;
    let vendor = match &vendor_name {
        None => None,
        Some(named) => Some(VENDORS.get(named.as_str()).cloned().ok_or_else(|| {
            let known: Vec<&str> = vendors().collect();
            let hint = format!("give `protocol` and `base_url` instead, or one of `{}`", known.join("`, `"));
            table.error(Some("vendor"), format!("`{}` is not known", shown(named)), hint)
        })?),
    };
    let given = read_protocol(&mut table)?;
    let protocol = given.or(vendor.as_ref().map(|vendor| vendor.protocol)).ok_or_else(|| {
        table.error(Some("protocol"), "is missing", "name a `vendor`, or `protocol` and `base_url`")
    })?;
    let own_url = read_url(&mut table)?;
    let is_elsewhere = own_url.is_some();
    let base_url = own_url.or(vendor.as_ref().map(|vendor| vendor.base_url.clone())).ok_or_else(|| {
        table.error(
            Some("base_url"),
            "is missing",
            "write where the server is, such as `http://localhost:8080/v1`",
        )
    })?;
    let model = table.text("model", 200)?.filter(|model| !model.is_empty()).ok_or_else(|| {
        table.error(Some("model"), "is missing", "write the model's name as the vendor has it")
    })?;
    let is_model = |letter: char| letter.is_ascii_alphanumeric() || "-_.:/@+".contains(letter);
    if !model.chars().all(is_model) || model.contains("..") || model.starts_with('/') {
        let hint = "write the model's name as the vendor has it, such as `qwen3:8b`";
        return Err(table.error(Some("model"), "holds letters no model has", hint));
    }
    let key = match read_key(&mut table, folder)? {
        Some(key) => Some(key),
        // A vendor's key goes to that vendor: to another address only when the file says so.
        None if is_elsewhere => None,
        None => vendor.as_ref().and_then(|vendor| vendor.key.clone()).map(KeySource::Environment),
    };
    let key_in_clear = table.flag("allow_key_in_clear")?.unwrap_or(false);
    if key.is_some() && base_url.starts_with("http://") && !is_this_machine(&base_url) && !key_in_clear {
        return Err(table.error(
            Some("base_url"),
            "would send the key unencrypted over a network",
            "use `https://`, or write `allow_key_in_clear = true` where you trust the network",
        ));
    }
    let key_header = table
        .text("key_header", NAME_BYTES_MAX)?
        .or(vendor.as_ref().and_then(|vendor| vendor.key_header.clone()));
    if let Some(header) = &key_header {
        let is_token = |letter: char| letter.is_ascii_alphanumeric() || letter == '-';
        if header.is_empty() || !header.chars().all(is_token) {
            return Err(table.error(Some("key_header"), "is no header's name", "write it like `api-key`"));
        }
    }
    let can = read_can(&mut table, protocol, vendor.as_ref())?;
    let seconds = |number: Option<u64>, usual| Duration::from_secs(number.unwrap_or(usual));
    let within = seconds(table.number("within_s", 1..=3_600)?, 60);
    let connect = seconds(table.number("connect_s", 1..=60)?, 5);
    let retries = table.number("retries", 0..=10)?.unwrap_or(3);
    let concurrent = table.number("concurrent", 1..=256)?.unwrap_or(4);
    let extra = read_extra(&mut table, protocol)?;
    table.finish()?;
    Ok(Tier {
        name,
        vendor: vendor_name.unwrap_or_else(|| protocol.as_str().to_owned()),
        protocol,
        base_url,
        model,
        key,
        key_header,
        can,
        within,
        connect,
        // Both within the bounds above.
        retries: retries as u32,
        concurrent: concurrent as usize,
        extra,
    })
}

fn read_protocol(table: &mut Reading<'_>) -> Result<Option<Protocol>, SettingsError> {
    let Some(word) = table.text("protocol", NAME_BYTES_MAX)? else { return Ok(None) };
    Protocol::parse(&word).map(Some).ok_or_else(|| {
        table.error(
            Some("protocol"),
            format!("`{}` is not known", shown(&word)),
            "write `openai` (most servers speak it), `anthropic` or `gemini`",
        )
    })
}

fn read_url(table: &mut Reading<'_>) -> Result<Option<String>, SettingsError> {
    let Some(url) = table.text("base_url", NAME_BYTES_MAX)? else { return Ok(None) };
    let wrong = |problem: &str, hint: &str| Err(table.error(Some("base_url"), problem, hint));
    let rest = match url.split_once("://") {
        Some(("http" | "https", rest)) => rest,
        Some(_) => return wrong("is neither http nor https", "write `https://HOST/…`"),
        None => return wrong("is no address", "write `https://HOST/…`"),
    };
    let host = rest.split('/').next().unwrap_or_default();
    if host.contains('@') {
        return wrong("holds a name or a key before its host", KEY_HINT);
    }
    if url.contains(['?', '#']) {
        return wrong("holds more than a path", "leave out what follows `?` or `#`; a key goes into `key`");
    }
    let is_whole =
        url.parse::<ureq::http::Uri>().is_ok_and(|uri| uri.host().is_some_and(|host| !host.is_empty()));
    if !is_whole {
        return wrong("is no address", "write `https://HOST/…`");
    }
    Ok(Some(url.trim_end_matches('/').to_owned()))
}

/// Whether an address leads nowhere but to this machine.
fn is_this_machine(url: &str) -> bool {
    let host = url.split_once("://").map_or(url, |(_, rest)| rest);
    let host = host.split('/').next().unwrap_or_default();
    let name = match host.strip_prefix('[') {
        Some(six) => six.split(']').next().unwrap_or_default(),
        None => host.split(':').next().unwrap_or_default(),
    };
    name == "localhost" || name.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback())
}

fn read_key(table: &mut Reading<'_>, folder: &Path) -> Result<Option<KeySource>, SettingsError> {
    let Some(value) = table.any("key") else { return Ok(None) };
    let Value::Table(mut fields) = value else {
        return Err(table.error(Some("key"), "a key does not stand in this file", KEY_HINT));
    };
    let wrong = |problem: &str| table.error(Some("key"), problem, KEY_HINT);
    let source = match (fields.remove("environment"), fields.remove("file"), fields.remove("command")) {
        (Some(Value::String(name)), None, None) => {
            let is_name = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
            let begins = name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_');
            if !begins || !name.chars().all(is_name) || ledger::secret::secret_like(&name).is_some() {
                return Err(wrong("`environment` is no variable's name"));
            }
            KeySource::Environment(name)
        }
        (None, Some(Value::String(path)), None) if !path.is_empty() => KeySource::File(folder.join(path)),
        (None, None, Some(Value::Array(words))) if !words.is_empty() => {
            let mut texts = Vec::with_capacity(words.len());
            for word in words {
                match word {
                    Value::String(word) if ledger::secret::secret_like(&word).is_some() => {
                        return Err(wrong("`command` holds something that looks like a key"));
                    }
                    Value::String(word) => texts.push(word),
                    _ => return Err(wrong("`command` is no list of texts")),
                }
            }
            KeySource::Command(texts)
        }
        _ => return Err(wrong("names no place, or several")),
    };
    match fields.is_empty() {
        true => Ok(Some(source)),
        false => Err(wrong("holds more than one place")),
    }
}

fn read_can(
    table: &mut Reading<'_>,
    protocol: Protocol,
    vendor: Option<&Vendor>,
) -> Result<Can, SettingsError> {
    let words = table.texts("can")?.unwrap_or_default();
    let has = |word: &str| words.iter().any(|one| one == word);
    let wrong =
        |table: &Reading<'_>, problem: String, hint: &str| Err(table.error(Some("can"), problem, hint));
    let known = ["chat", "json_schema", "tools", "embed", "rerank"];
    let hint =
        "write `[\"chat\", \"json_schema\", \"tools\"]` with what it can, `[\"embed\"]` or `[\"rerank\"]`";
    if let Some(unknown) = words.iter().find(|word| !known.contains(&word.as_str())) {
        return wrong(table, format!("`{}` is not known", shown(unknown)), hint);
    }
    let kinds = ["chat", "embed", "rerank"].into_iter().filter(|kind| has(kind)).collect::<Vec<_>>();
    let [kind] = kinds[..] else {
        let problem =
            if kinds.is_empty() { "says nothing it can do" } else { "is more than one model can do" };
        return wrong(table, problem.to_owned(), hint);
    };
    if kind != "chat" && words.len() > 1 {
        return wrong(table, "is more than one model can do".to_owned(), hint);
    }
    let speaks =
        matches!((protocol, kind), (Protocol::OpenAi, _) | (_, "chat") | (Protocol::Gemini, "embed"));
    if !speaks {
        let problem = format!("protocol `{}` has no `{kind}`", protocol.as_str());
        return wrong(table, problem, "name another protocol for this tier");
    }
    // Keys of the other kinds stay untaken, and are told as unknown.
    match kind {
        "chat" => {
            let output_limit = table.text("output_limit", 64)?;
            let from_vendor = vendor.and_then(|vendor| vendor.output_limit.clone());
            Ok(Can::Chat(ChatShape {
                json_schema: has("json_schema"),
                tools: has("tools"),
                temperature: table.flag("temperature")?.unwrap_or(true),
                output_limit: output_limit.or(from_vendor).unwrap_or_else(|| "max_tokens".to_owned()),
                output_tokens_max: table
                    .number("output_tokens_max", 1..=1_000_000)?
                    .and_then(|tokens| u32::try_from(tokens).ok()),
            }))
        }
        "embed" => {
            let dims = table.number("dims", 1..=65_536)?.and_then(|dims| u32::try_from(dims).ok());
            let dims = dims.ok_or_else(|| {
                let hint = "write how many numbers the model's vectors have, such as `dims = 384`";
                table.error(Some("dims"), "is missing", hint)
            })?;
            Ok(Can::Embed(EmbedShape {
                dims,
                asks_for_dims: table.flag("ask_for_dims")?.unwrap_or(false),
                query_prefix: table.text("query_prefix", NAME_BYTES_MAX)?.unwrap_or_default(),
                passage_prefix: table.text("passage_prefix", NAME_BYTES_MAX)?.unwrap_or_default(),
                // Gemini takes a hundred at most.
                batch: table.number("batch", 1..=2_048)?.unwrap_or(64) as usize,
                revision: table.text("revision", 200)?.unwrap_or_default(),
            }))
        }
        _ => Ok(Can::Rerank),
    }
}

fn read_extra(table: &mut Reading<'_>, protocol: Protocol) -> Result<Map<String, Json>, SettingsError> {
    let Some(value) = table.any("extra") else { return Ok(Map::new()) };
    let hint = "write `extra = { NAME = VALUE }` with fields the server knows";
    let Value::Table(fields) = value else { return Err(table.error(Some("extra"), "is no table", hint)) };
    let json = serde_json::to_value(&fields).ok();
    let Some(Json::Object(fields)) = json else {
        return Err(table.error(Some("extra"), "cannot be sent", hint));
    };
    for (name, value) in &fields {
        if protocol.own_fields().contains(&name.as_str()) {
            let problem = format!("`{name}` is written by the program");
            return Err(table.error(Some("extra"), problem, "leave it out"));
        }
        if ledger::secret::secret_like(&value.to_string()).is_some() {
            return Err(table.error(Some("extra"), "holds something that looks like a key", KEY_HINT));
        }
    }
    Ok(fields)
}

fn read_propose(
    mut table: Reading<'_>,
    tiers: &BTreeMap<String, Tier>,
) -> Result<ProposeSettings, SettingsError> {
    let tier = table
        .text("tier", NAME_BYTES_MAX)?
        .ok_or_else(|| table.error(Some("tier"), "is missing", "name the tier that is asked"))?;
    match tiers.get(&tier).map(|tier| &tier.can) {
        Some(Can::Chat(_)) => {}
        Some(_) => {
            let hint = "name a tier that can `chat`";
            return Err(table.error(Some("tier"), format!("tier `{tier}` does not write"), hint));
        }
        None => {
            let hint = format!("write `[tier.{}]`, or name one that is there", shown(&tier));
            return Err(table.error(Some("tier"), format!("there is no tier `{}`", shown(&tier)), hint));
        }
    }
    let usual = ProposeSettings::of(tier);
    let settings = ProposeSettings {
        tokens_per_day: table.number("tokens_per_day", 0..=1_000_000_000)?.unwrap_or(usual.tokens_per_day),
        batch_messages: table
            .number("batch_messages", 1..=64)?
            .map_or(usual.batch_messages, |count| count as usize),
        batch_tokens: table
            .number("batch_tokens", 100..=100_000)?
            .map_or(usual.batch_tokens, |count| count as usize),
        ..usual
    };
    table.finish()?;
    Ok(settings)
}
