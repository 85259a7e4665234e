//! `testimony serve`.

use std::io::Write;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use engine::Engine;
use engine::propose::model::Outcome as Asking;
use inference::wire::http::fetch;
use ledger::scope::Scope;
use server::access::book::Book;
use server::access::token::{KeySource, Tokens};
use server::http::{self, Shared};
use server::settings::Settings;
use server::{House, ModelRead, Reads, Server};
use testimony::embedding::Background;
use tokio::runtime::Runtime;
use tokio::signal::unix::{SignalKind, signal};
use tracing_subscriber::filter::filter_fn;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;

use super::mcp::Compat;
use crate::context::{Context, Outcome};
use crate::failure::{Exit, Failure, Stop};
use crate::proposing::{Proposing, Reader};
use crate::traces::{self, Sending};

/// Serve HTTP, and MCP at /mcp
///
/// Who asks needs a key, which `testimony access create` makes. With --without-key whoever connects is the owner; that is only
/// possible on a loopback address. Ctrl-C or SIGTERM ends it: what is in flight is finished and answered first.
///
/// Standard output gets one line, the address; the log goes to standard error, a JSON object a line with --json. It holds no words and
/// no names. TESTIMONY_LOG says how much, such as `warn` or `server=debug`.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  testimony access create laptop --scope read --scope write --for ana
  testimony serve
  testimony serve --listen 0.0.0.0:7171 --host memory.example.org
  testimony serve --without-key
  curl -H \"Authorization: Bearer testimony_…\" localhost:7171/v1/profile

Pages:
  /              the memory for people: what is remembered, why, and on whose word
  /docs          what can be asked            /openapi.json  the same for programs
  /healthz       whether the process lives    /readyz        whether it takes calls
  /metrics       for Prometheus (scope memory:admin)
  /mcp           for agents, over MCP

Environment:
  OTEL_EXPORTER_OTLP_ENDPOINT
    Send a trace of every request to this collector of OpenTelemetry, over
    HTTP, such as http://localhost:4318; without it none is made. A trace
    holds no words and no names. OTEL_EXPORTER_OTLP_HEADERS,
    OTEL_SERVICE_NAME, OTEL_TRACES_SAMPLER, OTEL_SDK_DISABLED and others
    mean what they mean elsewhere.")]
pub(crate) struct Arguments {
    /// The address and port; port 0 takes a free one
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:7171", env = "TESTIMONY_LISTEN")]
    listen: SocketAddr,
    /// Let whoever connects do everything; only on a loopback address
    #[arg(long)]
    without_key: bool,
    /// A name under which this server is asked; others are refused [default: any, without keys only loopback names]
    #[arg(long = "host", value_name = "NAME")]
    hosts: Vec<String>,
    /// An origin whose pages may ask from a browser, such as https://app.example.org
    #[arg(long = "origin", value_name = "ORIGIN")]
    origins: Vec<String>,
    /// Take tokens of this issuer (OpenID Connect) as well as keys
    #[arg(long, value_name = "URL", requires = "token_audience")]
    token_issuer: Option<String>,
    /// The audience that a token must name
    #[arg(long, value_name = "NAME", requires = "token_issuer")]
    token_audience: Option<String>,
    /// The claim that says whose memory it is
    #[arg(long, value_name = "CLAIM", default_value = "sub", requires = "token_issuer")]
    token_subject: String,
    /// Where the issuer's keys are: a file or an address [default: what the issuer's discovery document says]
    #[arg(long, value_name = "FILE|URL", requires = "token_issuer")]
    token_keys: Option<String>,
    /// Calls each key may make a second; 0 for any number
    #[arg(long, value_name = "CALLS", default_value_t = 0)]
    rate: u32,
    /// Calls each key may make at once before the rate counts
    #[arg(long, value_name = "CALLS", default_value_t = 200)]
    burst: u32,
    /// The longest request, in MiB
    #[arg(long, value_name = "MIB", default_value_t = 32, value_parser = clap::value_parser!(u64).range(1..=1024))]
    body_max: u64,
    /// Seconds a call may take
    #[arg(long, value_name = "SECONDS", default_value_t = 30, value_parser = clap::value_parser!(u64).range(1..=3600))]
    deadline: u64,
    /// Have the tools of another server at /mcp, in the place of this one's
    #[arg(long, value_enum, value_name = "SERVER")]
    mcp_compat: Option<Compat>,
    /// Connections at once; others wait
    #[arg(long, value_name = "CONNECTIONS", default_value_t = 10_000)]
    connections: usize,
}

pub(crate) fn run(context: &Context, arguments: Arguments) -> Outcome {
    let settings = settings(context, &arguments)?;
    let sending = traces::begin()?;
    let engine = Arc::new(context.create()?);
    log(context.json)?;
    let (background, written) = embedding(&engine)?;
    let house = House {
        book: Book::at(context.book()),
        tokens: tokens(&arguments)?,
        settings,
        clock: context.clock(),
        written,
        reads: reads(context, &engine)?,
    };
    let runtime = runtime(&house.settings)?;
    let server = Server::new(engine, house).traced(sending.as_ref().map(Sending::traces));
    let ended = runtime.block_on(serve(arguments.listen, server));
    runtime.shutdown_timeout(Duration::from_secs(30));
    drop(background);
    if let Some(sending) = sending {
        sending.end();
    }
    ended
}

/// The thread that embeds what is written, and what wakes it; it ends when both are dropped.
pub(super) fn embedding(engine: &Arc<Engine>) -> Result<(Arc<Option<Background>>, Written), Failure> {
    let background = engine.model().map(|_| Background::start(engine.clone())).transpose();
    let background = Arc::new(background.map_err(|error| fault("start a thread", &error))?);
    let woken = background.clone();
    Ok((background, Box::new(move |_| (*woken).iter().for_each(Background::wake))))
}

/// What hears of every write.
pub(super) type Written = Box<dyn Fn(&Scope) + Send + Sync>;

/// What has the configured model read messages; nothing where none is configured. What it costs stands where `propose` keeps it.
pub(super) fn reads(context: &Context, engine: &Arc<Engine>) -> Result<Option<Reads>, Stop> {
    let Some(reader) = Reader::open(context, None)?.map(Arc::new) else { return Ok(None) };
    let (engine, data) = (engine.clone(), context.data.clone());
    Ok(Some(Box::new(move |call, ids| {
        let (mut read, mut unreadable) = (ModelRead::default(), false);
        let asked = Proposing::of(reader.clone(), &engine, &data, || call).and_then(|mut proposing| {
            proposing.about(ids, |_, proposed| {
                read.observed.extend(proposed.messages.iter().cloned());
                unreadable |= proposed.outcome == Asking::Unreadable;
            })
        });
        read.stopped = match asked {
            Ok(Some(ended)) => Some(format!("the model did not answer: {}", ended.reason)),
            Ok(None) => unreadable.then(|| "the model answered what is no reply".to_owned()),
            Err(Stop::Failed(failure)) => Some(format!("no model was asked: {}", failure.message)),
            Err(Stop::PipeClosed) => None,
        };
        read
    })))
}

/// The threads of a server.
pub(super) fn runtime(settings: &Settings) -> Result<Runtime, Failure> {
    tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .max_blocking_threads(settings.calls_at_once * 2)
        .build()
        .map_err(|error| fault("start threads", &error))
}

async fn serve(listen: SocketAddr, server: Server) -> Outcome {
    let in_use = |error: std::io::Error| {
        Failure::input(format!("cannot listen on `{listen}`: {error}"))
            .hint("give another address with `--listen`")
    };
    let listener = http::serve::listen(listen).await.map_err(in_use)?;
    let address = listener.local_addr().map_err(in_use)?;
    let stop = stop()?;
    let shared = Shared::new(server);
    let router = http::router(shared.clone());
    // Whoever started this reads the port here.
    let mut out = std::io::stdout().lock();
    writeln!(out, "http://{address}").and_then(|()| out.flush())?;
    drop(out);
    tracing::info!(%address, "serving");
    match http::serve::serve(listener, router, &shared, stop).await {
        http::serve::Ended::Whole => tracing::info!("ended; every call was answered"),
        http::serve::Ended::CutOff => tracing::warn!("ended; calls that took too long were cut off"),
    }
    Ok(Exit::Done)
}

/// Is over when somebody asks the process to end.
pub(super) fn stop() -> Result<impl Future<Output = ()>, Failure> {
    let failed = |error| fault("wait for signals", &error);
    let mut terminate = signal(SignalKind::terminate()).map_err(failed)?;
    let mut interrupt = signal(SignalKind::interrupt()).map_err(failed)?;
    Ok(async move {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
    })
}

fn settings(context: &Context, arguments: &Arguments) -> Result<Settings, Failure> {
    let loopback = arguments.listen.ip().is_loopback();
    if arguments.without_key && !loopback {
        return Err(Failure::usage(format!(
            "`--without-key` on `{}` would let anybody in",
            arguments.listen.ip()
        ))
        .hint("listen on 127.0.0.1, or make keys with `testimony access create`"));
    }
    let mut hosts = arguments.hosts.clone();
    if hosts.is_empty() && arguments.without_key {
        // A page on the web cannot then reach it under a name of its own.
        hosts = ["localhost", "127.0.0.1", "::1"].map(str::to_owned).to_vec();
    }
    if let Some(bad) = arguments.origins.iter().find(|origin| !is_origin(origin)) {
        return Err(
            Failure::usage(format!("`{bad}` is no origin")).hint("write it as https://app.example.org")
        );
    }
    Ok(Settings {
        without_key: arguments.without_key,
        memory_server_tools: arguments.mcp_compat.is_some(),
        hosts,
        origins: arguments.origins.clone(),
        calls_per_second: arguments.rate,
        burst: arguments.burst,
        body_bytes_max: usize::try_from(arguments.body_max << 20).unwrap_or(usize::MAX),
        deadline: Duration::from_secs(arguments.deadline),
        connections_max: arguments.connections.max(1),
        ..Settings::of(context.scope.subject().clone())
    })
}

/// The largest document of an issuer that is read, in bytes.
const ISSUER_BYTES_MAX: u64 = 1024 * 1024;

/// Whose tokens are taken, where the command names an issuer.
fn tokens(arguments: &Arguments) -> Result<Option<Tokens>, Failure> {
    let (Some(issuer), Some(audience)) = (&arguments.token_issuer, &arguments.token_audience) else {
        return Ok(None);
    };
    let is_address = |place: &str| place.starts_with("https://") || place.starts_with("http://");
    if arguments.token_keys.is_none() && !is_address(issuer) {
        return Err(Failure::usage(format!("`{issuer}` is no address, so its keys cannot be found there"))
            .hint("say where they are with `--token-keys FILE`"));
    }
    let (named, issuer_address) = (arguments.token_keys.clone(), issuer.clone());
    let source: KeySource = Box::new(move || {
        let within = Duration::from_secs(10);
        let fetched =
            |address: &str| fetch(address, ISSUER_BYTES_MAX, within).map_err(|error| error.to_string());
        match &named {
            Some(file) if !is_address(file) => {
                std::fs::read(file).map_err(|error| format!("`{file}`: {error}"))
            }
            Some(address) => fetched(address),
            None => {
                let address =
                    format!("{}/.well-known/openid-configuration", issuer_address.trim_end_matches('/'));
                let document: serde_json::Value = serde_json::from_slice(&fetched(&address)?)
                    .map_err(|error| format!("`{address}` is no discovery document: {error}"))?;
                let keys = document["jwks_uri"].as_str().ok_or(format!("`{address}` names no `jwks_uri`"))?;
                fetched(keys)
            }
        }
    });
    Ok(Some(Tokens::new(issuer, audience, &arguments.token_subject, source)))
}

/// Whether it is a scheme and a host, as browsers write where a page is from.
fn is_origin(written: &str) -> bool {
    let rest = written.strip_prefix("https://").or_else(|| written.strip_prefix("http://"));
    rest.is_some_and(|host| !host.is_empty() && !host.contains(['/', ' ', '*']))
}

fn fault(doing: &str, error: &std::io::Error) -> Failure {
    Failure { exit: Exit::Fault, code: "internal", message: format!("cannot {doing}: {error}"), hint: None }
}

/// Begins the log on standard error. The library that speaks MCP has none: it would tell what is said.
pub(super) fn log(json: bool) -> Result<(), Failure> {
    let filter = tracing_subscriber::EnvFilter::builder()
        .with_env_var("TESTIMONY_LOG")
        .with_default_directive(tracing::Level::INFO.into())
        .from_env()
        .map_err(|error| Failure::input(format!("`TESTIMONY_LOG`: {error}")))?;
    let ours = filter_fn(|told| !told.target().starts_with("rmcp"));
    let log = tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr);
    let begun = match json {
        true => log.json().flatten_event(true).finish().with(ours).try_init(),
        false => log.compact().finish().with(ours).try_init(),
    };
    begun.map_err(|error| Failure {
        exit: Exit::Fault,
        code: "internal",
        message: error.to_string(),
        hint: None,
    })
}
