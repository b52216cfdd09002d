//! The self-signed certificate: made once in `data_dir/tls`, for `smtp.hostname`, and never overwritten.

use std::path::Path;

use rcgen::{CertificateParams, KeyPair};

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

/// The key first, and the certificate for the key that stands there then: several processes that start at once on one
/// directory make certificates for one key, and so does who comes after one that was cut off in between.
fn make(directory: &Path, files: &TlsFiles, hostname: &str) -> Result<(), TlsError> {
    use std::os::unix::fs::DirBuilderExt;
    let created = std::fs::DirBuilder::new().recursive(true).mode(0o700).create(directory);
    created.map_err(|error| file_error(directory, error))?;
    let key = key(&files.key)?;
    let params = CertificateParams::new(vec![hostname.to_owned()]).map_err(|error| file_error(&files.cert, error))?;
    let made = params.self_signed(&key).map_err(|error| file_error(&files.cert, error))?;
    crate::files::write(&files.cert, &made.pem()).map_err(|error| file_error(&files.cert, error))?;
    tracing::info!(hostname, file = %files.cert.display(), "self-signed certificate made");
    Ok(())
}

/// The key in the file, which is made if there is none.
fn key(path: &Path) -> Result<KeyPair, TlsError> {
    if !path.exists() {
        let made = KeyPair::generate().map_err(|error| file_error(path, error))?;
        crate::files::make(path, &made.serialize_pem()).map_err(|error| file_error(path, error))?;
    }
    let text = std::fs::read_to_string(path).map_err(|error| file_error(path, error))?;
    KeyPair::from_pem(&text).map_err(|error| file_error(path, error))
}
