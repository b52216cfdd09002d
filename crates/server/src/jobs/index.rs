//! Keeps the full-text index near what is stored. While mail keeps coming in or going out it lets some wait; when there is a
//! quiet second it indexes all of it. A search never depends on it: it brings its workspace up to date itself.

use std::sync::Arc;

use posthouse_domain::{
    error::{Code, Refusal},
    time::SECOND_MS,
};

use crate::{
    app::{App, index_mail},
    rush::Rush,
};

/// How long it lets mail gather, in milliseconds. When nothing came in meanwhile and little was written, it is quiet.
const GATHER_MS: i64 = SECOND_MS;

/// Runs until the process ends.
pub async fn run(app: Arc<App>) {
    let mut waiter = app.store.wakes().subscribe_any();
    let mut before = 0;
    let mut rush = Rush::watch(&app);
    loop {
        let is_rush = rush.is_on(&app);
        match index_mail::lag(&app).await {
            // The wake is used up, and what it stood for is not looked at yet.
            Err(refusal) => put_off("look at the index", &refusal),
            Ok(0) => {
                before = 0;
                tokio::select! {
                    () = app.life.drained() => return,
                    () = waiter.changed() => {}
                }
            }
            Ok(lag) => {
                if let Err(refusal) = index_mail::work_off(&app, lag == before && !is_rush).await {
                    put_off("indexing", &refusal);
                }
                before = lag;
            }
        }
        tokio::select! {
            () = app.life.drained() => return,
            () = app.clock.sleep_until(app.clock.now().plus_ms(GATHER_MS)) => {}
        }
    }
}

/// An outage of the store is told by the store itself.
fn put_off(what: &'static str, refusal: &Refusal) {
    if refusal.code != Code::Unavailable {
        tracing::warn!(what, cause = refusal.message, "put_off");
    }
}
