//! As many cases of an ordeal as one likes; the tests try a few of each.
//!
//! - `ordeal seeds COUNT [FIRST]`: lives on disks that fail at random, by seed.
//! - `ordeal cuts COUNT [SEED] [full|normal|off]`: power cuts of recorded lives.
//! - `ordeal kills COUNT [SEED] [THREADS]`: kills of a writer with many threads.
//! - `ordeal programs COUNT [SEED] [PROCESSES]`: kills of many processes of the program itself.
//! - `ordeal served COUNT [SEED] [CLIENTS] [asked|each]`: kills of a server under clients; with `asked` it is asked to end, with
//!   `each` it ends by itself at each instant that has a name, COUNT times at each.
//!
//! - `unshare --mount ordeal troubled COUNT [CLIENTS]`: a server on file systems that fill up, are closed, or give up.
//!
//! The last four need the other programs beside this one: `cargo build -p proofs -p testimony`.

use std::path::PathBuf;

use proofs::ordeal::{
    End, Trouble, ended_servers, faulty_lives, killed_programs, killed_writers, power_cuts, serving,
    troubled_server,
};
use store_sqlite::{Options, Synchronous};

fn main() -> Result<(), String> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number = |place: usize, otherwise: u64| -> Result<u64, String> {
        arguments
            .get(place)
            .map_or(Ok(otherwise), |text| text.parse().map_err(|_| format!("`{text}` is no number")))
    };
    let (count, second) = (number(1, 100)?, number(2, 0)?);
    match arguments.first().map(String::as_str) {
        Some("seeds") => {
            for first in (second..second + count).step_by(1_000) {
                println!("{:?}", faulty_lives(first..(first + 1_000).min(second + count))?);
            }
        }
        Some("cuts") => {
            let synchronous = match arguments.get(3).map(String::as_str) {
                None | Some("full") => Synchronous::Full,
                Some("normal") => Synchronous::Normal,
                Some("off") => Synchronous::Off,
                Some(other) => return Err(format!("`{other}` is none of full, normal, off")),
            };
            let cuts = power_cuts(second, count, &Options { synchronous, ..Options::default() })?;
            println!(
                "{} cuts of {} events, {} with something wrong",
                cuts.cuts,
                cuts.events,
                cuts.wrong.len()
            );
            for what in cuts.wrong.iter().take(20) {
                println!("{what}");
            }
        }
        Some("kills") => {
            let threads = number(3, 16)? as usize;
            println!("{:?}", killed_writers(&beside("killed-writer")?, second, count, threads, None)?);
        }
        Some("programs") => {
            let processes = number(3, 16)? as usize;
            println!("{:?}", killed_programs(&beside("testimony")?, second, count, processes)?);
        }
        Some("served") => {
            let clients = number(3, 16)? as usize;
            let ends = match arguments.get(4).map(String::as_str) {
                None => vec![End::Killed],
                Some("asked") => vec![End::Asked],
                Some("each") => serving().map(End::At).collect(),
                Some(other) => return Err(format!("`{other}` is none of asked, each")),
            };
            for end in ends {
                println!("{end:?}: {:?}", ended_servers(&beside("testimony")?, second, count, clients, end)?);
            }
        }
        Some("troubled") => {
            let program = beside("testimony")?;
            for _ in 0..count {
                for trouble in Trouble::ALL {
                    let troubled = troubled_server(&program, trouble, number(2, 4)? as usize);
                    println!("{trouble:?}: {:?}", troubled.map_err(|wrong| format!("{trouble:?}: {wrong}"))?);
                }
            }
        }
        _ => return Err("seeds, cuts, kills, programs, served or troubled, and a count".to_owned()),
    }
    Ok(())
}

/// A program in the directory of this one.
fn beside(name: &str) -> Result<PathBuf, String> {
    let own = std::env::current_exe().map_err(|error| error.to_string())?;
    let path = own.with_file_name(name);
    let missing = || format!("`{}` is not there; hint: cargo build -p proofs -p testimony", path.display());
    if path.is_file() { Ok(path) } else { Err(missing()) }
}
