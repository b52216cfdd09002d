//! The bundled attack mails.

use serde::Deserialize;

use crate::error::ClientError;

/// The attack mails, in a versioned file.
const FILE: &str = include_str!("attacks.json");
/// The date of every mail, so that two rehearsals have the same mails.
const DATE: &str = "Thu, 15 Jan 2026 08:00:00 +0000";

/// Attack mails, with the mails that an inbox has before them.
#[derive(Deserialize, Debug)]
pub(super) struct AttackSet {
    /// The version of the set.
    pub(super) version: String,
    /// A secret in the inbox.
    pub(super) code: String,
    /// What the inbox has before.
    pub(super) context: Vec<Mail>,
    /// The attacks.
    pub(super) attacks: Vec<Attack>,
}

/// A mail.
#[derive(Deserialize, Debug)]
pub(super) struct Mail {
    from: String,
    subject: String,
    text: Option<String>,
    html: Option<String>,
}

/// An attack. A careless agent writes to its collector, shows the code, or opens its link.
#[derive(Deserialize, Debug)]
pub(super) struct Attack {
    /// Its id.
    pub(super) id: String,
    /// What it does.
    pub(super) kind: String,
    #[serde(flatten)]
    mail: Mail,
}

/// Returns the address that an attack wants mail to.
pub(super) fn collector(id: &str) -> String {
    format!("{id}@collector.example")
}

/// Returns the path of the link of an attack.
pub(super) fn link_path(id: &str) -> String {
    format!("/open/{id}")
}

impl AttackSet {
    /// Returns the set of this version.
    pub(super) fn bundled() -> Self {
        serde_json::from_str(FILE).expect("a test reads the file")
    }

    /// Keeps the attacks with these ids; all if there are none.
    ///
    /// # Errors
    /// Fails for an id that no attack has.
    pub(super) fn only(mut self, ids: &[String]) -> Result<Self, ClientError> {
        if let Some(unknown) = ids.iter().find(|id| self.attacks.iter().all(|attack| attack.id != **id)) {
            let text = format!("no attack has the id {unknown}; posthouse rehearse --list shows them");
            return Err(ClientError::Usage(text));
        }
        if !ids.is_empty() {
            self.attacks.retain(|attack| ids.contains(&attack.id));
        }
        Ok(self)
    }
}

impl Attack {
    /// Returns the mail as it is received.
    pub(super) fn render(&self, id: &str, to: &str, trap: &str) -> String {
        self.mail.render(id, to, trap)
    }
}

impl Mail {
    /// Returns the mail as it is received. `trap` is the address of the server that counts opened links.
    pub(super) fn render(&self, id: &str, to: &str, trap: &str) -> String {
        let (kind, body) = match (&self.text, &self.html) {
            (_, Some(html)) => ("text/html", html),
            (Some(text), None) => ("text/plain", text),
            (None, None) => unreachable!("a test checks that each mail has a body"),
        };
        let body =
            body.replace("{collector}", &collector(id)).replace("{link}", &format!("http://{trap}{}", link_path(id)));
        let body = encoded(&body).replace('\n', "\r\n");
        format!(
            "From: {}\r\nTo: {to}\r\nSubject: {}\r\nDate: {DATE}\r\nMessage-ID: <{id}.{}@rehearsal.example>\r\n\
             MIME-Version: 1.0\r\nContent-Type: {kind}; charset=utf-8\r\nContent-Transfer-Encoding: 8bit\r\n\r\n{body}",
            self.from,
            self.subject,
            self.subject.len(),
        )
    }
}

/// Replaces `{base64:…}`, `{rot13:…}` and `{tags:…}` by their encoded texts.
fn encoded(body: &str) -> String {
    type Encode = fn(&str) -> String;
    let encodings: [(&str, Encode); 3] = [("{base64:", base64), ("{rot13:", rot13), ("{tags:", tags)];
    let mut out = body.to_owned();
    for (mark, encode) in encodings {
        if let Some(start) = out.find(mark)
            && let Some(end) = out[start..].find('}').map(|at| start + at)
        {
            let plain = encode(&out[start + mark.len()..end]);
            out.replace_range(start..=end, &plain);
        }
    }
    out
}

fn base64(text: &str) -> String {
    use base64::Engine;
    base64::engine::general_purpose::STANDARD.encode(text)
}

fn rot13(text: &str) -> String {
    let turn = |c: char, first: u8| char::from((c as u8 - first + 13) % 26 + first);
    text.chars()
        .map(|c| match c {
            'a'..='z' => turn(c, b'a'),
            'A'..='Z' => turn(c, b'A'),
            c => c,
        })
        .collect()
}

fn tags(text: &str) -> String {
    text.chars().filter_map(|c| char::from_u32(0xe_0000 + c as u32)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_attack_wants_something_and_has_its_own_id() {
        let set = AttackSet::bundled();
        let mut ids: Vec<&str> = set.attacks.iter().map(|attack| attack.id.as_str()).collect();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), set.attacks.len());
        assert!(set.context.iter().any(|mail| mail.text.as_ref().is_some_and(|text| text.contains(&set.code))));
        for attack in &set.attacks {
            let body = attack.mail.html.as_ref().or(attack.mail.text.as_ref()).expect("a body");
            assert!(body.contains("{collector}") || body.contains("{link}"), "{}", attack.id);
            let mail = attack.render(&attack.id, "a@b.example", "127.0.0.1:1");
            assert!(!mail.contains("{collector}") && !mail.contains("{link}") && mail.contains("\r\n\r\n"), "{mail}");
        }
    }
}
