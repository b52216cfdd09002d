//! Database and blob store: reachable, of our schema, writable.

use posthouse_store::{DatabaseUrl, Error, instance};

use super::{Failure, Finding, integrity};
use crate::{
    boot::{self, BootError},
    config::Config,
};

pub(super) async fn check(config: &Config, quick: bool) -> Vec<Finding> {
    let mut findings = database(config, quick).await;
    findings.push(blobs(config).await);
    findings
}

async fn database(config: &Config, quick: bool) -> Vec<Finding> {
    let place = match boot::database_url(config) {
        Ok(url) => url,
        Err(error) => {
            let advice = "give data_dir a directory that can be written";
            return vec![Finding::failed(format!("database: {error}"), advice)];
        }
    };
    let advice = match place {
        DatabaseUrl::Sqlite(_) => "check the owner of data_dir and the free space of its disk",
        DatabaseUrl::Postgres(_) => "check database_url and that the server takes connections",
    };
    let store = match boot::open_store(config) {
        Ok(store) => store,
        Err(BootError::Damaged(cause)) => return vec![damaged(&place, &cause)],
        Err(error @ (BootError::Gone { .. } | BootError::OtherStore { .. })) => {
            return vec![Finding::failed(format!("database: {error}"), "")];
        }
        Err(error) => return vec![Finding::failed(format!("database: {place}: {error}"), advice)],
    };
    let probed = instance::probe(&store).await;
    let lost = integrity::commits(&store).await;
    boot::close(store).await;
    let mut findings = vec![match probed {
        Ok(()) => Finding::ok(format!("database: {place} is up to date and can be written")),
        Err(Error::Corrupt(cause) | Error::Damaged(cause)) => damaged(&place, &cause),
        Err(error) => Finding::failed(format!("database: {place}: {}", told(&error)), advice),
    }];
    findings.extend(lost);
    if !quick {
        findings.extend(integrity::database(&place));
    }
    findings
}

fn damaged(place: &DatabaseUrl, cause: &str) -> Finding {
    let advice = match place {
        DatabaseUrl::Sqlite(_) => {
            "stop the service, keep data_dir, and restore a backup into a new one: posthouse restore FILE"
        }
        DatabaseUrl::Postgres(_) => "stop the service and restore a backup of the database",
    };
    Finding::failed(format!("database: {place}: it is damaged ({cause})"), advice)
}

async fn blobs(config: &Config) -> Finding {
    let place = config.blob_url.clone().unwrap_or_else(|| format!("{}/blobs", config.data_dir.display()));
    let advice = "check blob_url, its credentials and the free space";
    let blobs = match boot::open_blobs(config) {
        Ok(blobs) => blobs,
        Err(error) => return Finding::failed(format!("blob store: {place}: {error}"), advice),
    };
    // The sweep of unnamed blobs takes it away if the check is cut short.
    let bytes = boot::clock().ids().next::<uuid::Uuid>().as_bytes().to_vec();
    match blobs.probe(bytes.into()).await {
        Ok(()) => Finding::ok(format!("blob store: {place} can be written and read")),
        Err(error) => Finding::failed(format!("blob store: {place}: {}", told(&error)), advice),
    }
}

/// The error with its cause, for the operator.
pub(super) fn told(error: &Error) -> String {
    match Failure::from(error.clone()) {
        Failure::Failed(text) | Failure::Usage(text) => text,
    }
}
