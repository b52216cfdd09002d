//! TLS on both sides: as a client, see [`client_config`]; and the certificate of the SMTP listeners: the operator's, or a self-signed one that is made once in `data_dir`.
//!
//! A self-signed certificate is enough for opportunistic TLS between servers (RFC 7435, RFC 3207 §4.1): senders that
//! verify nothing are still safe from listeners. Files that exist are never overwritten.

use std::{
    io::Write,
    path::{Path, PathBuf},
    sync::Arc,
};

use posthouse_domain::time::Time;
pub use posthouse_store::tls::{Judge, TlsError as ClientTlsError, Trust, client_config};
use rustls::ServerConfig;
use rustls_pki_types::{CertificateDer, PrivateKeyDer, pem::PemObject};

use crate::config::{Config, TlsFiles};

/// Why there is no certificate.
#[derive(Debug, thiserror::Error)]
pub enum TlsError {
    /// A file.
    #[error("{path}: {cause}")]
    File {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        cause: String,
    },
    /// Certificate and key, together.
    #[error("the certificate {cert} cannot be used with its key: {cause}")]
    Unusable {
        /// The chain's file.
        cert: PathBuf,
        /// What is wrong.
        cause: String,
    },
}

/// What is known of the certificate in use.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CertificateFacts {
    /// The end of its validity.
    pub expires_at: Time,
    /// The names it is for.
    pub names: Vec<String>,
    /// Whether it is our own self-signed one.
    pub self_signed: bool,
}

/// TLS for the SMTP listeners. Makes the self-signed certificate where none is configured and none was made before.
///
/// # Errors
/// When files cannot be read or written, or do not belong together.
pub fn server_config(config: &Config) -> Result<Arc<ServerConfig>, TlsError> {
    let files = files(config)?;
    let chain = read_chain(&files.cert)?;
    let key = PrivateKeyDer::from_pem_file(&files.key).map_err(|error| file_error(&files.key, error))?;
    let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
    let unusable = |error: rustls::Error| TlsError::Unusable { cert: files.cert.clone(), cause: error.to_string() };
    let built = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(unusable)?
        .with_no_client_auth()
        .with_single_cert(chain, key)
        .map_err(unusable)?;
    Ok(Arc::new(built))
}

/// Facts of the certificate in use, for `posthouse check`.
///
/// # Errors
/// When there is none that can be read.
pub fn facts(config: &Config) -> Result<CertificateFacts, TlsError> {
    let files = files(config)?;
    let chain = read_chain(&files.cert)?;
    let wrong = |cause: &str| TlsError::File { path: files.cert.clone(), cause: cause.to_owned() };
    let first = chain.first().ok_or_else(|| wrong("holds no certificate"))?;
    let (_, certificate) = x509_parser::parse_x509_certificate(first).map_err(|_| wrong("is not a certificate"))?;
    let names = certificate.subject_alternative_name().ok().flatten();
    let names = names.map(|names| names.value.general_names.iter().filter_map(dns_name).collect()).unwrap_or_default();
    Ok(CertificateFacts {
        expires_at: Time::from_millis(certificate.validity().not_after.timestamp().saturating_mul(1_000)),
        names,
        self_signed: config.smtp.tls.is_none(),
    })
}

impl CertificateFacts {
    /// Whether the certificate is for that host (RFC 9525 §6.3: a wildcard stands for one whole label).
    #[must_use]
    pub fn covers(&self, host: &str) -> bool {
        self.names.iter().any(|name| {
            name.eq_ignore_ascii_case(host)
                || name
                    .strip_prefix("*.")
                    .zip(host.split_once('.'))
                    .is_some_and(|(n, (_, h))| n.eq_ignore_ascii_case(h))
        })
    }
}

/// Version and cipher suite of a connection, by the names at IANA: `TLSv1.3`, `TLS_AES_256_GCM_SHA384`.
#[must_use]
pub fn version_and_cipher(session: &rustls::CommonState) -> Option<(String, String)> {
    let version = session.protocol_version()?.as_str()?.replace("TLSv1_", "TLSv1.");
    let cipher = session.negotiated_cipher_suite()?.suite().as_str()?.replace("TLS13_", "TLS_");
    Some((version, cipher))
}

fn dns_name(name: &x509_parser::extensions::GeneralName<'_>) -> Option<String> {
    match name {
        x509_parser::extensions::GeneralName::DNSName(name) => Some((*name).to_owned()),
        _ => None,
    }
}

fn read_chain(path: &Path) -> Result<Vec<CertificateDer<'static>>, TlsError> {
    let chain = CertificateDer::pem_file_iter(path).and_then(Iterator::collect::<Result<Vec<_>, _>>);
    let chain: Vec<CertificateDer<'static>> = chain.map_err(|error| file_error(path, error))?;
    if chain.is_empty() {
        return Err(file_error(path, "holds no certificate"));
    }
    Ok(chain)
}

fn file_error(path: &Path, cause: impl std::fmt::Display) -> TlsError {
    TlsError::File { path: path.to_owned(), cause: cause.to_string() }
}

/// The configured files, or ours.
fn files(config: &Config) -> Result<TlsFiles, TlsError> {
    if let Some(files) = &config.smtp.tls {
        return Ok(files.clone());
    }
    let directory = config.data_dir.join("tls");
    let files = TlsFiles { cert: directory.join("smtp.crt"), key: directory.join("smtp.key") };
    if !files.cert.exists() {
        make_self_signed(&directory, &files, &config.smtp.hostname)?;
    }
    Ok(files)
}

/// The key is written before the certificate, so that a certificate never stands without its key; both by rename.
fn make_self_signed(directory: &Path, files: &TlsFiles, hostname: &str) -> Result<(), TlsError> {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_self_signed_certificate_is_made_once_and_kept() {
        let directory = std::env::temp_dir().join(format!("posthouse-tls-{}", std::process::id()));
        let mut config = Config::loopback();
        config.data_dir.clone_from(&directory);
        config.smtp.hostname = "mx.example.com".to_owned();
        server_config(&config).expect("made");
        let first = std::fs::read(directory.join("tls/smtp.crt")).expect("written");
        server_config(&config).expect("read");
        assert_eq!(std::fs::read(directory.join("tls/smtp.crt")).expect("kept"), first);
        let facts = facts(&config).expect("readable");
        assert!(facts.self_signed && facts.covers("MX.example.com") && !facts.covers("example.com"));
        assert!(facts.expires_at > Time::parse("2035-01-01").expect("a date"));

        config.smtp.tls = Some(TlsFiles { cert: directory.join("tls/smtp.crt"), key: directory.join("tls/smtp.crt") });
        assert!(server_config(&config).is_err(), "a certificate is no key");
        config.smtp.tls = Some(TlsFiles { cert: directory.join("absent"), key: directory.join("absent") });
        assert!(server_config(&config).expect_err("absent").to_string().contains("absent"));
        let _ = std::fs::remove_dir_all(&directory);
    }

    #[test]
    fn a_judge_believes_the_authorities_it_was_given_for_the_name_and_the_time() {
        use rustls_pki_types::ServerName;
        let made = rcgen::generate_simple_self_signed(vec!["mx.example.com".to_owned()]).expect("made");
        let file = std::env::temp_dir().join(format!("posthouse-judge-{}.pem", std::process::id()));
        std::fs::write(&file, made.cert.pem()).expect("written");
        let judge = Judge::new(&Trust::File(file.clone())).expect("an authority");
        let chain = [made.cert.der().clone()];
        let name = |host: &str| ServerName::try_from(host.to_owned()).expect("a name");
        let at = |date: &str| Time::parse(date).expect("a date").seconds();
        assert!(judge.is_valid(&chain, &name("mx.example.com"), at("2026-01-01")));
        assert!(!judge.is_valid(&chain, &name("mx.example.org"), at("2026-01-01")), "another name");
        assert!(!judge.is_valid(&chain, &name("mx.example.com"), at("5000-01-01")), "past its end");
        assert!(!judge.is_valid(&[], &name("mx.example.com"), at("2026-01-01")), "nothing");
        let other = rcgen::generate_simple_self_signed(vec!["mx.example.com".to_owned()]).expect("made");
        assert!(!judge.is_valid(&[other.cert.der().clone()], &name("mx.example.com"), at("2026-01-01")), "a stranger");
        let _ = std::fs::remove_file(file);
    }

    #[test]
    fn a_wildcard_is_one_label() {
        let names = vec!["*.example.com".to_owned()];
        let facts = CertificateFacts { expires_at: Time::default(), names, self_signed: false };
        assert!(facts.covers("mx.example.com"));
        assert!(!facts.covers("a.mx.example.com") && !facts.covers("example.com"));
    }
}
