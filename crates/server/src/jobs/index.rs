//! Keeps the full-text index near what is stored. While mail keeps coming in or going out it lets some wait; when there is a
//! quiet second it indexes all of it. A search never depends on it: it brings its workspace up to date itself.

use std::sync::Arc;

use posthouse_domain::time::SECOND_MS;

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
        let lag = match index_mail::lag(&app).await {
            Ok(lag) => lag,
            Err(refusal) => {
                tracing::warn!(cause = refusal.message, "index not looked at");
                before
            }
        };
        if lag == 0 {
            tokio::select! {
                () = app.life.drained() => return,
                () = waiter.changed() => {}
            }
        } else if let Err(refusal) = index_mail::work_off(&app, lag == before && !is_rush).await {
            tracing::warn!(cause = refusal.message, "mail not indexed");
        }
        before = lag;
        tokio::select! {
            () = app.life.drained() => return,
            () = app.clock.sleep_until(app.clock.now().plus_ms(GATHER_MS)) => {}
        }
    }
}
