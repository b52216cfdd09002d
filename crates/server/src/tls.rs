//! TLS on both sides. As a client, see [`client_config`]. As a server there is one certificate for all listeners, which the
//! [`Keeper`] holds: the operator's files, one by ACME, or a self-signed one that is made once in `data_dir`.
//!
//! A self-signed certificate is enough for opportunistic TLS between servers (RFC 7435, RFC 3207 §4.1): senders that
//! verify nothing are still safe from listeners. Files that exist are never overwritten.

mod keeper;
mod own;
mod pair;
mod request;
mod stream;

use std::{path::PathBuf, sync::Arc};

pub use posthouse_store::tls::{Judge, TlsError as ClientTlsError, Trust, client_config};
use rustls::ServerConfig;

pub use self::{
    keeper::Keeper,
    pair::{CertificateFacts, Pair, PairText, Source},
    request::request,
    stream::Stream,
};
use crate::config::{Config, Problem};

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
    #[error("the certificate {cert} cannot be used: {cause}")]
    Unusable {
        /// Where the chain is.
        cert: String,
        /// What is wrong.
        cause: String,
    },
    /// The key alone.
    #[error("the private key of the certificate {cert} cannot be used: {cause}")]
    Key {
        /// Where the chain is.
        cert: String,
        /// What is wrong.
        cause: String,
    },
    /// The store, where certificates by ACME are.
    #[error("the certificate cannot be read from the store: {0}")]
    Store(String),
}

impl TlsError {
    /// The problem as one of the configuration, where it is in the files that `smtp.tls_cert` and `smtp.tls_key` name.
    #[must_use]
    pub fn in_configuration(&self, config: &Config) -> Option<Problem> {
        let files = config.smtp.tls.as_ref()?;
        let (key, file, cause) = match self {
            TlsError::File { path, cause } if *path == files.key => ("smtp.tls_key", &files.key, cause),
            TlsError::Key { cause, .. } => ("smtp.tls_key", &files.key, cause),
            TlsError::File { cause, .. } | TlsError::Unusable { cause, .. } => ("smtp.tls_cert", &files.cert, cause),
            TlsError::Store(_) => return None,
        };
        let allowed = "a certificate chain and the private key that belongs to it, in PEM, are wanted";
        let problem = format!("cannot be used: {}; {allowed}", cause.trim_end_matches('.'));
        Some(Problem { key: key.to_owned(), value: Some(format!("{:?}", file.display().to_string())), problem })
    }
}

/// TLS with the certificate of the files, as they are now. Makes the self-signed certificate where none is configured and none
/// was made before. Listeners use the [`Keeper`]'s, which follows the files.
///
/// # Errors
/// When files cannot be read or written, or do not belong together.
pub fn server_config(config: &Config) -> Result<Arc<ServerConfig>, TlsError> {
    let keeper = Keeper::default();
    let text = read_files(config)?;
    keeper.take(text.open()?, &text);
    keeper.server_config(&[]).map_err(|error| text.unusable(error))
}

/// Facts of the certificate in the files, for `posthouse check`. One by ACME is in the store:
/// [`crate::app::keep_certificate::stored_facts`].
///
/// # Errors
/// When there is none that can be read.
pub fn facts(config: &Config) -> Result<CertificateFacts, TlsError> {
    Ok(read_files(config)?.open()?.facts().clone())
}

/// Reads the configured files, or the self-signed certificate, which is made first where there is none.
///
/// # Errors
/// When files cannot be read or written.
pub fn read_files(config: &Config) -> Result<PairText, TlsError> {
    let (files, source) = match &config.smtp.tls {
        Some(files) => (files.clone(), Source::Files),
        None => (own::files(config)?, Source::SelfSigned),
    };
    let read = |path: &PathBuf| std::fs::read(path).map_err(|error| file_error(path, error));
    Ok(PairText { chain: read(&files.cert)?, key: read(&files.key)?, source, place: files.cert.display().to_string() })
}

fn file_error(path: &std::path::Path, cause: impl std::fmt::Display) -> TlsError {
    TlsError::File { path: path.to_owned(), cause: cause.to_string() }
}

/// Version and cipher suite of a connection, by the names at IANA: `TLSv1.3`, `TLS_AES_256_GCM_SHA384`.
#[must_use]
pub fn version_and_cipher(session: &rustls::CommonState) -> Option<(String, String)> {
    let version = session.protocol_version()?.as_str()?.replace("TLSv1_", "TLSv1.");
    let cipher = session.negotiated_cipher_suite()?.suite().as_str()?.replace("TLS13_", "TLS_");
    Some((version, cipher))
}

#[cfg(test)]
mod tests {
    use posthouse_domain::time::Time;

    use super::*;
    use crate::config::TlsFiles;

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
        std::fs::remove_file(directory.join("tls/smtp.crt")).expect("cut off behind the key");
        server_config(&config).expect("made for the key that is there");
        let facts = facts(&config).expect("readable");
        assert!(facts.self_signed() && facts.covers("MX.example.com") && !facts.covers("example.com"));
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
}
