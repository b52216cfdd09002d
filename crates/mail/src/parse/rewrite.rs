//! Changes all texts of a parsed message at one place.

use std::mem;

use super::{AddressEntry, ParsedAttachment, ParsedMessage};
use crate::{address::Mailbox, author::AuthorError};

/// The media type of a file whose own can't be shown.
const UNKNOWN_TYPE: &str = "application/octet-stream";

/// What a text of a message is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TextUse {
    /// Text that people read. It may become any other text.
    Shown,
    /// An address, an ID or a media type. One that changes is left out.
    Name,
}

impl ParsedMessage<'_> {
    /// Passes every text except the contents of attachments to a function, which returns the text to put in its place, or
    /// `None` to keep it.
    pub fn rewrite(&mut self, mut change: impl FnMut(&str, TextUse) -> Option<String>) {
        for text in [&mut self.subject, &mut self.text, &mut self.html] {
            shown(text, &mut change);
        }
        self.headers.for_each_mut(|text| replace(text, &mut change));
        for id in [&mut self.message_id, &mut self.in_reply_to] {
            name(id, &mut change);
        }
        self.references.retain(|id| change(id, TextUse::Name).is_none());
        self.author = mem::replace(&mut self.author, Err(AuthorError::MissingFrom)).and_then(|author| {
            if change(author.address().canonical_str(), TextUse::Name).is_some() {
                return Err(AuthorError::MissingFrom);
            }
            let other = author.mailbox().name().and_then(|name| change(name, TextUse::Shown));
            Ok(if other.is_some() { author.renamed(other.as_deref()) } else { author })
        });
        let lists = [&mut self.reply_to, &mut self.to, &mut self.cc, &mut self.bcc];
        for entry in lists.into_iter().flatten().chain(&mut self.sender) {
            address(entry, &mut change);
        }
        for file in &mut self.attachments {
            attachment(file, &mut change);
        }
    }
}

type Change<'c> = &'c mut dyn FnMut(&str, TextUse) -> Option<String>;

fn replace(text: &mut String, change: Change<'_>) {
    if let Some(other) = change(text, TextUse::Shown) {
        *text = other;
    }
}

fn shown(text: &mut Option<String>, change: Change<'_>) {
    if let Some(text) = text {
        replace(text, change);
    }
}

fn name(text: &mut Option<String>, change: Change<'_>) {
    text.take_if(|name| change(name, TextUse::Name).is_some());
}

fn address(entry: &mut AddressEntry, change: Change<'_>) {
    let is_changed = |mailbox: &mut Mailbox| change(mailbox.address().canonical_str(), TextUse::Name).is_some();
    entry.mailbox.take_if(is_changed);
    let name = entry.mailbox.as_ref().and_then(|mailbox| mailbox.name()).and_then(|name| change(name, TextUse::Shown));
    match entry.mailbox.take() {
        Some(mailbox) if name.is_some() => {
            let renamed = Mailbox::cleaned(name.as_deref(), mailbox.into_address());
            entry.header_form = renamed.to_string();
            entry.mailbox = Some(renamed);
        }
        mailbox => {
            replace(&mut entry.header_form, change);
            entry.mailbox = mailbox;
        }
    }
}

fn attachment(file: &mut ParsedAttachment<'_>, change: Change<'_>) {
    shown(&mut file.filename, change);
    name(&mut file.content_id, change);
    if change(&file.content_type, TextUse::Name).is_some() {
        UNKNOWN_TYPE.clone_into(&mut file.content_type);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse::parse;

    /// Every text of this mail contains `zzz`.
    const MAIL: &str = "From: Zzz <a@x.example>\r\nTo: zzz <b@x.example>, zzz@x.example\r\nCc: \"c zzz\" <c@x.example>\r\n\
        Bcc: zzz:;\r\nReply-To: zzz@y.example\r\nSender: zzz@z.example\r\nSubject: =?utf-8?q?z?= =?utf-8?q?zz?=\r\n\
        Message-ID: <zzz@x.example>\r\nIn-Reply-To: <zzz@x.example>\r\nReferences: <1@x.example> <zzz@x.example>\r\n\
        X-Zzz: zzz\r\nMIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n\
        --b\r\nContent-Type: multipart/alternative; boundary=c\r\n\r\n--c\r\n\r\nzzz\r\n\
        --c\r\nContent-Type: text/html\r\n\r\n<b>zzz</b>\r\n--c--\r\n\
        --b\r\nContent-Type: text/zzz; name=zzz.txt\r\nContent-ID: <zzz>\r\n\r\nfile\r\n--b--\r\n";

    #[test]
    fn every_text_is_passed_on() {
        let mut parsed = parse(MAIL.as_bytes());
        parsed.rewrite(|text, _| text.to_lowercase().contains("zzz").then(|| text.to_lowercase().replace("zzz", "-")));
        let seen = format!("{parsed:?}").to_lowercase();
        assert!(!seen.contains("zzz"), "{seen}");
        assert_eq!(parsed.references, ["<1@x.example>"]);
        assert_eq!(parsed.to[0].header_form, "- <b@x.example>");
        assert_eq!(parsed.attachments[0].content_type, UNKNOWN_TYPE);
        let before = parsed.clone();
        parsed.rewrite(|_, _| None);
        assert_eq!(parsed, before);
    }
}
