//! One attempt: resolve and judge the address, sign, POST, judge the answer (API document, Events, rules 2 to 4).

use std::sync::Arc;

use bytes::Bytes;
use posthouse_domain::{
    time::Time,
    webhook::{Delivery, DeliveryStatus, EXCERPT_BYTES_MAX, Host, Webhook, excerpt},
};

use super::{
    Errand, seal,
    sign::{self, Secrets},
    url,
};
use crate::{
    app::App,
    ports::{HttpAnswer, Posting},
};

/// Who we are.
const USER_AGENT: &str = concat!("Posthouse/", env!("CARGO_PKG_VERSION"), " (webhooks)");

/// An attempt that has ended.
#[derive(Clone, Debug)]
pub struct Ended {
    /// What was to be done.
    pub errand: Errand,
    /// How it ended; the next attempt is not decided yet.
    pub delivery: Delivery,
    /// When it began.
    pub began_at: Time,
    /// When it ended.
    pub at: Time,
    /// A random number from 0 to 1, for the gap before the next.
    pub chance: f64,
}

/// Makes the attempt. It ends within the time limit, whatever the receiver does; without a body the event is gone.
pub async fn attempt(app: Arc<App>, webhook: Arc<Webhook>, errand: Errand, body: Option<Bytes>) -> Ended {
    let began_at = app.clock.now();
    let limit = app.config.webhooks.timeout_ms;
    let answered = match body {
        None => Err("the event is no longer in the log".to_owned()),
        Some(body) => tokio::select! {
            biased;
            answered = post(&app, &webhook, &errand, body) => answered,
            () = app.clock.sleep_until(began_at.plus_ms(limit)) => Err(format!("no whole answer within {limit} ms")),
        },
    };
    let at = app.clock.now();
    let mut random = [0; 4];
    app.clock.random(&mut random);
    let chance = f64::from(u32::from_le_bytes(random)) / f64::from(u32::MAX);
    Ended { delivery: judged(&errand, answered, at.since_ms(began_at)), errand, began_at, at, chance }
}

async fn post(app: &App, webhook: &Webhook, errand: &Errand, body: Bytes) -> Result<HttpAnswer, String> {
    let (target, addresses) = url::resolve(app, &webhook.url).await?;
    let opened = seal::open(app, webhook).map_err(|error| {
        tracing::error!(webhook_id = %webhook.id, cause = %error, "webhook.not_opened");
        "the secret of the webhook cannot be read".to_owned()
    })?;
    let now = app.clock.now();
    let old =
        webhook.old_secret_until.is_some_and(|until| now < until).then_some(opened.old_secret.as_deref()).flatten();
    let secrets = Secrets { current: &opened.secret, old };
    let mut headers: Vec<(String, String)> = vec![
        ("Host".to_owned(), target.authority),
        ("Content-Type".to_owned(), "application/json".to_owned()),
        ("User-Agent".to_owned(), USER_AGENT.to_owned()),
    ];
    let signed = sign::fields(secrets, &errand.event.to_string(), now.seconds(), &body);
    headers.extend(signed.into_iter().map(|(name, value)| (name.to_owned(), value)));
    headers.extend(opened.headers);
    let host = match target.host {
        Host::Name(name) => name,
        Host::Address(address) => address.to_string(),
    };
    let posting = Posting {
        https: target.https,
        host,
        addresses,
        path: target.path,
        headers,
        body,
        answer_bytes_max: EXCERPT_BYTES_MAX,
    };
    app.http_out.post(posting).await
}

/// The attempt as it is kept. Anything but 2xx is a failure; redirects are not followed.
fn judged(errand: &Errand, answered: Result<HttpAnswer, String>, duration_ms: i64) -> Delivery {
    let (status, error) = match &answered {
        Ok(answer) if (200..300).contains(&answer.status) => (DeliveryStatus::Succeeded, None),
        Ok(answer) if (300..400).contains(&answer.status) => {
            (DeliveryStatus::Failed, Some(format!("answered {}; redirects are not followed", answer.status)))
        }
        Ok(answer) => (DeliveryStatus::Failed, Some(format!("answered {}", answer.status))),
        Err(why) => (DeliveryStatus::Failed, Some(why.clone())),
    };
    let answer = answered.ok();
    Delivery {
        id: errand.delivery,
        webhook: errand.webhook,
        event: errand.event,
        kind: errand.kind,
        attempt: errand.attempt,
        status,
        response_status: answer.as_ref().map(|answer| answer.status),
        response_excerpt: answer.map(|answer| excerpt(&answer.body)),
        error,
        duration_ms: Some(duration_ms),
        created_at: errand.created_at,
        next_attempt_at: None,
    }
}
