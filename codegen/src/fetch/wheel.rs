//! Unpacks what is needed of a wheel, and nothing else.
//!
//! In: the bytes of a zip archive, already verified. Out: the chosen files, flat in one directory.

use std::{
    fs,
    io::{self, Cursor},
    path::Path,
};

use super::error::FetchError;

/// Unpacks the files for which `chosen` gives a name, each under that name in `directory`. Gives how many there were.
pub(super) fn unpack(
    what: &str,
    bytes: &[u8],
    directory: &Path,
    chosen: impl Fn(&str) -> Option<String>,
    on_bytes: &mut dyn FnMut(u64),
) -> Result<usize, FetchError> {
    let broken = |error: &dyn std::fmt::Display| FetchError::Archive { what: what.to_owned(), reason: error.to_string() };
    let mut archive = zip::ZipArchive::new(Cursor::new(bytes)).map_err(|error| broken(&error))?;
    let (mut count, mut written) = (0, 0);
    for index in 0..archive.len() {
        let mut entry = archive.by_index(index).map_err(|error| broken(&error))?;
        let name = entry.name().map_err(|error| broken(&error))?.into_owned();
        let Some(name) = chosen(&name) else { continue };
        let path = directory.join(name);
        let mut content = Vec::new();
        io::copy(&mut entry, &mut content).map_err(|error| broken(&error))?;
        fs::write(&path, &content).map_err(FetchError::io("cannot write", &path))?;
        count += 1;
        written += content.len() as u64;
        on_bytes(written);
    }
    Ok(count)
}

/// A header right below an `include` directory: the deeper ones are C++ and belong to other APIs.
pub(super) fn header(path: &str) -> Option<String> {
    let (directory, name) = path.rsplit_once('/')?;
    let is_header = Path::new(name).extension().is_some_and(|extension| extension == "h");
    (directory.ends_with("/include") && is_header).then(|| name.to_owned())
}

/// The file called `library`, wherever it is.
pub(super) fn library(library: &str) -> impl Fn(&str) -> Option<String> {
    move |path| (path.rsplit('/').next() == Some(library)).then(|| library.to_owned())
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    fn archive(files: &[(&str, &[u8])]) -> Vec<u8> {
        let mut writer = zip::ZipWriter::new(Cursor::new(Vec::new()));
        for (name, content) in files {
            let options = zip::write::SimpleFileOptions::default().compression_method(zip::CompressionMethod::Stored);
            writer.start_file(*name, options).expect("in memory");
            writer.write_all(content).expect("in memory");
        }
        writer.finish().expect("in memory").into_inner()
    }

    #[test]
    fn only_headers_right_below_include_are_unpacked() {
        let bytes = archive(&[("n/include/a.h", b"a"), ("n/include/b.hpp", b"b"), ("n/include/x/c.h", b"c"), ("n/lib/d.h", b"d")]);
        let directory = tempfile::tempdir().expect("a temporary directory");
        assert_eq!(unpack("w", &bytes, directory.path(), header, &mut |_| ()).expect("a good archive"), 1);
        assert_eq!(fs::read(directory.path().join("a.h")).expect("it was unpacked"), b"a");
        assert_eq!(fs::read_dir(directory.path()).expect("it exists").count(), 1);
    }

    #[test]
    fn an_archive_cut_in_half_and_one_with_a_changed_byte_are_errors() {
        let bytes = archive(&[("n/include/a.h", b"some text that the checksum covers")]);
        let directory = tempfile::tempdir().expect("a temporary directory");
        let half = unpack("w", &bytes[..bytes.len() / 2], directory.path(), header, &mut |_| ());
        assert!(matches!(half, Err(FetchError::Archive { .. })), "{half:?}");
        let mut changed = bytes.clone();
        let at = changed.windows(4).position(|window| window == b"some").expect("stored as it is");
        changed[at] = b'S';
        let changed = unpack("w", &changed, directory.path(), header, &mut |_| ());
        assert!(matches!(changed, Err(FetchError::Archive { .. })), "{changed:?}");
        assert_eq!(fs::read_dir(directory.path()).expect("it exists").count(), 0, "a broken file must not be written");
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_full_disk_is_an_error_that_names_the_file() {
        let bytes = archive(&[("n/include/a.h", b"a")]);
        let directory = tempfile::tempdir().expect("a temporary directory");
        std::os::unix::fs::symlink("/dev/full", directory.path().join("a.h")).expect("a link");
        let full = unpack("w", &bytes, directory.path(), header, &mut |_| ()).expect_err("no room");
        assert_eq!(full.reach(), super::super::error::Reach::Disk);
        let text = full.to_string();
        assert!(text.contains("a.h") && text.contains("make room there"), "{text}");
    }
}
