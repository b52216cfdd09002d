//! Creates DKIM-Signature fields: relaxed/relaxed, with one body hash for all keys. Important names are signed once
//! more than they occur, so that adding another field of that name breaks the signature (RFC 6376 §5.4, §8.15).

use super::canon::{Canonicalization, hash_body};
use super::cover::{covered, push_own};
use super::key::{DkimKey, DkimKeyError};
use super::message::{SignedField, SignedMessage};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

/// Longest line written, without its end (RFC 5322 §2.1.1).
const LINE_CHARS_MAX: usize = 76;

/// Names signed once more than they occur, even if absent: a field added later breaks the signature.
const OVERSIGNED: [&str; 13] = [
    "From",
    "Subject",
    "To",
    "Date",
    "Message-ID",
    "Cc",
    "Reply-To",
    "In-Reply-To",
    "References",
    "MIME-Version",
    "Content-Type",
    "Content-Transfer-Encoding",
    "Agent-Disclosure",
];

/// Names signed as often as they occur (RFC 6376 §5.4.1).
const SIGNED_WHEN_PRESENT: [&str; 13] = [
    "Sender",
    "Content-ID",
    "Content-Description",
    "Resent-Date",
    "Resent-From",
    "Resent-Sender",
    "Resent-To",
    "Resent-Cc",
    "Resent-Message-ID",
    "List-Id",
    "List-Unsubscribe",
    "List-Unsubscribe-Post",
    "Auto-Submitted",
];

/// Most occurrences of one name that are signed.
const SAME_NAME_MAX: usize = 5;

/// The parameters of a signature.
#[derive(Debug, Clone, Copy)]
pub struct DkimSignOptions<'s> {
    /// The signing domain (`d=`), in A-labels.
    pub domain: &'s str,
    /// The selector (`s=`).
    pub selector: &'s str,
    /// Time of signing (`t=`), in seconds since 1970.
    pub now_s: i64,
}

impl DkimKey {
    /// Signs a message. Returns the folded DKIM-Signature field with its CRLF, to be prepended to the message.
    ///
    /// # Errors
    /// Returns [`DkimKeyError::Crypto`] if the library can't sign.
    pub fn sign(&self, raw: &[u8], options: &DkimSignOptions<'_>) -> Result<String, DkimKeyError> {
        sign_all(raw, options.domain, options.now_s, &[(self, options.selector)])
    }
}

/// Signs a message with several keys of one domain and hashes its body once. Returns one DKIM-Signature field for each
/// pair of key and selector, in order.
///
/// # Errors
/// Returns [`DkimKeyError::Crypto`] if the library can't sign.
pub fn sign_all(raw: &[u8], domain: &str, now_s: i64, keys: &[(&DkimKey, &str)]) -> Result<String, DkimKeyError> {
    let message = SignedMessage::split(raw);
    let names = signed_names(&message);
    let body_hash = STANDARD.encode(hash_body(message.body, Canonicalization::Relaxed, None).sha256);
    let covered = covered(&message, &names, Canonicalization::Relaxed);
    let mut fields = String::new();
    for (key, selector) in keys {
        let options = DkimSignOptions { domain, selector, now_s };
        let unsigned = unsigned_value(key, &options, &names, &body_hash);
        let own = SignedField { name: b"DKIM-Signature", value: unsigned.as_bytes(), raw: b"" };
        let mut data = covered.clone();
        push_own(&own, Canonicalization::Relaxed, &mut data);
        let signature = STANDARD.encode(key.sign_data(&data)?);
        fields.push_str("DKIM-Signature:");
        fields.push_str(&unsigned);
        push_folded(&signature, 3, &mut fields);
        fields.push_str("\r\n");
    }
    Ok(fields)
}

/// Returns the names for `h=`, in the order of the lists above.
fn signed_names(message: &SignedMessage<'_>) -> Vec<String> {
    let mut names = Vec::new();
    for (list, extra) in [(&OVERSIGNED[..], 1), (&SIGNED_WHEN_PRESENT[..], 0)] {
        for name in list {
            let count = message.named(name).count().min(SAME_NAME_MAX) + extra;
            names.extend(std::iter::repeat_n((*name).to_owned(), count));
        }
    }
    names
}

/// Returns the field value up to and including `b=`.
fn unsigned_value(key: &DkimKey, options: &DkimSignOptions<'_>, names: &[String], body_hash: &str) -> String {
    let mut value = format!(
        " v=1; a={}; c=relaxed/relaxed;\r\n d={}; s={};\r\n t={}; h=",
        key.algorithm_name(),
        options.domain,
        options.selector,
        options.now_s,
    );
    let mut column = value.len() - value.rfind('\n').map_or(0, |at| at + 1);
    for (n, name) in names.iter().enumerate() {
        let separator = if n == 0 { "" } else { ":" };
        value.push_str(separator);
        if column + name.len() + 2 > LINE_CHARS_MAX {
            value.push_str("\r\n ");
            column = 1;
        }
        value.push_str(name);
        column += separator.len() + name.len();
    }
    value.push_str(";\r\n bh=");
    value.push_str(body_hash);
    value.push_str(";\r\n b=");
    value
}

/// Appends base64 text in folded lines. The current line already has `column` characters.
fn push_folded(text: &str, column: usize, out: &mut String) {
    let mut column = column;
    for c in text.chars() {
        if column == LINE_CHARS_MAX {
            out.push_str("\r\n ");
            column = 1;
        }
        out.push(c);
        column += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MAIL: &[u8] =
        b"From: a@example.org\r\nTo: b@example.net\r\nSubject: Hi\r\nMIME-Version: 1.0\r\n\r\nHello\r\n";

    #[test]
    fn the_field_is_folded_and_covers_the_important_names() {
        let key = DkimKey::generate_rsa().expect("a new key");
        let options = DkimSignOptions { domain: "example.org", selector: "s1", now_s: 1_700_000_000 };
        let field = key.sign(MAIL, &options).expect("a signature");
        assert!(
            field.starts_with("DKIM-Signature: v=1; a=rsa-sha256; c=relaxed/relaxed;\r\n d=example.org; s=s1;\r\n")
        );
        assert!(field.ends_with("\r\n") && !field.ends_with("\r\n\r\n"));
        assert!(field.lines().all(|line| line.len() <= LINE_CHARS_MAX), "{field}");
        assert!(field.lines().skip(1).all(|line| line.starts_with(' ')), "{field}");
        let flat: String = field.split_ascii_whitespace().collect();
        assert!(flat.contains("h=From:From:Subject:Subject:To:To:Date:Message-ID:Cc:"), "{flat}");
        assert!(
            flat.contains(":MIME-Version:MIME-Version:Content-Type:Content-Transfer-Encoding:Agent-Disclosure;bh="),
            "{flat}"
        );
        assert!(!flat.contains("l="), "{flat}");
    }

    #[test]
    fn each_key_adds_one_field() {
        let rsa = DkimKey::generate_rsa().expect("a new key");
        let ed = DkimKey::generate_ed25519().expect("a new key");
        let fields = sign_all(MAIL, "example.org", 1, &[(&rsa, "s1"), (&ed, "e1")]).expect("signatures");
        assert_eq!(fields.matches("DKIM-Signature:").count(), 2);
        assert!(fields.find("s=s1;") < fields.find("s=e1;"));
    }
}
