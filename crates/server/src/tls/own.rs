//! The self-signed certificate: made once in `data_dir/tls`, for `smtp.hostname`, and never overwritten.

use std::{io::Write, path::Path};

use super::{TlsError, file_error};
use crate::config::{Config, TlsFiles};

/// Where it is; it is made where there is none.
pub(super) fn files(config: &Config) -> Result<TlsFiles, TlsError> {
    let directory = config.data_dir.join("tls");
    let files = TlsFiles { cert: directory.join("smtp.crt"), key: directory.join("smtp.key") };
    if !files.cert.exists() {
        make(&directory, &files, &config.smtp.hostname)?;
    }
    Ok(files)
}

/// The key is written before the certificate, so that a certificate never stands without its key; both by rename.
fn make(directory: &Path, files: &TlsFiles, hostname: &str) -> Result<(), TlsError> {
    use std::os::unix::fs::DirBuilderExt;
    let made = rcgen::generate_simple_self_signed(vec![hostname.to_owned()])
        .map_err(|error| file_error(&files.cert, error))?;
    let created = std::fs::DirBuilder::new().recursive(true).mode(0o700).create(directory);
    created.map_err(|error| file_error(directory, error))?;
    for (path, text) in [(&files.key, made.signing_key.serialize_pem()), (&files.cert, made.cert.pem())] {
        write_private(path, &text).map_err(|error| file_error(path, error))?;
    }
    tracing::info!(hostname, file = %files.cert.display(), "self-signed certificate made");
    Ok(())
}

fn write_private(path: &Path, text: &str) -> std::io::Result<()> {
    use std::os::unix::fs::OpenOptionsExt;
    let beside = path.with_extension(format!("{}.tmp", std::process::id()));
    let mut file = std::fs::OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&beside)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()?;
    std::fs::rename(&beside, path)
}
