//! `testimony man`.

use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};

use serde::Serialize;

use crate::arguments;
use crate::context::{Context, Outcome};
use crate::failure::{Exit, Failure, Stop};

/// Write the manual pages, one a verb, into a directory
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  testimony man ~/.local/share/man/man1")]
pub(crate) struct Arguments {
    /// Where to; made when it is not there
    #[arg(value_name = "DIR")]
    directory: PathBuf,
}

#[derive(Serialize)]
struct Written {
    directory: PathBuf,
    pages: Vec<String>,
}

pub(crate) fn run(context: &Context, arguments: Arguments) -> Outcome {
    let directory = arguments.directory;
    fs::create_dir_all(&directory).map_err(|error| Failure::file("create", &directory, &error))?;
    let mut command = arguments::command();
    command.build();
    let mut pages = vec![page(&directory, command.clone(), "testimony")?];
    for verb in command.get_subcommands().filter(|verb| verb.get_name() != "help") {
        let name = format!("testimony-{}", verb.get_name());
        pages.push(page(&directory, verb.clone(), &name)?);
    }
    let written = Written { directory, pages };
    context.answer(&written, |written| {
        format!("{} pages in {}", written.pages.len(), written.directory.display())
    })?;
    Ok(Exit::Done)
}

#[allow(
    clippy::disallowed_methods,
    reason = "manual pages are for everybody and lie outside the data directory"
)]
fn page(directory: &Path, command: clap::Command, name: &str) -> Result<String, Stop> {
    let file = format!("{name}.1");
    let path = directory.join(&file);
    let mut text = Vec::new();
    clap_mangen::Man::new(command).title(name).render(&mut text)?;
    let written = File::create(&path).and_then(|mut page| page.write_all(&text));
    written.map_err(|error| Failure::file("write", &path, &error))?;
    Ok(file)
}
