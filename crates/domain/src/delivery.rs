//! What becomes of sent mail at its recipients: routes, outcomes, retries, expiry, suppression (decision 19; RFC 5321 §4.5.4, §5).
//!
//! Pure: answers of DNS and of remote servers are passed in, as are the time and the schedule. Nothing here waits.

mod greylist;
mod guard;
mod route;
mod schedule;
#[cfg(test)]
mod tests;

use posthouse_mail::{
    bounce::{self, Class, Said},
    smtp::client::{ConnectionFailure, DeliveryResult, RecipientOutcome, Stage},
};

use crate::{
    message::{Delivery, DeliveryStatus, TlsUse},
    time::Time,
};

pub use greylist::{gap_ms, looks_greylisted, was_greylisted};
pub use guard::is_special_purpose;
pub use route::{HOSTS_MAX, IpChoice, NoRoute, addresses_in_order, exchangers};
pub use schedule::{End, gap_after, next_attempt};

/// Most characters of a server's words that a delivery entry keeps.
pub const DETAIL_CHARS_MAX: usize = 1_000;

/// What the delivery entry of captured mail says.
pub const CAPTURED: &str = "captured: kept on this machine, nothing left it";

/// How mail leaves (`delivery.mode`).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Means {
    /// To the mail exchangers of the destination: their 250 is the delivery.
    Direct,
    /// To one relay: its 250 says that the mail left us, and no more.
    Relay,
    /// Not at all: it is kept and shown.
    Capture,
}

/// The host that the last attempt ended at without a reply: it was not reached, or the connection was lost. Where it was lost
/// within the text nobody else is asked at once, for the message may have been taken: then others are asked first next time.
#[must_use]
pub fn broke_off_at(entry: &Delivery) -> Option<&str> {
    let remote = entry.remote.as_deref().filter(|_| entry.attempts > 0 && entry.smtp_code.is_none())?;
    remote.split_once(' ').map(|(host, _)| host)
}

/// What an attempt came to for one recipient.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Report {
    /// Whether it was taken, and if not, whether to try again.
    pub result: DeliveryResult,
    /// The reply code that decided; none where no reply did.
    pub smtp_code: Option<u16>,
    /// The enhanced status code (RFC 3463).
    pub enhanced_code: Option<String>,
    /// The server's words, or a sentence of this side.
    pub text: String,
    /// Where it was decided.
    pub stage: Stage,
    /// The server that was spoken to.
    pub remote: Option<String>,
    /// How that was encrypted.
    pub tls: Option<TlsUse>,
    /// What stood in the way is on this side, and says nothing of the recipient or of the recipient's server: our resolver,
    /// our relay or our login there, a key, the blob store.
    pub is_ours: bool,
}

impl Report {
    /// A decision of this side, before any server was spoken to.
    #[must_use]
    pub fn local(result: DeliveryResult, enhanced_code: &str, text: impl Into<String>) -> Self {
        Self {
            result,
            smtp_code: None,
            enhanced_code: Some(enhanced_code.to_owned()),
            text: text.into(),
            stage: Stage::Local,
            remote: None,
            tls: None,
            is_ours: false,
        }
    }

    /// A trouble of this side, which somebody can mend: the mail waits for that.
    #[must_use]
    pub fn own_trouble(enhanced_code: &str, text: impl Into<String>) -> Self {
        Self { is_ours: true, ..Self::local(DeliveryResult::Temporary, enhanced_code, text) }
    }

    /// What a server said about the recipient.
    #[must_use]
    pub fn of_outcome(outcome: &RecipientOutcome, remote: &str) -> Self {
        Self {
            result: outcome.result,
            smtp_code: outcome.smtp_code,
            enhanced_code: outcome.enhanced_code.clone(),
            text: outcome.text.clone(),
            stage: outcome.stage,
            remote: Some(remote.to_owned()),
            tls: None,
            is_ours: false,
        }
    }

    /// What a connection that failed means for a recipient. `permanent` where every server of the destination said 5yz.
    #[must_use]
    pub fn of_failure(failure: &ConnectionFailure, remote: &str, permanent: bool) -> Self {
        Self {
            result: if permanent { DeliveryResult::Permanent } else { DeliveryResult::Temporary },
            smtp_code: failure.code,
            enhanced_code: failure.enhanced_code.clone(),
            text: failure.text.clone(),
            stage: failure.stage,
            remote: Some(remote.to_owned()),
            tls: None,
            // Nothing was asked of the server yet: this machine could not even begin.
            is_ours: failure.stage == Stage::Local,
        }
    }
}

impl Report {
    /// Why it was not taken, as one word.
    #[must_use]
    pub fn class(&self) -> Class {
        let enhanced = self.enhanced_code.as_deref();
        bounce::classify(&Said { code: self.smtp_code, enhanced, words: &self.text, stage: Some(self.stage) })
    }
}

/// Whether a bounce is the recipient's server's last word.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BounceKind {
    /// The server, or DNS, said that it will never work.
    Hard,
    /// It could have worked and did not until the end of the schedule, or it may another day: a full mailbox, too much at once.
    Soft,
}

impl BounceKind {
    /// The `type` of a bounce on the wire.
    #[must_use]
    pub const fn text(self) -> &'static str {
        match self {
            Self::Hard => "hard",
            Self::Soft => "soft",
        }
    }
}

/// What is next for a recipient.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fate {
    /// It left us, or was delivered.
    Left,
    /// Try again.
    Waits,
    /// It was given up by our own inability: nothing is known against the recipient.
    Failed,
    /// It failed for good; whether nothing more is to be sent to that address.
    Bounced {
        /// Whose fault it was.
        kind: BounceKind,
        /// The address is one that does not work: suppress it.
        suppress: bool,
    },
}

/// The circumstances of an attempt.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Moment {
    /// Now.
    pub now: Time,
    /// When trying ends.
    pub end: End,
    /// How it left.
    pub means: Means,
}

/// Writes what an attempt came to into the recipient's entry.
#[must_use]
pub fn settle(before: &Delivery, report: &Report, moment: &Moment) -> (Delivery, Fate) {
    let mut after = before.clone();
    after.attempts += 1;
    after.updated_at = moment.now;
    after.smtp_code = report.smtp_code;
    after.enhanced_code.clone_from(&report.enhanced_code);
    after.remote.clone_from(&report.remote);
    after.tls.clone_from(&report.tls);
    after.detail = Some(report.text.chars().take(DETAIL_CHARS_MAX).collect::<String>()).filter(|text| !text.is_empty());
    after.class = None;
    let class = report.class();
    let is_last = moment.end.is_reached(after.attempts, moment.now);
    let fate = match report.result {
        DeliveryResult::Delivered => {
            after.status = if moment.means == Means::Direct { DeliveryStatus::Delivered } else { DeliveryStatus::Sent };
            Fate::Left
        }
        DeliveryResult::Permanent => {
            after.status = DeliveryStatus::Bounced;
            after.class = Some(class);
            let kind =
                if class.is_passing() && report.stage != Stage::Local { BounceKind::Soft } else { BounceKind::Hard };
            Fate::Bounced { kind, suppress: suppresses(report, class) }
        }
        DeliveryResult::Temporary if is_last && report.is_ours => {
            after.status = DeliveryStatus::Failed;
            after.detail = Some(tried("not sent: given up after", after.attempts, &report.text));
            after.class = Some(Class::System);
            Fate::Failed
        }
        DeliveryResult::Temporary if is_last => {
            after.status = DeliveryStatus::Bounced;
            after.enhanced_code = Some("5.4.7".to_owned());
            after.detail = Some(tried("expired: not delivered in", after.attempts, &report.text));
            after.class = Some(Class::Expired);
            Fate::Bounced { kind: BounceKind::Soft, suppress: false }
        }
        DeliveryResult::Temporary => {
            after.status = DeliveryStatus::Queued;
            after.class = Some(class);
            Fate::Waits
        }
    };
    (after, fate)
}

fn tried(what: &str, attempts: u32, last_words: &str) -> String {
    let attempts = if attempts == 1 { "1 attempt".to_owned() } else { format!("{attempts} attempts") };
    let text = format!("{what} {attempts}; the last one: {last_words}");
    text.chars().take(DETAIL_CHARS_MAX).collect()
}

/// Whether a failure for good says that the address does not work, so that nothing more should be sent there. Refusals of the
/// sender, the content or the size never do: they would shut out people who can be reached. Nor does a code of policy, whatever
/// the words beside it: filters call everybody unknown.
#[must_use]
pub fn is_dead(class: Class, enhanced_code: Option<&str>) -> bool {
    class.is_dead_address() && !enhanced_code.is_some_and(|code| code.starts_with("5.7."))
}

/// [`is_dead`], of a reply. Without an enhanced code a refusal after the text may be one of the text.
fn suppresses(report: &Report, class: Class) -> bool {
    let about_recipient = report.enhanced_code.is_some() || report.stage == Stage::RcptTo;
    about_recipient && is_dead(class, report.enhanced_code.as_deref())
}

/// Whether a relay's refusal is about our own login or rights there: then it is for the operator to mend, and no reason to
/// give the mail up.
#[must_use]
pub fn blames_relay_settings(outcome: &RecipientOutcome) -> bool {
    let says = outcome.text.to_ascii_lowercase();
    let early = matches!(outcome.stage, Stage::MailFrom | Stage::RcptTo | Stage::Data);
    let login = matches!(outcome.smtp_code, Some(530 | 534 | 535 | 538));
    early && (login || (matches!(outcome.smtp_code, Some(550 | 551 | 553 | 554)) && says.contains("relay")))
}
