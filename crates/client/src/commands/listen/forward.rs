//! `posthouse listen --forward-to`: posts events to a local server with the signatures of a webhook.

use hyper::Method;
use serde_json::{Value, json};
use url::Url;

use crate::{
    clock::{self, Stopwatch},
    commands::tail::{SubscriptionOptions, report, summary},
    error::ClientError,
    http::{Http, HttpRequest},
    session::Session,
    signature::WebhookSecret,
    stream::{EventStream, StreamItem},
};

/// Where events go, and what signs them.
pub(crate) struct Receiver {
    http: Http,
    target: String,
    url: String,
    secret: WebhookSecret,
}

impl Receiver {
    /// Reads the URL of a receiver.
    ///
    /// # Errors
    /// Fails if it is no URL.
    pub(crate) fn new(url: &str, secret: Option<String>) -> Result<Self, ClientError> {
        let wrong =
            || ClientError::Usage("--forward-to must be a URL such as http://127.0.0.1:3000/hooks/mail".to_owned());
        let mut base = Url::parse(url).map_err(|_| wrong())?;
        if !matches!(base.scheme(), "http" | "https") || base.host_str().is_none() || !base.username().is_empty() {
            return Err(wrong());
        }
        let target = match base.query() {
            Some(query) => format!("{}?{query}", base.path()),
            None => base.path().to_owned(),
        };
        base.set_path("");
        base.set_query(None);
        base.set_fragment(None);
        Ok(Self { http: Http::new(base)?, target, url: url.to_owned(), secret: WebhookSecret::new(secret)? })
    }

    /// Returns the secret, to be shown once.
    pub(crate) fn secret(&self) -> &str {
        self.secret.reveal()
    }

    /// Posts an event and returns the status.
    async fn post(&self, event: &Value) -> Result<u16, ClientError> {
        let body = event.to_string();
        let id = event["id"].as_str().unwrap_or_default();
        let timestamp = clock::unix_seconds();
        let signatures = self.secret.sign(id, timestamp, body.as_bytes());
        let timestamp = timestamp.to_string();
        let request = HttpRequest::new(Method::POST, self.target.clone())
            .with_header("x-service-timestamp", &timestamp)?
            .with_header("x-service-signature", &signatures.service)?
            .with_header("webhook-id", id)?
            .with_header("webhook-timestamp", &timestamp)?
            .with_header("webhook-signature", &signatures.standard)?
            .with_header("user-agent", concat!("Posthouse/", env!("CARGO_PKG_VERSION"), " (webhooks)"))?
            .with_body("application/json", body);
        Ok(self.http.send(request).await?.status)
    }
}

/// Posts events until the count is reached.
pub(super) async fn run(
    session: &Session,
    receiver: Receiver,
    subscription: SubscriptionOptions,
    count: Option<u64>,
) -> Result<(), ClientError> {
    let api = session.api()?;
    let mut stream = EventStream::new(&api, subscription.resolve(&api).await?);
    session.output.note(&format!("Signing secret: {}", receiver.secret()));
    session.output.note(&format!("Posting events to {}. Stop with Ctrl-C.", receiver.url));
    let mut left = count.unwrap_or(u64::MAX);
    while left > 0 {
        match stream.next().await? {
            StreamItem::Event(event) => {
                // A receiver that fails doesn't end the command: it may be restarting.
                forward(session, &receiver, &event).await?;
                left -= 1;
            }
            other => report(session, &other),
        }
    }
    Ok(())
}

/// Posts one event, prints the result, and returns whether the receiver accepted it (2xx).
///
/// # Errors
/// Fails if the output can't be written.
pub(crate) async fn forward(session: &Session, receiver: &Receiver, event: &Value) -> Result<bool, ClientError> {
    let watch = Stopwatch::start();
    let done = receiver.post(event).await;
    let duration_ms = watch.elapsed_ms();
    let (status, error) = match done {
        Ok(status) => (Some(status), None),
        Err(error) => (None, Some(format!("cannot reach {}: {}", receiver.url, short(&error)))),
    };
    let is_accepted = status.is_some_and(|status| (200..300).contains(&status));
    if session.output.is_table_view() {
        let result = match (status, &error) {
            (Some(status), _) => format!("{status} in {duration_ms} ms"),
            (None, error) => error.clone().unwrap_or_default(),
        };
        session.output.line(&format!("{}  -> {result}", summary(event)))?;
        return Ok(is_accepted);
    }
    let line = json!({
        "event_id": event["id"], "event_type": event["type"], "response_status": status, "error": error,
        "duration_ms": u64::try_from(duration_ms).unwrap_or(u64::MAX),
    });
    session.output.items(&[line], &[])?;
    Ok(is_accepted)
}

/// Returns the cause of an error without the advice for the API server.
fn short(error: &ClientError) -> String {
    let text = error.to_string();
    match (text.find('('), text.rfind(')')) {
        (Some(from), Some(to)) if from < to => text[from + 1..to].to_owned(),
        _ => text,
    }
}
