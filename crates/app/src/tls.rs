//! TLS for clients and servers. Clients use [`client_config`]. All listeners share one certificate, which the
//! [`CertificateHolder`] holds: the operator's files, an ACME certificate, or a self-signed one created once in `data_dir`.
//!
//! A self-signed certificate is enough for opportunistic TLS between servers (RFC 7435, RFC 3207 §4.1): senders that
//! don't verify it are still protected from eavesdropping. Existing files are never overwritten.

mod certificate_holder;
mod pair;
mod request;
mod self_signed;
mod stream;

use std::{path::PathBuf, sync::Arc};

use rustls::ServerConfig;

use crate::{settings::AppConfig, settings::problem::ConfigProblem};

pub use posthouse_store::tls::{CertificateTrust, CertificateVerifier, TlsClientError, client_config};

pub use crate::tls::{
    certificate_holder::CertificateHolder,
    pair::{CertificateFacts, CertificatePair, CertificatePem, CertificateSource},
    request::request,
    stream::ClientStream,
};

/// Why a certificate cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum CertificateError {
    /// A file cannot be read or written.
    #[error("{path}: {cause}")]
    File {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        cause: String,
    },
    /// The certificate is invalid or doesn't match its key.
    #[error("the certificate {cert} cannot be used: {cause}")]
    Unusable {
        /// The source of the chain.
        cert: String,
        /// What is wrong.
        cause: String,
    },
    /// The private key is invalid.
    #[error("the private key of the certificate {cert} cannot be used: {cause}")]
    Key {
        /// The source of the chain.
        cert: String,
        /// What is wrong.
        cause: String,
    },
    /// The store, which holds ACME certificates, cannot be read.
    #[error("the certificate cannot be read from the store: {0}")]
    Store(String),
}

impl CertificateError {
    /// Returns the error as a configuration problem, if it is in the files of `smtp.tls_cert` and `smtp.tls_key`.
    #[must_use]
    pub fn in_configuration(&self, config: &AppConfig) -> Option<ConfigProblem> {
        let files = config.tls.as_ref()?;
        let (key, file, cause) = match self {
            CertificateError::File { path, cause } if *path == files.key => ("smtp.tls_key", &files.key, cause),
            CertificateError::Key { cause, .. } => ("smtp.tls_key", &files.key, cause),
            CertificateError::File { cause, .. } | CertificateError::Unusable { cause, .. } => {
                ("smtp.tls_cert", &files.cert, cause)
            }
            CertificateError::Store(_) => return None,
        };
        let allowed = "it needs a certificate chain and the matching private key, in PEM";
        let problem = format!("cannot be used: {}; {allowed}", cause.trim_end_matches('.'));
        Some(ConfigProblem { key: key.to_owned(), value: Some(format!("{:?}", file.display().to_string())), problem })
    }
}

/// Returns a TLS configuration with the certificate currently in the files. Creates the self-signed certificate if none
/// is configured. Listeners use [`CertificateHolder::server_config`], which follows changes of the files.
///
/// # Errors
/// Returns an error if files cannot be read or written, or don't match.
pub fn server_config(config: &AppConfig) -> Result<Arc<ServerConfig>, CertificateError> {
    let holder = CertificateHolder::default();
    let text = read_files(config)?;
    holder.replace(text.open()?, &text);
    holder.server_config(&[]).map_err(|error| text.unusable(error))
}

/// Returns whether there is a certificate, so that [`facts`] and [`server_config`] create none. Before the first start
/// there is no self-signed one.
#[must_use]
pub fn has_certificate(config: &AppConfig) -> bool {
    config.tls.is_some() || self_signed::paths(config).cert.exists()
}

/// Returns the facts of the certificate in the files, for `posthouse check`. For an ACME certificate, use
/// [`crate::domains::certificate::stored_facts`].
///
/// # Errors
/// Returns an error if no certificate can be read.
pub fn facts(config: &AppConfig) -> Result<CertificateFacts, CertificateError> {
    Ok(read_files(config)?.open()?.facts().clone())
}

/// Reads the configured files, or the self-signed certificate, which is created if there isn't one.
///
/// # Errors
/// Returns an error if files cannot be read or written.
pub fn read_files(config: &AppConfig) -> Result<CertificatePem, CertificateError> {
    let (files, source) = match &config.tls {
        Some(files) => (files.clone(), CertificateSource::Files),
        None => (self_signed::files(config)?, CertificateSource::SelfSigned),
    };
    let read = |path: &PathBuf| std::fs::read(path).map_err(|error| file_error(path, error));
    Ok(CertificatePem {
        chain: read(&files.cert)?,
        key: read(&files.key)?,
        source,
        location: files.cert.display().to_string(),
    })
}

fn file_error(path: &std::path::Path, cause: impl std::fmt::Display) -> CertificateError {
    CertificateError::File { path: path.to_owned(), cause: cause.to_string() }
}

/// The negotiated protocol of a TLS connection.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NegotiatedTls {
    /// The protocol version.
    pub version: String,
    /// The cipher suite.
    pub cipher: String,
}

/// Returns the protocol version and cipher suite of a connection by their IANA names: `TLSv1.3`,
/// `TLS_AES_256_GCM_SHA384`.
#[must_use]
pub fn version_and_cipher(session: &rustls::CommonState) -> Option<NegotiatedTls> {
    let version = session.protocol_version()?.as_str()?.replace("TLSv1_", "TLSv1.");
    let cipher = session.negotiated_cipher_suite()?.suite().as_str()?.replace("TLS13_", "TLS_");
    Some(NegotiatedTls { version, cipher })
}

#[cfg(test)]
mod tests {
    use posthouse_domain::time::Time;

    use super::*;
    use crate::settings::TlsFiles;

    #[test]
    fn self_signed_certificate_is_created_once_and_kept() {
        let directory = std::env::temp_dir().join(format!("posthouse-tls-{}", std::process::id()));
        let mut config = crate::settings::fixture::settings();
        config.data_dir.clone_from(&directory);
        config.hostname = "mx.example.com".to_owned();
        server_config(&config).expect("made");
        let first = std::fs::read(directory.join("tls/smtp.crt")).expect("written");
        server_config(&config).expect("read");
        assert_eq!(std::fs::read(directory.join("tls/smtp.crt")).expect("kept"), first);
        std::fs::remove_file(directory.join("tls/smtp.crt")).expect("interrupted after the key");
        server_config(&config).expect("created for the existing key");
        let facts = facts(&config).expect("readable");
        assert!(facts.self_signed() && facts.covers("MX.example.com") && !facts.covers("example.com"));
        assert!(facts.expires_at > Time::parse("2035-01-01").expect("a date"));

        config.tls = Some(TlsFiles { cert: directory.join("tls/smtp.crt"), key: directory.join("tls/smtp.crt") });
        assert!(server_config(&config).is_err(), "a certificate is not a key");
        config.tls = Some(TlsFiles { cert: directory.join("absent"), key: directory.join("absent") });
        assert!(server_config(&config).expect_err("absent").to_string().contains("absent"));
        let _ = std::fs::remove_dir_all(&directory);
    }

    #[test]
    fn verifier_accepts_its_authorities_for_the_name_and_time() {
        use rustls_pki_types::ServerName;
        let made = rcgen::generate_simple_self_signed(vec!["mx.example.com".to_owned()]).expect("made");
        let file = std::env::temp_dir().join(format!("posthouse-judge-{}.pem", std::process::id()));
        std::fs::write(&file, made.cert.pem()).expect("written");
        let verifier = CertificateVerifier::new(&CertificateTrust::RootsFile(file.clone())).expect("an authority");
        let chain = [made.cert.der().clone()];
        let name = |host: &str| ServerName::try_from(host.to_owned()).expect("a name");
        let at = |date: &str| Time::parse(date).expect("a date").seconds();
        assert!(verifier.is_valid(&chain, &name("mx.example.com"), at("2026-01-01")));
        assert!(!verifier.is_valid(&chain, &name("mx.example.org"), at("2026-01-01")), "another name");
        assert!(!verifier.is_valid(&chain, &name("mx.example.com"), at("5000-01-01")), "expired");
        assert!(!verifier.is_valid(&[], &name("mx.example.com"), at("2026-01-01")), "nothing");
        let other = rcgen::generate_simple_self_signed(vec!["mx.example.com".to_owned()]).expect("made");
        assert!(
            !verifier.is_valid(&[other.cert.der().clone()], &name("mx.example.com"), at("2026-01-01")),
            "unknown authority"
        );
        let _ = std::fs::remove_file(file);
    }
}
