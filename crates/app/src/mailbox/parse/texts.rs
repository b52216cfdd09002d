//! All the text of a received mail, whatever part of it has it.

use std::ops::Range;

use posthouse_mail::header;
use posthouse_mail::parse::ParsedMessage;

/// Fields with ids and traces of servers. They are read last, so that a long thread leaves the index to what people read.
const TRACE_FIELDS: [&str; 7] =
    ["received", "return-path", "references", "in-reply-to", "dkim-signature", "arc-seal", "arc-message-signature"];
/// The field that isn't read, because messages are found by it.
const ID_FIELD: &str = "message-id";
/// The number of bytes that show whether a file is text.
const FILE_SAMPLE_BYTES: usize = 4096;
/// Delimiters whose header sections are decoded.
const SECTIONS_MAX: usize = 500;
/// Bytes of a header section that are decoded.
const SECTION_BYTES_MAX: usize = 8 * 1024;

/// A mail, of which the texts are read.
pub(super) struct MailTexts<'a> {
    pub(super) parsed: &'a ParsedMessage<'a>,
    pub(super) raw: &'a [u8],
}

impl MailTexts<'_> {
    /// Reads what a client shows: subject, bodies, fields, and the names and texts of files, of which `bytes_max` are needed.
    pub(super) fn each_decoded(&self, bytes_max: usize, mut read: impl FnMut(&str)) {
        let parsed = self.parsed;
        [&parsed.subject, &parsed.text, &parsed.html].into_iter().flatten().for_each(|text| read(text));
        let fields = parsed.headers.iter().filter(|(name, _)| *name != ID_FIELD);
        let (traces, others): (Vec<_>, Vec<_>) = fields.partition(|(name, _)| TRACE_FIELDS.contains(name));
        for (name, value) in others {
            read(value);
            read(name);
        }
        for file in &parsed.attachments {
            read(file.filename.as_deref().unwrap_or_default());
            // One byte more than is needed shows that there is more.
            let bytes = &file.bytes[..file.bytes.len().min(bytes_max + 1)];
            if !bytes[..bytes.len().min(FILE_SAMPLE_BYTES)].contains(&0) {
                read(&String::from_utf8_lossy(bytes));
            }
        }
        traces.into_iter().for_each(|(_, value)| read(value));
    }

    /// Reads what only the source of a mail shows: the header sections of the parts, and what is before,
    /// between and behind the parts (RFC 2046 §5.1.1). Bodies are read with it, as they are encoded. A mail of one part has
    /// nothing of that.
    pub(super) fn each_outside(&self, mut read: impl FnMut(&str)) {
        let is_multipart = self.parsed.headers.first("content-type").is_some_and(|kind| {
            kind.trim_start().get(..10).is_some_and(|start| start.eq_ignore_ascii_case("multipart/"))
        });
        if !is_multipart {
            return;
        }
        let mut sections_left = SECTIONS_MAX;
        for range in self.outside_files() {
            let part = &self.raw[range];
            let delimiters = memchr::memmem::find_iter(part, "\n--").map(|at| at + 1);
            for at in delimiters.take(sections_left) {
                sections_left -= 1;
                let line = memchr::memchr(b'\n', &part[at..]).map_or(part.len(), |end| at + end + 1);
                header::fields(&part[line..part.len().min(line + SECTION_BYTES_MAX)])
                    .for_each(|field| read(&field.decoded()));
            }
            read(&String::from_utf8_lossy(part));
        }
    }

    /// Returns the parts of the body that are in no file.
    fn outside_files(&self) -> Vec<Range<usize>> {
        let mut files: Vec<&Range<usize>> = self.parsed.attachments.iter().map(|file| &file.encoded).collect();
        files.sort_by_key(|file| file.start);
        let (mut at, mut outside) = (header::body_offset(self.raw), Vec::new());
        for file in files {
            if file.start > at {
                outside.push(at..file.start.min(self.raw.len()));
            }
            at = at.max(file.end);
        }
        outside.push(at.min(self.raw.len())..self.raw.len());
        outside
    }
}

#[cfg(test)]
mod tests {
    use posthouse_domain::outbound_policy::seen::{SeenKeys, key};
    use posthouse_mail::address::Address;

    use super::super::{ParsedMail, parse_message, seen_addresses};

    const EVIL: &str = "collector@evil.example";

    /// Mails with a mark where an address may be, of several parts.
    fn places() -> Vec<(&'static str, String)> {
        let mail = |top: &str, body: &str| {
            format!("From: a@b.example\r\nTo: c@d.example\r\nSubject: Hi\r\nMIME-Version: 1.0\r\n{top}\r\n\r\n{body}")
        };
        let mixed = "Content-Type: multipart/mixed; boundary=b";
        let text = "--b\r\nContent-Type: text/plain\r\n\r\nHello\r\n";
        let file = "Content-Type: application/pdf\r\nContent-Disposition: attachment; filename=a.pdf\r\n\
                    Content-Transfer-Encoding: base64\r\n";
        let other = "--b\r\nContent-Type: multipart/alternative; boundary=c\r\n\r\n";
        vec![
            ("preamble", mail(mixed, &format!("{{}}\r\n{text}--b--\r\n"))),
            ("epilogue", mail(mixed, &format!("{text}--b--\r\n{{}}\r\n"))),
            ("field of a text", mail(mixed, "--b\r\nContent-Type: text/plain\r\nX-Note: {}\r\n\r\nHello\r\n--b--\r\n")),
            ("other field", mail(mixed, "--b\r\nNote: {}\r\nContent-Type: text/plain\r\n\r\nHello\r\n--b--\r\n")),
            ("description", mail(mixed, "--b\r\nContent-Description: {}\r\n\r\nHello\r\n--b--\r\n")),
            ("id of a part", mail(mixed, "--b\r\nContent-ID: <{}>\r\n\r\nHello\r\n--b--\r\n")),
            ("parameter", mail(mixed, "--b\r\nContent-Type: text/plain; x=\"{}\"\r\n\r\nHello\r\n--b--\r\n")),
            (
                "field of a file",
                mail(mixed, &format!("{text}--b\r\n{file}X-Note: {{}}\r\n\r\nJVBERi0xLjcKJQAA\r\n--b--\r\n")),
            ),
            ("behind a file", mail(mixed, &format!("--b\r\n{file}\r\nJVBERi0xLjcKJQAA\r\n--b--\r\n{{}}\r\n"))),
            ("inner preamble", mail(mixed, &format!("{other}{{}}\r\n--c\r\n\r\nHello\r\n--c--\r\n--b--\r\n"))),
            ("inner epilogue", mail(mixed, &format!("{other}--c\r\n\r\nHello\r\n--c--\r\n{{}}\r\n--b--\r\n"))),
            ("inner field", mail(mixed, &format!("{other}--c\r\nX-Note: {{}}\r\n\r\nHello\r\n--c--\r\n--b--\r\n"))),
            ("no end", mail(mixed, "--b\r\nX-Note: {}\r\n\r\nHello\r\n")),
            ("no parts", mail(mixed, "{}\r\n")),
            ("delimiter", mail(mixed, &format!("{text}--x {{}}\r\n--b--\r\n"))),
        ]
    }

    fn is_seen(raw: &str) -> bool {
        let parsed = posthouse_mail::parse::parse(raw.as_bytes());
        let SeenKeys { indexed, rest } = seen_addresses(&parsed, raw.as_bytes(), None);
        indexed.contains(&key(&Address::parse(EVIL).expect("an address"))) && rest.is_none()
    }

    #[test]
    fn an_address_outside_of_the_bodies_is_seen() {
        let forms = [
            EVIL.to_owned(),
            format!("write to <{EVIL}> now"),
            "COLLECTOR@Evil.Example".to_owned(),
            "collector at evil dot example".to_owned(),
            "=?utf-8?Q?collector=40evil.example?=".to_owned(),
            "=?utf-8?B?Y29sbGVjdG9yQGV2aWwuZXhhbXBsZQ==?=".to_owned(),
        ];
        let (mut tried, mut missed) = (0, Vec::new());
        for (place, mail) in places() {
            for form in &forms {
                tried += 1;
                if !is_seen(&mail.replace("{}", form)) {
                    missed.push((place, form));
                }
            }
            assert!(!is_seen(&mail.replace("{}", "nothing")), "{place}");
        }
        assert!(tried >= 60 && missed.is_empty(), "{tried}: {missed:?}");
    }

    #[test]
    fn a_long_mail_in_parts_is_read_to_its_end() {
        let body = "An ordinary line of a long mail.\r\n".repeat(80_000);
        let raw = format!(
            "From: a@b.example\r\nMIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n\
             --b\r\n\r\n{body}--b--\r\n{EVIL}\r\n"
        );
        assert!(raw.len() > 2 << 20 && is_seen(&raw));
        let parsed: ParsedMail = parse_message(raw.as_bytes(), None);
        assert!(parsed.seen.indexed.is_empty(), "only received mail is read");
    }
}
