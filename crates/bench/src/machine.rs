//! The machine's own limits, measured in the same run as everything else: a figure means little without them.

use std::fs::read_to_string;
use std::io::{Seek as _, SeekFrom, Write as _};
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};
use serde::Serialize;

use crate::measure::{Samples, digits, time};

/// What the machine can do, each figure as `median, min, max` of the runs.
#[derive(Clone, Debug, Serialize)]
pub struct Limits {
    /// Processors this process may use.
    pub processors: usize,
    /// The load of the machine over the last minute when the run began: other people's work.
    pub load: String,
    /// 4 KiB writes made durable one after another, a second, on the disk of the data directory.
    pub syncs_per_second: [f64; 3],
    /// Memory copied, in GB a second (read and write counted once).
    pub copy_gigabytes_per_second: [f64; 3],
    /// BLAKE3 on one core, in MB a second.
    pub hash_megabytes_per_second: [f64; 3],
}

const RUNS: usize = 5;

impl Limits {
    /// Measures them; a file is written in `directory` and removed.
    ///
    /// # Errors
    /// When `directory` cannot be written.
    pub fn measure(directory: &Path) -> Result<Self> {
        let (mut syncs, mut copies, mut hashes) =
            (Samples::default(), Samples::default(), Samples::default());
        let source = vec![7_u8; 64 << 20];
        let mut target = vec![0_u8; source.len()];
        for _ in 0..RUNS {
            syncs.push(syncs_per_second(directory).context("measuring fdatasync")?);
            let ((), took) = time(|| target.copy_from_slice(std::hint::black_box(&source)));
            copies.push(source.len() as f64 / took.as_secs_f64() / 1e9);
            let (hash, took) = time(|| blake3::hash(std::hint::black_box(&target)));
            std::hint::black_box(hash);
            hashes.push(source.len() as f64 / took.as_secs_f64() / 1e6);
        }
        let three = |samples: &Samples| [samples.median(), samples.quantile(0.0), samples.quantile(1.0)];
        Ok(Self {
            processors: std::thread::available_parallelism().map_or(1, usize::from),
            load: read_to_string("/proc/loadavg")
                .ok()
                .and_then(|text| text.split(' ').next().map(str::to_owned))
                .unwrap_or_else(|| "unknown".to_owned()),
            syncs_per_second: three(&syncs),
            copy_gigabytes_per_second: three(&copies),
            hash_megabytes_per_second: three(&hashes),
        })
    }

    /// As Markdown.
    #[must_use]
    pub fn markdown(&self) -> String {
        let figure =
            |[median, min, max]: [f64; 3]| format!("{} | {} | {}", digits(median), digits(min), digits(max));
        format!(
            "{} processors, load {} at the start\n\n| machine limit ({RUNS} runs) | median | min | max |\n|---|---|---|---|\n\
             | 4 KiB fdatasync a second | {} |\n| memory copy GB/s | {} |\n| BLAKE3 MB/s, one core | {} |\n",
            self.processors,
            self.load,
            figure(self.syncs_per_second),
            figure(self.copy_gigabytes_per_second),
            figure(self.hash_megabytes_per_second)
        )
    }
}

/// Overwrites 4 KiB and makes it durable, again and again for a third of a second.
fn syncs_per_second(directory: &Path) -> Result<f64> {
    let mut file = tempfile::tempfile_in(directory)?;
    let page = [1_u8; 4_096];
    file.write_all(&page)?;
    file.sync_all()?;
    let begun = Instant::now();
    let mut count = 0_u32;
    while begun.elapsed() < Duration::from_millis(300) {
        file.seek(SeekFrom::Start(0))?;
        file.write_all(&page)?;
        file.sync_data()?;
        count += 1;
    }
    Ok(f64::from(count) / begun.elapsed().as_secs_f64())
}

/// Time this thread has spent on a processor: what work costs when others want the machine too. Zero where the system
/// does not say.
#[must_use]
pub fn processor_time() -> Duration {
    let text = read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let nanoseconds = text.split(' ').next().and_then(|first| first.trim().parse().ok());
    Duration::from_nanos(nanoseconds.unwrap_or(0))
}

/// Memory this process holds, in bytes, as the system counts it; 0 where it does not say.
#[must_use]
pub fn resident_bytes() -> u64 {
    let pages = read_to_string("/proc/self/statm").unwrap_or_default();
    let resident = pages.split(' ').nth(1).and_then(|pages| pages.parse::<u64>().ok());
    resident.unwrap_or(0) * 4_096
}
