//! The self-signed certificate: created once in `data_dir/tls`, for `smtp.hostname`, and never overwritten.

use std::path::{Path, PathBuf};

use rcgen::{CertificateParams, KeyPair};

use super::{CertificateError, file_error};
use crate::settings::{AppConfig, TlsFiles};

/// Returns the paths of the certificate and its key, and creates them if there are none.
pub(super) fn files(config: &AppConfig) -> Result<TlsFiles, CertificateError> {
    let files = paths(config);
    if !files.cert.exists() {
        make(&directory(config), &files, &config.hostname)?;
    }
    Ok(files)
}

/// Returns the paths of the certificate and its key.
pub(super) fn paths(config: &AppConfig) -> TlsFiles {
    let directory = directory(config);
    TlsFiles { cert: directory.join("smtp.crt"), key: directory.join("smtp.key") }
}

fn directory(config: &AppConfig) -> PathBuf {
    config.data_dir.join("tls")
}

/// Creates the key first, then a certificate for the key that exists then. Processes that start at the same time on one
/// directory therefore create certificates for the same key, as does a start after an interrupted one.
fn make(directory: &Path, files: &TlsFiles, hostname: &str) -> Result<(), CertificateError> {
    use std::os::unix::fs::DirBuilderExt;
    let created = std::fs::DirBuilder::new().recursive(true).mode(0o700).create(directory);
    created.map_err(|error| file_error(directory, error))?;
    let key = key(&files.key)?;
    let params = CertificateParams::new(vec![hostname.to_owned()]).map_err(|error| file_error(&files.cert, error))?;
    let made = params.self_signed(&key).map_err(|error| file_error(&files.cert, error))?;
    crate::files::write(&files.cert, &made.pem()).map_err(|error| file_error(&files.cert, error))?;
    tracing::debug!(hostname, file = %files.cert.display(), "self-signed certificate created");
    Ok(())
}

/// Reads the key from the file, and creates it if there isn't one.
fn key(path: &Path) -> Result<KeyPair, CertificateError> {
    if !path.exists() {
        let made = KeyPair::generate().map_err(|error| file_error(path, error))?;
        crate::files::make(path, &made.serialize_pem()).map_err(|error| file_error(path, error))?;
    }
    let text = std::fs::read_to_string(path).map_err(|error| file_error(path, error))?;
    KeyPair::from_pem(&text).map_err(|error| file_error(path, error))
}
