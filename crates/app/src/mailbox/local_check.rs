//! The local screen of received mail, which runs before the mail is stored (`docs/guides/local-screen.md`).

use std::{
    collections::HashSet,
    panic::{AssertUnwindSafe, catch_unwind},
};

use posthouse_domain::LocalCheck;
use posthouse_mail::address::Mailbox;
use posthouse_screen::{Content, LocalScreen, scan, spam};

use super::parse::{ParsedMail, Received};

/// Reply addresses whose names are told apart; the names of more are read as one text.
const REPLIES_MAX: usize = 100;

/// Scans a parsed mail that was received.
pub(super) fn check(mail: &ParsedMail, received: Received) -> LocalCheck {
    let names: Vec<&str> = mail.files.iter().filter_map(|file| file.filename.as_deref()).collect();
    let author = mail.author.as_ref();
    let others = other_names(mail);
    let other_names: Vec<&str> = others.iter().map(String::as_str).collect();
    let content = Content {
        from_name: author.and_then(|author| author.name()).unwrap_or_default(),
        from_domain: mail.author_domain().unwrap_or_default(),
        other_names: &other_names,
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

/// Returns the names that readers see in `To`, `Cc` and `Reply-To`, each once. What isn't an address is a name.
fn other_names(mail: &ParsedMail) -> Vec<String> {
    let replies = mail.reply_to.as_deref().unwrap_or_default();
    let replies = match Mailbox::parse_list(replies, REPLIES_MAX) {
        Ok(all) => all.iter().filter_map(Mailbox::name).map(str::to_owned).collect(),
        Err(_) => vec![replies.to_owned()],
    };
    let shown = mail.to.iter().chain(&mail.cc).filter_map(|party| match Mailbox::parse(party) {
        Ok(mailbox) => mailbox.name().map(str::to_owned),
        Err(_) => Some(party.clone()),
    });
    let mut known = HashSet::new();
    let all = replies.into_iter().chain(shown).filter(|name| !name.is_empty());
    all.filter(|name| known.insert(name.clone())).collect()
}
