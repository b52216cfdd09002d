//! The ACME client (RFC 8555), which implements [`AcmeClient`]: registers accounts, and orders certificates with
//! HTTP-01.
//!
//! An order is never repeated here and polls a limited number of times. The caller stores its result. It uses the
//! system clock, because it waits for the authority.

mod http;

use std::{path::PathBuf, sync::Arc};

use instant_acme::{
    Account, AccountCredentials, AuthorizationStatus, ChallengeType, Error, ExternalAccountKey, Identifier, NewAccount,
    NewOrder, Order, OrderStatus, Problem,
};

use super::clock::SystemClock;
use crate::adapters::acme::http::Transport;
use posthouse_app::ports::{
    AcmeClient, AcmeError, AcmeErrorKind, BoxFuture, CertificateOrder, Challenge, Clock, OutboundHttp, Registration,
};

/// Maximum polls of an order.
const POLLS_MAX: i64 = 30;
/// Wait before the first poll, in milliseconds; each further wait is longer by as much, up to [`POLL_MS_MAX`].
const POLL_MS: i64 = 250;
/// Maximum wait between polls, in milliseconds. It ends an order within two minutes.
const POLL_MS_MAX: i64 = 5_000;

/// The ACME client of the process.
pub struct InstantAcmeClient {
    http: Arc<dyn OutboundHttp>,
}

impl InstantAcmeClient {
    /// Creates a client that sends its requests with `http`.
    #[must_use]
    pub fn new(http: Arc<dyn OutboundHttp>) -> Self {
        Self { http }
    }

    fn transport(&self, root: Option<PathBuf>) -> Transport {
        Transport::new(Arc::clone(&self.http), root)
    }

    async fn register(&self, new: Registration) -> Result<String, AcmeError> {
        let transport = self.transport(new.root);
        let contact: Vec<String> = new.email.iter().map(|email| format!("mailto:{email}")).collect();
        let contact: Vec<&str> = contact.iter().map(String::as_str).collect();
        let account = NewAccount { contact: &contact, terms_of_service_agreed: true, only_return_existing: false };
        let external = new.external.map(|(id, key)| ExternalAccountKey::new(id, &key));
        let builder = Account::builder_with_http(Box::new(transport.clone()));
        let made = builder.create(&account, new.directory, external.as_ref()).await;
        let (_, credentials) = made.map_err(|error| transport.declined(&error))?;
        serde_json::to_string(&credentials).map_err(|error| transport.declined(&Error::Json(error)))
    }

    async fn order(&self, wanted: CertificateOrder) -> Result<String, AcmeError> {
        let transport = self.transport(wanted.root.clone());
        let done = self.run_order(&transport, wanted).await;
        done.map_err(|ended| match ended {
            OrderError::Acme(error) => transport.declined(&error),
            OrderError::Declined(declined) => declined,
        })
    }

    async fn run_order(&self, transport: &Transport, wanted: CertificateOrder) -> Result<String, OrderError> {
        let credentials: AccountCredentials = serde_json::from_str(&wanted.credentials.0).map_err(Error::Json)?;
        let builder = Account::builder_with_http(Box::new(transport.clone()));
        let account = builder.from_credentials(credentials).await?;
        let names: Vec<Identifier> = wanted.names.iter().cloned().map(Identifier::Dns).collect();
        let mut order = account.new_order(&NewOrder::new(&names)).await?;
        answer_challenges(&mut order, &wanted).await?;
        let status = poll(&mut order, |status| status != OrderStatus::Pending).await?;
        if !matches!(status, OrderStatus::Ready | OrderStatus::Valid | OrderStatus::Processing) {
            return Err(refused(&mut order).await);
        }
        if status == OrderStatus::Ready {
            order.finalize_csr(&wanted.csr).await?;
        }
        let status = poll(&mut order, |status| matches!(status, OrderStatus::Valid | OrderStatus::Invalid)).await?;
        if status == OrderStatus::Invalid {
            return Err(refused(&mut order).await);
        }
        order.certificate().await?.ok_or(OrderError::Acme(Error::Str("certificate of a valid order")))
    }
}

/// Why an order ended without a certificate.
enum OrderError {
    Acme(Error),
    Declined(AcmeError),
}

impl From<Error> for OrderError {
    fn from(error: Error) -> Self {
        Self::Acme(error)
    }
}

/// Publishes the challenge response for each name that isn't validated yet, and notifies the authority.
async fn answer_challenges(order: &mut Order, wanted: &CertificateOrder) -> Result<(), OrderError> {
    let mut authorizations = order.authorizations();
    while let Some(authorization) = authorizations.next().await {
        let mut authorization = authorization?;
        if authorization.status != AuthorizationStatus::Pending {
            continue;
        }
        let Some(mut challenge) = authorization.challenge(ChallengeType::Http01) else {
            let what = "the authority offers no HTTP-01 challenge for a name".to_owned();
            return Err(OrderError::Declined(AcmeError { why: AcmeErrorKind::Refused, what, retry_after_s: None }));
        };
        let answer =
            Challenge { token: challenge.token.clone(), answer: challenge.key_authorization().as_str().to_owned() };
        (wanted.publish)(answer).await.map_err(|what| {
            let what = format!("cannot store the challenge response: {what}");
            OrderError::Declined(AcmeError { why: AcmeErrorKind::Unreachable, what, retry_after_s: None })
        })?;
        challenge.set_ready().await?;
    }
    Ok(())
}

/// Polls the order until `is_over` returns true for its status.
async fn poll(order: &mut Order, is_over: impl Fn(OrderStatus) -> bool) -> Result<OrderStatus, OrderError> {
    for asked in 1..=POLLS_MAX {
        let status = order.state().status;
        if is_over(status) {
            return Ok(status);
        }
        let pause_ms = (POLL_MS * asked).min(POLL_MS_MAX);
        let clock = SystemClock::default();
        clock.sleep_until(clock.now().plus_ms(pause_ms)).await;
        order.refresh().await?;
    }
    let status = order.state().status;
    if is_over(status) {
        return Ok(status);
    }
    let what = format!("the authority did not decide in time: the order is still {status:?}").to_lowercase();
    Err(OrderError::Declined(AcmeError { why: AcmeErrorKind::Unreachable, what, retry_after_s: None }))
}

/// Collects the errors of a failed order and of its challenges.
async fn refused(order: &mut Order) -> OrderError {
    let mut errors = order.state().error.as_ref().map(words).into_iter().collect::<Vec<_>>();
    let mut authorizations = order.authorizations();
    while let Some(Ok(authorization)) = authorizations.next().await {
        let name = authorization.identifier().to_string();
        let failed = authorization.challenges.iter().filter_map(|challenge| challenge.error.as_ref());
        errors.extend(failed.map(|error| format!("{name}: {}", words(error))));
    }
    let what = if errors.is_empty() { "the order is invalid".to_owned() } else { errors.join("; ") };
    OrderError::Declined(AcmeError { why: AcmeErrorKind::Refused, what, retry_after_s: None })
}

/// Formats a problem as its type without namespace, and its details.
fn words(problem: &Problem) -> String {
    let kind = problem.r#type.as_deref().unwrap_or("error");
    let kind = kind.rsplit(':').next().unwrap_or(kind);
    let subproblems: Vec<&str> = problem.subproblems.iter().filter_map(|sub| sub.detail.as_deref()).collect();
    let detail = problem.detail.as_deref().unwrap_or_default();
    [kind, detail].into_iter().chain(subproblems).filter(|part| !part.is_empty()).collect::<Vec<_>>().join(": ")
}

impl Transport {
    fn declined(&self, error: &Error) -> AcmeError {
        let (why, what) = match error {
            Error::Api(problem) => (error_kind(problem), words(problem)),
            Error::Json(_) => (AcmeErrorKind::Unreachable, "the authority's response is not valid ACME".to_owned()),
            other => (AcmeErrorKind::Unreachable, other.to_string()),
        };
        AcmeError { why, what, retry_after_s: self.retry_after_s() }
    }
}

fn error_kind(problem: &Problem) -> AcmeErrorKind {
    match problem.r#type.as_deref().and_then(|kind| kind.strip_prefix("urn:ietf:params:acme:error:")) {
        Some("rateLimited") => AcmeErrorKind::RateLimited,
        Some("accountDoesNotExist") => AcmeErrorKind::UnknownAccount,
        Some("serverInternal" | "badNonce") => AcmeErrorKind::Unreachable,
        _ if problem.status.is_some_and(|status| status >= 500) => AcmeErrorKind::Unreachable,
        _ => AcmeErrorKind::Refused,
    }
}

impl AcmeClient for InstantAcmeClient {
    fn register(&self, new: Registration) -> BoxFuture<'_, Result<String, AcmeError>> {
        Box::pin(self.register(new))
    }

    fn order(&self, wanted: CertificateOrder) -> BoxFuture<'_, Result<String, AcmeError>> {
        Box::pin(self.order(wanted))
    }
}
