//! Reports as mail systems and providers write them.

use posthouse_domain::time::Time;
use posthouse_mail::dkim::{DkimKey, DkimSignOptions};

use super::cases::{Reference, ReportCase};

/// The DKIM selector of every signing domain.
pub(super) const SELECTOR: &str = "s";

/// Builds a report about a recipient of the message with the Message-ID `about`, signed by its source.
pub(super) fn compose(case: ReportCase, about: &str, recipient: &str, key: &DkimKey, now: Time) -> Vec<u8> {
    let (_, author, signer) = case.source.identity();
    let raw = body(case.reference, author, about, recipient).replace('\n', "\r\n");
    let now_s = now.seconds();
    let sign = |domain| key.sign(raw.as_bytes(), &DkimSignOptions { domain, selector: SELECTOR, now_s }).unwrap();
    [signer.map(sign).unwrap_or_default(), raw].concat().into_bytes()
}

fn body(reference: Reference, author: &str, about: &str, recipient: &str) -> String {
    let head = format!("From: Mail System <{author}>\nTo: someone@agents.localhost\nSubject: failure notice\n");
    match reference {
        Reference::Dsn => head + &dsn(recipient, Some(about)),
        Reference::DsnReply => format!("{head}In-Reply-To: {about}\n{}", dsn(recipient, None)),
        Reference::DsnNothing => head + &dsn(recipient, None),
        Reference::Arf => head + &arf(recipient, Some(about)),
        Reference::ArfNothing => head + &arf(recipient, None),
        Reference::FailedRecipients => format!(
            "{head}X-Failed-Recipients: {recipient}\n\nA message that you sent could not be delivered. This is a permanent \
             error.\nThe following address failed:\n\n  {recipient}\n    550 5.1.1 No such user\n\n\
             ------ This is a copy of the message, including all the headers. ------\n\nMessage-ID: {about}\n"
        ),
        Reference::Text => {
            head + &qmail(recipient, &format!("\n--- Below this line is a copy.\n\nMessage-ID: {about}\n"))
        }
        Reference::Nothing => head + &qmail(recipient, ""),
    }
}

fn multipart(kind: &str, part: &str, original: Option<&str>) -> String {
    let original = original.map(|id| format!("Message-ID: {id}\n")).unwrap_or_default();
    format!(
        "MIME-Version: 1.0\nContent-Type: multipart/report; report-type={kind}; boundary=\"b\"\n\n\
         --b\n\nA report.\n--b\n{part}\n--b\nContent-Type: text/rfc822-headers\n\nSubject: Offer\n{original}\n--b--\n"
    )
}

fn dsn(recipient: &str, original: Option<&str>) -> String {
    let part = format!(
        "Content-Type: message/delivery-status\n\nReporting-MTA: dns; mx.example\n\n\
         Final-Recipient: rfc822; {recipient}\nAction: failed\nStatus: 5.1.1\n"
    );
    multipart("delivery-status", &part, original)
}

fn arf(recipient: &str, original: Option<&str>) -> String {
    let part = format!(
        "Content-Type: message/feedback-report\n\nFeedback-Type: abuse\nVersion: 1\nUser-Agent: Loop/1.0\n\
         Original-Rcpt-To: <{recipient}>\n"
    );
    multipart("feedback-report", &part, original)
}

fn qmail(recipient: &str, rest: &str) -> String {
    format!(
        "\nHi. This is the qmail-send program.\nI'm afraid I wasn't able to deliver your message to the following \
         addresses.\n\n<{recipient}>:\nRemote host said: 550 5.1.1 No such user\nGiving up on 192.0.2.1.\n{rest}"
    )
}
