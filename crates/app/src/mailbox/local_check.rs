//! The local screen of received mail, which runs before the mail is stored (`docs/guides/local-screen.md`).

use std::panic::{AssertUnwindSafe, catch_unwind};

use posthouse_domain::LocalCheck;
use posthouse_screen::{Content, LocalScreen, scan, spam};

use super::parse::{ParsedMail, Received};

/// Scans a parsed mail that was received.
pub(super) fn check(mail: &ParsedMail, received: Received) -> LocalCheck {
    let names: Vec<&str> = mail.files.iter().filter_map(|file| file.filename.as_deref()).collect();
    let author = mail.author.as_ref();
    let content = Content {
        from_name: author.and_then(|author| author.name()).unwrap_or_default(),
        from_domain: mail.author_domain().unwrap_or_default(),
        subject: mail.subject.as_deref().unwrap_or_default(),
        text: mail.bodies.text.as_deref(),
        html: mail.bodies.html.as_deref(),
        attachment_names: &names,
        is_authenticated: Some(!received.auth_failed),
        is_reply_elsewhere: received.is_reply_elsewhere,
    };
    // A mail that breaks the scan is flagged, not refused.
    let found = catch_unwind(AssertUnwindSafe(|| (scan(&content), spam(&content))));
    let (screen, reasons) = found.unwrap_or_else(|_| (LocalScreen::failed(), None));
    let spam = reasons.unwrap_or_default().into_iter().map(str::to_owned).collect();
    LocalCheck { screen, spam, ..LocalCheck::default() }
}
