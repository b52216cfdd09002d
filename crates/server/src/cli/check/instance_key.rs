//! Checks that the instance key belongs to the store. It creates no key.

use super::Finding;
use posthouse_app::{
    domains::dkim,
    keyring::signer::SigningError,
    keyring::{
        instance_key::InstanceKeyError,
        key_file::KeyFile,
        proof::{self, KeyStatus},
    },
    service::Service,
};

pub(super) async fn check(service: &Service) -> Finding {
    let location = match service.config.instance_key {
        Some(_) => "the setting instance_key".to_owned(),
        None => KeyFile::of(&service.config).path().display().to_string(),
    };
    let status = match proof::status(service).await {
        Ok(status) => status,
        Err(error) => return failed(&error),
    };
    match status {
        KeyStatus::Absent => {
            Finding::ok("instance key: none yet and nothing is encrypted; the first start creates one")
        }
        KeyStatus::Unused => Finding::ok(format!("instance key: {location}; nothing is encrypted yet")),
        KeyStatus::RotationInterrupted => Finding::warning(
            "instance key: a rotation was interrupted after its commit",
            "nothing is lost; the next start completes it",
        ),
        // A start decrypts the DKIM keys, so the check does too.
        KeyStatus::Proven | KeyStatus::Unproven => match dkim::existing_records(service).await {
            Ok(_) => Finding::ok(format!("instance key: {location} belongs to this store")),
            Err(error) => failed(&error),
        },
    }
}

fn failed(error: &SigningError) -> Finding {
    let advice = match error {
        SigningError::InstanceKey(InstanceKeyError::Missing { .. } | InstanceKeyError::WrongKey) => {
            "restore the instance key of this store; a new key can't decrypt anything"
        }
        SigningError::InstanceKey(InstanceKeyError::Malformed { .. }) => "restore the instance key of this store",
        SigningError::InstanceKey(InstanceKeyError::File { .. }) => "make it readable for the user of the service",
        SigningError::InstanceKey(InstanceKeyError::Crypto)
        | SigningError::Key(_)
        | SigningError::ServiceKey(_)
        | SigningError::NoKey(_)
        | SigningError::Store(_) => "check the database, then try again",
    };
    Finding::failed(format!("instance key: {error}"), advice)
}
