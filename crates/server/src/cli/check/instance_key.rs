//! Whether the instance key is that of the store. Makes none.

use super::Finding;
use crate::app::{
    App,
    signing::{
        self, InstanceKeyError, SigningError,
        key_file::{self, KeyFile, Standing},
    },
};

pub(super) async fn check(app: &App) -> Finding {
    let place = match app.config.instance_key {
        Some(_) => "the setting instance_key".to_owned(),
        None => KeyFile::of(app).path().display().to_string(),
    };
    let standing = match key_file::standing(app).await {
        Ok(standing) => standing,
        Err(error) => return failed(&error),
    };
    match standing {
        Standing::Absent => Finding::ok("instance key: none yet, nothing is sealed; the first start makes one"),
        Standing::Unused => Finding::ok(format!("instance key: {place}; nothing is sealed yet")),
        Standing::Next => Finding::warning(
            "instance key: a rotation was cut off behind its commit",
            "nothing is lost; the next start ends it",
        ),
        // The start opens the keys that sign mail, so they are opened here too.
        Standing::Noted | Standing::Opens => match signing::existing(app).await {
            Ok(_) => Finding::ok(format!("instance key: {place} is that of the store")),
            Err(error) => failed(&error),
        },
    }
}

fn failed(error: &SigningError) -> Finding {
    let advice = match error {
        SigningError::InstanceKey(InstanceKeyError::Missing { .. } | InstanceKeyError::WrongKey) => {
            "a new key would open nothing"
        }
        SigningError::InstanceKey(InstanceKeyError::Malformed { .. }) => "bring back the instance key of this store",
        SigningError::InstanceKey(InstanceKeyError::File { .. }) => "let the user of the service read it",
        SigningError::InstanceKey(InstanceKeyError::Crypto) | SigningError::Key(_) | SigningError::Store(_) => {
            "check the database, then try again"
        }
    };
    Finding::failed(format!("instance key: {error}"), advice)
}
