//! The local screen of received mail, which runs before the mail is stored (`docs/guides/local-screen.md`).

use std::panic::{AssertUnwindSafe, catch_unwind};

use posthouse_domain::LocalCheck;
use posthouse_mail::{address::Mailbox, auth::AuthResults, parse::ParsedMessage};
use posthouse_screen::{Content, LocalScreen, scan, spam};

/// Scans a parsed mail.
pub(super) fn check(parsed: &ParsedMessage<'_>, author: Option<&Mailbox>, results: &AuthResults) -> LocalCheck {
    let names: Vec<&str> = parsed.attachments.iter().filter_map(|file| file.filename.as_deref()).collect();
    let domain = author.map(|author| author.address().domain());
    let replies = parsed.reply_to.iter().filter_map(|entry| entry.mailbox.as_ref());
    let content = Content {
        from_name: author.and_then(Mailbox::name).unwrap_or_default(),
        from_domain: domain.unwrap_or_default(),
        subject: parsed.subject.as_deref().unwrap_or_default(),
        text: parsed.text.as_deref(),
        html: parsed.html.as_deref(),
        attachment_names: &names,
        contact_domains: &[],
        is_authenticated: Some(!results.auth_failed()),
        is_reply_elsewhere: replies.map(|mailbox| mailbox.address().domain()).any(|reply| domain != Some(reply)),
    };
    // A mail that breaks the scan is flagged, not refused.
    let found = catch_unwind(AssertUnwindSafe(|| (scan(&content), spam(&content))));
    let (screen, reasons) = found.unwrap_or_else(|_| (LocalScreen::failed(), None));
    let spam = reasons.unwrap_or_default().into_iter().map(str::to_owned).collect();
    LocalCheck { screen, spam, ..LocalCheck::default() }
}
