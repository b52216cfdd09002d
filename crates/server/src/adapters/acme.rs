//! A certificate authority over ACME (RFC 8555), port [`Authority`]: an account, an order, the HTTP-01 challenge of each name,
//! the certificate.
//!
//! One order is one round: it never starts another by itself, and gives up after a bounded number of questions. What it needs
//! to know it is told; what came of it is for the caller to keep. Time passes here as it does at the authority.

mod http;

use std::{path::PathBuf, sync::Arc};

use instant_acme::{
    Account, AccountCredentials, AuthorizationStatus, ChallengeType, Error, ExternalAccountKey, Identifier, NewAccount,
    NewOrder, Order, OrderStatus, Problem,
};

use self::http::Transport;
use super::clock::SystemClock;
use crate::{
    ports::{Authority, CertificateOrder, Challenge, Clock, Declined, DeclinedWhy, Dns, Pending, Registration},
    tls::Trust,
};

/// Questions about one order before it is given up.
const POLLS_MAX: i64 = 30;
/// The time before the first question, in milliseconds; each other waits so much longer, up to the most.
const POLL_MS: i64 = 250;
/// The longest time between two questions, in milliseconds: a round ends within two minutes.
const POLL_MS_MAX: i64 = 5_000;

/// Authorities that are spoken to over the network.
pub struct Authorities {
    dns: Arc<dyn Dns>,
}

impl Authorities {
    /// Looks names up there.
    #[must_use]
    pub fn new(dns: Arc<dyn Dns>) -> Self {
        Self { dns }
    }

    fn transport(&self, root: Option<PathBuf>) -> Transport {
        Transport::new(Arc::clone(&self.dns), root.map_or(Trust::Machine, Trust::File))
    }

    async fn register(&self, new: Registration) -> Result<String, Declined> {
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

    async fn order(&self, wanted: CertificateOrder) -> Result<String, Declined> {
        let transport = self.transport(wanted.root.clone());
        let done = self.round(&transport, wanted).await;
        done.map_err(|ended| match ended {
            Ended::Acme(error) => transport.declined(&error),
            Ended::Declined(declined) => declined,
        })
    }

    async fn round(&self, transport: &Transport, wanted: CertificateOrder) -> Result<String, Ended> {
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
        order.certificate().await?.ok_or(Ended::Acme(Error::Str("certificate of a valid order")))
    }
}

/// Why a round ended without a certificate.
enum Ended {
    Acme(Error),
    Declined(Declined),
}

impl From<Error> for Ended {
    fn from(error: Error) -> Self {
        Self::Acme(error)
    }
}

/// Publishes the answer for each name that has to be proved, and says that it is there.
async fn answer_challenges(order: &mut Order, wanted: &CertificateOrder) -> Result<(), Ended> {
    let mut authorizations = order.authorizations();
    while let Some(authorization) = authorizations.next().await {
        let mut authorization = authorization?;
        if authorization.status != AuthorizationStatus::Pending {
            continue;
        }
        let Some(mut challenge) = authorization.challenge(ChallengeType::Http01) else {
            let what = "the authority offers no HTTP-01 challenge for a name".to_owned();
            return Err(Ended::Declined(Declined { why: DeclinedWhy::Refused, what, retry_after_s: None }));
        };
        let answer =
            Challenge { token: challenge.token.clone(), answer: challenge.key_authorization().as_str().to_owned() };
        (wanted.publish)(answer).await.map_err(|what| {
            let what = format!("the answer to the challenge cannot be stored: {what}");
            Ended::Declined(Declined { why: DeclinedWhy::Unreachable, what, retry_after_s: None })
        })?;
        challenge.set_ready().await?;
    }
    Ok(())
}

/// Asks for the state of the order until it is one of those.
async fn poll(order: &mut Order, is_over: impl Fn(OrderStatus) -> bool) -> Result<OrderStatus, Ended> {
    for asked in 1..=POLLS_MAX {
        let status = order.state().status;
        if is_over(status) {
            return Ok(status);
        }
        let pause_ms = (POLL_MS * asked).min(POLL_MS_MAX);
        SystemClock.sleep_until(SystemClock.now().plus_ms(pause_ms)).await;
        order.refresh().await?;
    }
    let status = order.state().status;
    if is_over(status) {
        return Ok(status);
    }
    let what = format!("the authority did not decide in time: the order is still {status:?}").to_lowercase();
    Err(Ended::Declined(Declined { why: DeclinedWhy::Unreachable, what, retry_after_s: None }))
}

/// What the authority says against an order that failed: the errors of its challenges say most.
async fn refused(order: &mut Order) -> Ended {
    let mut said = order.state().error.as_ref().map(words).into_iter().collect::<Vec<_>>();
    let mut authorizations = order.authorizations();
    while let Some(Ok(authorization)) = authorizations.next().await {
        let name = authorization.identifier().to_string();
        let errors = authorization.challenges.iter().filter_map(|challenge| challenge.error.as_ref());
        said.extend(errors.map(|error| format!("{name}: {}", words(error))));
    }
    let what = if said.is_empty() { "the order is invalid".to_owned() } else { said.join("; ") };
    Ended::Declined(Declined { why: DeclinedWhy::Refused, what, retry_after_s: None })
}

/// The type without its namespace, and the words.
fn words(problem: &Problem) -> String {
    let kind = problem.r#type.as_deref().unwrap_or("error");
    let kind = kind.rsplit(':').next().unwrap_or(kind);
    let subproblems: Vec<&str> = problem.subproblems.iter().filter_map(|sub| sub.detail.as_deref()).collect();
    let detail = problem.detail.as_deref().unwrap_or_default();
    [kind, detail].into_iter().chain(subproblems).filter(|part| !part.is_empty()).collect::<Vec<_>>().join(": ")
}

impl Transport {
    fn declined(&self, error: &Error) -> Declined {
        let (why, what) = match error {
            Error::Api(problem) => (why(problem), words(problem)),
            Error::Json(_) => (DeclinedWhy::Unreachable, "the authority's answer is not one of ACME".to_owned()),
            other => (DeclinedWhy::Unreachable, other.to_string()),
        };
        Declined { why, what, retry_after_s: self.retry_after_s() }
    }
}

fn why(problem: &Problem) -> DeclinedWhy {
    match problem.r#type.as_deref().and_then(|kind| kind.strip_prefix("urn:ietf:params:acme:error:")) {
        Some("rateLimited") => DeclinedWhy::RateLimited,
        Some("accountDoesNotExist") => DeclinedWhy::UnknownAccount,
        Some("serverInternal" | "badNonce") => DeclinedWhy::Unreachable,
        _ if problem.status.is_some_and(|status| status >= 500) => DeclinedWhy::Unreachable,
        _ => DeclinedWhy::Refused,
    }
}

impl Authority for Authorities {
    fn register(&self, new: Registration) -> Pending<'_, Result<String, Declined>> {
        Box::pin(self.register(new))
    }

    fn order(&self, wanted: CertificateOrder) -> Pending<'_, Result<String, Declined>> {
        Box::pin(self.order(wanted))
    }
}
