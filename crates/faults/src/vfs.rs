//! The file layer between SQLite and the operating system: it asks the disk first, and forwards.
//!
//! It takes the place of SQLite's own as the default of this process, so that every connection of the program under proof
//! comes through here and the program needs no door for it. A file that lies on no [`Disk`] is forwarded untouched. Locks
//! and shared memory are forwarded too, so a write-ahead log works, between processes as well.
#![allow(
    unsafe_code,
    reason = "SQLite's file layer is a table of C functions; each block says why what it relies on holds"
)]

use std::ffi::{CStr, OsStr, c_char, c_int, c_void};
use std::mem::size_of;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use rusqlite::ffi;

use crate::disk::{Disk, Fault, Operation};
use crate::record::Event;

/// A file as SQLite holds it: ours first, the one of the layer below right behind it.
#[repr(C)]
struct File {
    base: ffi::sqlite3_file,
    /// What is known of it; made by `Box::into_raw` in `open`, taken back in `close`.
    known: *mut Known,
}

struct Known {
    path: PathBuf,
    disk: Option<Arc<Disk>>,
    /// The next sync makes the names of its directory last, too: SQLite's own layer does so once for a log or a journal.
    syncs_names: AtomicBool,
}

/// Files whose directory SQLite syncs with their own first sync.
const JOURNALS: c_int = ffi::SQLITE_OPEN_WAL | ffi::SQLITE_OPEN_MAIN_JOURNAL | ffi::SQLITE_OPEN_SUPER_JOURNAL;

/// The layer below, as it was when this one took its place.
struct Below(*mut ffi::sqlite3_vfs);

// SAFETY: SQLite's own file layer lives as long as the process and may be called from every thread.
unsafe impl Send for Below {}
// SAFETY: as above; nothing here changes it.
unsafe impl Sync for Below {}

static BELOW: OnceLock<Below> = OnceLock::new();

/// Takes the place of the default file layer, once a process.
///
/// # Panics
/// When SQLite has no file layer, or takes no other.
pub(crate) fn install() {
    BELOW.get_or_init(|| {
        // SAFETY: initialising twice is allowed; a null name asks for the default.
        let below = unsafe {
            assert_eq!(ffi::sqlite3_initialize(), ffi::SQLITE_OK);
            ffi::sqlite3_vfs_find(std::ptr::null())
        };
        assert!(!below.is_null(), "SQLite has no file layer");
        // SAFETY: `below` points to SQLite's own layer, a plain C struct that is never freed.
        let mut ours = unsafe { *below };
        ours.szOsFile += size_of::<File>() as c_int;
        ours.zName = c"faults".as_ptr();
        ours.pNext = std::ptr::null_mut();
        ours.xOpen = Some(open);
        ours.xDelete = Some(delete);
        // SAFETY: SQLite keeps the pointer for ever, so the struct is leaked; all its functions are either ours, which
        // go to the layer below, or the layer's own, which read of it only what was copied.
        let registered = unsafe { ffi::sqlite3_vfs_register(Box::into_raw(Box::new(ours)), 1) };
        assert_eq!(registered, ffi::SQLITE_OK);
        Below(below)
    });
}

fn below() -> *mut ffi::sqlite3_vfs {
    BELOW.get().map_or(std::ptr::null_mut(), |below| below.0)
}

static METHODS: ffi::sqlite3_io_methods = ffi::sqlite3_io_methods {
    // Without the third version's mapped reads, which would pass the disk by.
    iVersion: 2,
    xClose: Some(close),
    xRead: Some(read),
    xWrite: Some(write),
    xTruncate: Some(truncate),
    xSync: Some(sync),
    xFileSize: Some(file_size),
    xLock: Some(lock),
    xUnlock: Some(unlock),
    xCheckReservedLock: Some(check_reserved_lock),
    xFileControl: Some(file_control),
    xSectorSize: Some(sector_size),
    xDeviceCharacteristics: Some(device_characteristics),
    xShmMap: Some(shm_map),
    xShmLock: Some(shm_lock),
    xShmBarrier: Some(shm_barrier),
    xShmUnmap: Some(shm_unmap),
    xFetch: None,
    xUnfetch: None,
};

/// The path SQLite names; `None` for a file without a name.
///
/// # Safety
/// `name` is null or a C string.
unsafe fn path_of(name: *const c_char) -> Option<PathBuf> {
    if name.is_null() {
        return None;
    }
    // SAFETY: not null, and a C string by this function's contract.
    let name = unsafe { CStr::from_ptr(name) };
    Some(Path::new(OsStr::from_bytes(name.to_bytes())).to_owned())
}

unsafe extern "C" fn open(
    _: *mut ffi::sqlite3_vfs,
    name: ffi::sqlite3_filename,
    file: *mut ffi::sqlite3_file,
    flags: c_int,
    out_flags: *mut c_int,
) -> c_int {
    let ours = file.cast::<File>();
    // SAFETY: SQLite hands over `szOsFile` bytes for this file, which hold a `File` and the lower layer's behind it; and a
    // name that is null or a C string. The lower layer gets its own pointer and SQLite's other arguments unchanged.
    unsafe {
        (*ours).base.pMethods = std::ptr::null();
        let path = path_of(name);
        let disk = path.as_deref().and_then(Disk::of);
        if disk.as_ref().is_some_and(|disk| disk.verdict(Operation::Open).is_some()) {
            return ffi::SQLITE_CANTOPEN;
        }
        let was_there = path.as_ref().is_some_and(|path| path.exists());
        let Some(open) = (*below()).xOpen else { return ffi::SQLITE_CANTOPEN };
        let opened = open(below(), name, lower(file), flags, out_flags);
        if opened != ffi::SQLITE_OK {
            return opened;
        }
        if let (Some(disk), Some(path), false) = (&disk, &path, was_there) {
            disk.write_down(|| Event::Make(path.clone()));
        }
        let known = Known {
            path: path.unwrap_or_default(),
            disk,
            syncs_names: AtomicBool::new(flags & JOURNALS != 0),
        };
        (*ours).known = Box::into_raw(Box::new(known));
        (*ours).base.pMethods = &raw const METHODS;
    }
    ffi::SQLITE_OK
}

unsafe extern "C" fn delete(_: *mut ffi::sqlite3_vfs, name: *const c_char, sync_directory: c_int) -> c_int {
    // SAFETY: SQLite hands over a C string; the lower layer gets it unchanged.
    unsafe {
        let path = path_of(name).unwrap_or_default();
        let disk = Disk::of(&path);
        if disk.as_ref().is_some_and(|disk| disk.verdict(Operation::Name).is_some()) {
            return ffi::SQLITE_IOERR_DELETE;
        }
        let Some(delete) = (*below()).xDelete else { return ffi::SQLITE_IOERR_DELETE };
        let deleted = delete(below(), name, sync_directory);
        if let (ffi::SQLITE_OK, Some(disk)) = (deleted, disk) {
            disk.shrink(&path, 0);
            disk.write_down(|| Event::Remove(path.clone()));
            if let (1.., Some(parent)) = (sync_directory, path.parent()) {
                disk.write_down(|| Event::SyncDirectory(parent.to_owned()));
            }
        }
        deleted
    }
}

/// The file of the layer below.
///
/// # Safety
/// `file` is one that `open` was handed.
unsafe fn lower(file: *mut ffi::sqlite3_file) -> *mut ffi::sqlite3_file {
    // SAFETY: the lower layer's file stands behind ours, in the room that `install` asked for; a `File` is two pointers,
    // so what stands behind it is aligned.
    unsafe { file.cast::<File>().add(1).cast() }
}

/// What is known of a file that is open.
///
/// # Safety
/// `file` was opened by `open` and not closed yet.
unsafe fn known<'file>(file: *mut ffi::sqlite3_file) -> &'file Known {
    // SAFETY: `open` put a box's pointer there, and only `close` takes it back.
    unsafe { &*(*file.cast::<File>()).known }
}

/// Asks the disk of an open file whether the next operation fails.
///
/// # Safety
/// As [`known`].
unsafe fn verdict(file: *mut ffi::sqlite3_file, operation: Operation) -> Option<Fault> {
    // SAFETY: by this function's contract.
    unsafe { known(file) }.disk.as_ref()?.verdict(operation)
}

/// Calls the function of the same name in the layer below.
macro_rules! forward {
    ($file:ident, $name:ident, $otherwise:expr $(, $argument:expr)*) => {{
        let lower = lower($file);
        match (*(*lower).pMethods).$name {
            Some(function) => function(lower $(, $argument)*),
            None => $otherwise,
        }
    }};
}

unsafe extern "C" fn close(file: *mut ffi::sqlite3_file) -> c_int {
    // SAFETY: SQLite closes each file once; the box was made in `open`.
    unsafe {
        let closed = forward!(file, xClose, ffi::SQLITE_OK);
        drop(Box::from_raw((*file.cast::<File>()).known));
        (*file).pMethods = std::ptr::null();
        closed
    }
}

unsafe extern "C" fn read(
    file: *mut ffi::sqlite3_file,
    bytes: *mut c_void,
    count: c_int,
    offset: ffi::sqlite3_int64,
) -> c_int {
    // SAFETY: the file is open; SQLite's arguments go on unchanged.
    unsafe {
        match verdict(file, Operation::Read) {
            Some(_) => ffi::SQLITE_IOERR_READ,
            None => forward!(file, xRead, ffi::SQLITE_IOERR_READ, bytes, count, offset),
        }
    }
}

unsafe extern "C" fn write(
    file: *mut ffi::sqlite3_file,
    bytes: *const c_void,
    count: c_int,
    offset: ffi::sqlite3_int64,
) -> c_int {
    // SAFETY: the file is open, and SQLite hands over `count` readable bytes; a first part of them is readable, too.
    unsafe {
        let (count_all, outcome) = match verdict(file, Operation::Write) {
            None => (count, ffi::SQLITE_OK),
            Some(Fault::ShortWrite) => (count / 2, ffi::SQLITE_FULL),
            Some(Fault::NoSpace) => return ffi::SQLITE_FULL,
            Some(Fault::Device | Fault::Sync) => return ffi::SQLITE_IOERR_WRITE,
        };
        let known = known(file);
        let end = offset.unsigned_abs() + u64::from(count_all.unsigned_abs());
        if known.disk.as_ref().is_some_and(|disk| !disk.grow(&known.path, end)) {
            return ffi::SQLITE_FULL;
        }
        let written = forward!(file, xWrite, ffi::SQLITE_IOERR_WRITE, bytes, count_all, offset);
        if let (ffi::SQLITE_OK, Some(disk)) = (written, &known.disk) {
            let bytes = std::slice::from_raw_parts(bytes.cast::<u8>(), count_all.unsigned_abs() as usize);
            disk.write_down(|| Event::Write {
                path: known.path.clone(),
                offset: offset.unsigned_abs(),
                bytes: bytes.to_vec(),
            });
            return outcome;
        }
        written
    }
}

unsafe extern "C" fn truncate(file: *mut ffi::sqlite3_file, bytes: ffi::sqlite3_int64) -> c_int {
    // SAFETY: the file is open; SQLite's argument goes on unchanged.
    unsafe {
        if verdict(file, Operation::Truncate).is_some() {
            return ffi::SQLITE_IOERR_TRUNCATE;
        }
        let known = known(file);
        let truncated = forward!(file, xTruncate, ffi::SQLITE_IOERR_TRUNCATE, bytes);
        if let (ffi::SQLITE_OK, Some(disk)) = (truncated, &known.disk) {
            disk.shrink(&known.path, bytes.unsigned_abs());
            disk.write_down(|| Event::Truncate(known.path.clone(), bytes.unsigned_abs()));
        }
        truncated
    }
}

unsafe extern "C" fn sync(file: *mut ffi::sqlite3_file, flags: c_int) -> c_int {
    // SAFETY: the file is open; SQLite's argument goes on unchanged.
    unsafe {
        let failed = verdict(file, Operation::Sync).is_some();
        let known = known(file);
        let synced = match failed {
            true => ffi::SQLITE_IOERR_FSYNC,
            false => forward!(file, xSync, ffi::SQLITE_IOERR_FSYNC, flags),
        };
        if let Some(disk) = &known.disk {
            disk.write_down(|| match synced {
                ffi::SQLITE_OK => Event::Sync(known.path.clone()),
                _ => Event::SyncFailed(known.path.clone()),
            });
            if synced == ffi::SQLITE_OK
                && known.syncs_names.swap(false, Ordering::Relaxed)
                && let Some(parent) = known.path.parent()
            {
                disk.write_down(|| Event::SyncDirectory(parent.to_owned()));
            }
        }
        synced
    }
}

unsafe extern "C" fn file_size(file: *mut ffi::sqlite3_file, bytes: *mut ffi::sqlite3_int64) -> c_int {
    // SAFETY: the file is open; SQLite's argument goes on unchanged.
    unsafe {
        match verdict(file, Operation::Length) {
            Some(_) => ffi::SQLITE_IOERR_FSTAT,
            None => forward!(file, xFileSize, ffi::SQLITE_IOERR_FSTAT, bytes),
        }
    }
}

unsafe extern "C" fn shm_map(
    file: *mut ffi::sqlite3_file,
    page: c_int,
    page_bytes: c_int,
    extend: c_int,
    mapped: *mut *mut c_void,
) -> c_int {
    // SAFETY: the file is open; SQLite's arguments go on unchanged.
    unsafe {
        match verdict(file, Operation::Share) {
            Some(Fault::NoSpace) => ffi::SQLITE_IOERR_SHMSIZE,
            Some(_) => ffi::SQLITE_IOERR_SHMMAP,
            None => {
                forward!(file, xShmMap, ffi::SQLITE_IOERR_SHMMAP, page, page_bytes, extend, mapped)
            }
        }
    }
}

/// Writes the functions that only forward.
macro_rules! forwarded {
    ($($name:ident => $method:ident($($argument:ident: $type:ty),*) -> $otherwise:expr;)+) => {$(
        unsafe extern "C" fn $name(file: *mut ffi::sqlite3_file $(, $argument: $type)*) -> c_int {
            // SAFETY: the file is open; SQLite's arguments go on unchanged.
            unsafe { forward!(file, $method, $otherwise $(, $argument)*) }
        }
    )+};
}

forwarded! {
    lock => xLock(level: c_int) -> ffi::SQLITE_IOERR_LOCK;
    unlock => xUnlock(level: c_int) -> ffi::SQLITE_IOERR_UNLOCK;
    check_reserved_lock => xCheckReservedLock(held: *mut c_int) -> ffi::SQLITE_IOERR_CHECKRESERVEDLOCK;
    file_control => xFileControl(operation: c_int, argument: *mut c_void) -> ffi::SQLITE_NOTFOUND;
    sector_size => xSectorSize() -> 4096;
    device_characteristics => xDeviceCharacteristics() -> 0;
    shm_lock => xShmLock(offset: c_int, count: c_int, flags: c_int) -> ffi::SQLITE_IOERR_SHMLOCK;
    shm_unmap => xShmUnmap(delete: c_int) -> ffi::SQLITE_OK;
}

unsafe extern "C" fn shm_barrier(file: *mut ffi::sqlite3_file) {
    // SAFETY: the file is open.
    unsafe { forward!(file, xShmBarrier, ()) }
}
