//! What a file may cost.

/// Bounds on hostile or broken input. Each is checked before the memory is taken, and crossing one refuses that file,
/// entry or record and no other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of one file.
    pub file_bytes_max: u64,
    /// Bytes of one message's text.
    pub text_bytes_max: usize,
    /// Entries of one archive.
    pub archive_entries_max: usize,
    /// Unpacked bytes of one entry.
    pub archive_entry_bytes_max: u64,
    /// Unpacked bytes of all entries of one archive.
    pub archive_total_bytes_max: u64,
    /// Unpacked bytes per packed byte of one entry, asked only of entries over 1 MiB. Chat exports pack about 10 to 1.
    pub archive_ratio_max: u64,
}

impl Default for Limits {
    fn default() -> Self {
        const MIB: u64 = 1024 * 1024;
        Self {
            file_bytes_max: 512 * MIB,
            text_bytes_max: 16 * 1024 * 1024,
            archive_entries_max: 50_000,
            archive_entry_bytes_max: 256 * MIB,
            archive_total_bytes_max: 1024 * MIB,
            archive_ratio_max: 200,
        }
    }
}
