//! What a file descriptor refers to: in, a descriptor and the kind of handle that it is taken for; out, whether it can be one.
//!
//! A descriptor is a number, and drivers take one for another without a word, or crash. Only the operating system can tell, so that this is a
//! check of its own, for who wants it: it reads a link below `/proc`. It closes nothing, and says nothing of what the object behind the
//! descriptor is to the driver.

use std::{
    error, fmt, fs, io,
    os::fd::{AsFd, AsRawFd as _, RawFd},
    path::Path,
};

use clcu_sys::rules::{HandleKind, HandleType};

/// What the system says that a descriptor refers to.
///
/// Source: the link of a descriptor below `/proc/self/fd`, whose text Linux chooses (`proc(5)`).
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Kind {
    /// A fence that ends once: of DRM, V4L2 or Android.
    SyncFile,
    /// A synchronization object of DRM, which is no sync file; `DRM_IOCTL_SYNCOBJ_HANDLE_TO_FD` exports either.
    SyncObject,
    /// Memory that drivers share.
    DmaBuf,
    /// Memory without a file.
    MemFd,
    /// A device, by its path.
    Device(String),
    /// What no driver exports: an eventfd, pipe, socket, or file with a path, as the system names it.
    Foreign(String),
    /// Anything else, as the system names it.
    Other(String),
    /// Nothing: no descriptor of this number is open.
    Closed,
}

impl Kind {
    /// What a descriptor refers to.
    ///
    /// The descriptor is borrowed. It is duplicated for as long as the call takes.
    ///
    /// # Errors
    /// [`io::Error`] on systems that do not tell, where `/proc` is not there, and where the descriptor cannot be duplicated or asked
    /// for its type.
    pub fn of(fd: impl AsFd) -> io::Result<Self> {
        Self::of_number(fd.as_fd().as_raw_fd())
    }

    /// What a number refers to in this process, which another thread may change at any time.
    ///
    /// # Errors
    /// As for [`Kind::of`].
    pub fn of_number(number: RawFd) -> io::Result<Self> {
        const ALL: &str = "/proc/self/fd";
        let path = Path::new(ALL).join(number.to_string());
        match fs::read_link(&path) {
            // It goes to what is open, whatever its name is by now.
            Ok(link) => Ok(Self::named(link.to_string_lossy().into_owned(), fs::metadata(&path)?.is_file())),
            Err(error) if error.kind() == io::ErrorKind::NotFound && Path::new(ALL).is_dir() => Ok(Self::Closed),
            Err(error) => Err(error),
        }
    }

    fn named(name: String, is_file: bool) -> Self {
        match name.as_str() {
            "anon_inode:sync_file" => Self::SyncFile,
            "anon_inode:syncobj_file" => Self::SyncObject,
            "anon_inode:dmabuf" => Self::DmaBuf,
            "anon_inode:[eventfd]" | "anon_inode:[eventpoll]" | "anon_inode:[timerfd]" | "anon_inode:[signalfd]" => {
                Self::Foreign(name)
            }
            other if other.starts_with("/dmabuf:") => Self::DmaBuf,
            other if other.starts_with("/memfd:") => Self::MemFd,
            other if other.starts_with("pipe:") || other.starts_with("socket:") => Self::Foreign(name),
            other if other.starts_with("/dev/") && !is_file => Self::Device(name),
            _ if is_file => Self::Foreign(name),
            _ => Self::Other(name),
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::SyncFile => f.write_str("anon_inode:sync_file"),
            Self::SyncObject => f.write_str("anon_inode:syncobj_file"),
            Self::DmaBuf => f.write_str("a dma-buf"),
            Self::MemFd => f.write_str("a memfd"),
            Self::Closed => f.write_str("a number that no open descriptor has"),
            Self::Device(name) | Self::Foreign(name) | Self::Other(name) => f.write_str(name),
        }
    }
}

/// Whether a descriptor can be a handle of this kind, as far as the system tells. Where it does not tell, it can.
///
/// A sync file has one kind, and so has a dma-buf. An opaque descriptor is the driver's own matter: it is refused only if it is something
/// that no driver exports.
///
/// The descriptor is borrowed, and nothing is done with it.
///
/// # Errors
/// [`WrongKind`] where it cannot. That the system does not tell is no error.
pub fn check(fd: impl AsFd, handle_type: &'static HandleType) -> Result<(), WrongKind> {
    check_number(fd.as_fd().as_raw_fd(), handle_type)
}

/// The same for a number, as raw descriptors carry one: it may be that of nothing.
///
/// # Errors
/// [`WrongKind`] where it cannot, [`Kind::Closed`] among what is found.
pub fn check_number(number: RawFd, handle_type: &'static HandleType) -> Result<(), WrongKind> {
    let Ok(found) = Kind::of_number(number) else { return Ok(()) };
    let wanted = match (handle_type.short, handle_type.kind) {
        ("SYNC_FD", _) => "sync_file",
        ("DMA_BUF" | "DMABUF_FD", _) => "a dma-buf",
        (_, HandleKind::Semaphore) => "a semaphore of a driver",
        _ => "memory of a driver",
    };
    let is_good = match (wanted, &found) {
        (_, Kind::Closed) => false,
        ("sync_file", kind) => *kind == Kind::SyncFile,
        ("a dma-buf", kind) => *kind == Kind::DmaBuf,
        ("a semaphore of a driver", Kind::DmaBuf | Kind::MemFd) | (_, Kind::Foreign(_)) => false,
        (_, kind) => !matches!(kind, Kind::SyncFile | Kind::SyncObject) || handle_type.kind == HandleKind::Semaphore,
    };
    if is_good { Ok(()) } else { Err(WrongKind { handle_type, found, wanted }) }
}

/// A descriptor that is no handle of the kind that it is taken for.
///
/// It owns nothing: the descriptor stays whose it was.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct WrongKind {
    /// The kind of handle.
    pub handle_type: &'static HandleType,
    /// What the descriptor refers to.
    pub found: Kind,
    wanted: &'static str,
}

impl fmt::Display for WrongKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { handle_type, found, wanted } = self;
        write!(f, "{found} is not {wanted}, which {} takes; nothing was called, and the descriptor is untouched", handle_type.name)
    }
}

impl error::Error for WrongKind {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kinds_that_drivers_share_are_known_by_the_systems_names() {
        let of = |name: &str| Kind::named(name.to_owned(), false);
        assert_eq!(of("anon_inode:sync_file"), Kind::SyncFile);
        assert_eq!(of("anon_inode:syncobj_file"), Kind::SyncObject);
        assert_eq!((of("/dmabuf:"), of("/dmabuf:frame"), of("anon_inode:dmabuf")), (Kind::DmaBuf, Kind::DmaBuf, Kind::DmaBuf));
        assert_eq!(of("/dev/nvidiactl"), Kind::Device("/dev/nvidiactl".into()));
        assert_eq!(of("anon_inode:nobody-knows"), Kind::Other("anon_inode:nobody-knows".into()));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn files_and_pipes_are_told_apart() {
        let file = tempfile::tempfile().expect("a file can be made");
        assert!(matches!(Kind::of(&file), Ok(Kind::Foreign(_))));
        let (reader, _writer) = io::pipe().expect("a pipe can be made");
        assert!(matches!(Kind::of(&reader), Ok(Kind::Foreign(name)) if name.starts_with("pipe:[")));
        let null = fs::File::open("/dev/null").expect("it is there");
        assert_eq!(Kind::of(&null).ok(), Some(Kind::Device("/dev/null".into())));
    }
}
