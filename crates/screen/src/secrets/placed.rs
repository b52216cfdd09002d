//! Secrets that their place shows: passwords in URLs, values of fields with the name of a secret, tokens of Telegram bots.

use super::keys::{changes, is_example};
use super::{FINDINGS_MAX, Finding, SecretKind};

/// Bytes of the user and password of a URL.
const USER_INFO_MAX: usize = 512;
/// Signs between the name of a secret and its value.
const SIGNS_MAX: usize = 12;
/// Bytes of the value of a secret.
const VALUE_MIN: usize = 20;
const VALUE_MAX: usize = 512;
/// Changes between letters and digits that random values have.
const CHANGES_MIN: usize = 4;

/// Finds them.
pub(super) fn find(text: &str, found: &mut Vec<Finding>) {
    let places = passwords(text).take(FINDINGS_MAX);
    let places = places.chain(bot_tokens(text).take(FINDINGS_MAX)).chain(named_values(text).take(FINDINGS_MAX));
    found.extend(places.map(|(start, end)| Finding { kind: SecretKind::SecretKey, start, end }));
}

/// Returns the passwords of URLs, such as `postgres://user:password@host` (RFC 3986, 3.2.1).
fn passwords(text: &str) -> impl Iterator<Item = (usize, usize)> {
    let bytes = text.as_bytes();
    memchr::memmem::find_iter(bytes, "://").filter_map(move |at| {
        let has_scheme = at > 0 && bytes[at - 1].is_ascii_alphanumeric();
        let start = at + 3;
        let rest = &bytes[start..bytes.len().min(start + USER_INFO_MAX)];
        let is_end = |byte: &u8| byte.is_ascii_whitespace() || matches!(byte, b'/' | b'?' | b'#' | b'"' | b'\'' | b'`');
        let authority = &rest[..rest.iter().position(is_end).unwrap_or(rest.len())];
        let host = memchr::memrchr(b'@', authority)?;
        let colon = memchr::memchr(b':', &authority[..host])?;
        let password = &text[start + colon + 1..start + host];
        let is_placeholder = password.starts_with(['<', '{', '$', '%', '['])
            && password.ends_with(['>', '}', ']', '%'])
            || password.starts_with('$')
            || password.chars().all(|c| matches!(c, '*' | '.' | '\u{2022}' | '\u{2026}' | 'x' | 'X' | '_' | '-'));
        (has_scheme && !is_placeholder).then_some((start + colon + 1, start + host))
    })
}

/// Returns the tokens of Telegram bots: the number of the bot, a colon, and 35 characters.
fn bot_tokens(text: &str) -> impl Iterator<Item = (usize, usize)> {
    const SECRET_LENGTH: usize = 35;
    const DIGITS_MAX: usize = 12;
    let bytes = text.as_bytes();
    let is_sign = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    memchr::memmem::find_iter(bytes, ":AA").filter_map(move |colon| {
        let digits = bytes[..colon].iter().rev().take(DIGITS_MAX + 1).take_while(|byte| byte.is_ascii_digit()).count();
        let end = colon + 1 + SECRET_LENGTH;
        let secret = bytes.get(colon + 1..end)?;
        let is_token = (8..=DIGITS_MAX).contains(&digits)
            && secret.iter().all(|byte| is_sign(*byte))
            && !bytes.get(end).is_some_and(|byte| byte.is_ascii_alphanumeric());
        (is_token && !is_example(&text[colon + 1..end])).then_some((colon - digits, end))
    })
}

/// The ends of names of secrets, in lower case without signs.
const NAMES: [&str; 12] = [
    "secretaccesskey",
    "secretkey",
    "clientsecret",
    "apisecret",
    "appsecret",
    "consumersecret",
    "signingsecret",
    "webhooksecret",
    "sharedsecret",
    "apikey",
    "accountkey",
    "authkey",
];
/// Bytes of the longest name with its signs.
const NAME_BYTES: usize = 24;

/// Returns the random values of fields with the name of a secret, such as `aws_secret_access_key = …`.
fn named_values(text: &str) -> impl Iterator<Item = (usize, usize)> {
    let bytes = text.as_bytes();
    let is_value = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'/' | b'+' | b'_' | b'-' | b'.' | b'~');
    memchr::memchr2_iter(b'=', b':', bytes).filter_map(move |sign| {
        if !has_name_of_secret(&bytes[..sign]) {
            return None;
        }
        let is_between = |byte: &&u8| matches!(byte, b' ' | b'\t' | b'"' | b'\'' | b'`' | b'=' | b':' | b'>' | b'\\');
        let start = sign + 1 + bytes[sign + 1..].iter().take(SIGNS_MAX).take_while(is_between).count();
        let length = bytes[start..].iter().take(VALUE_MAX + 1).take_while(|byte| is_value(**byte)).count();
        let value = &text[start..start + length];
        let is_random = (VALUE_MIN..=VALUE_MAX).contains(&length) && changes(value) >= CHANGES_MIN;
        (is_random && !is_example(value)).then_some((start, start + length))
    })
}

/// Returns whether a text ends with the name of a secret, and perhaps a quote and blanks.
fn has_name_of_secret(before: &[u8]) -> bool {
    let tail = &before[before.len().saturating_sub(NAME_BYTES)..];
    let Some(last) = tail.iter().rposition(u8::is_ascii_alphanumeric).filter(|last| tail.len() - last <= 4) else {
        return false;
    };
    if !matches!(tail[last].to_ascii_lowercase(), b'y' | b't') {
        return false;
    }
    let is_of_name = |byte: &&u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b' ');
    let signs = tail[..=last].iter().rev().take_while(is_of_name).filter(|byte| byte.is_ascii_alphanumeric());
    let name = signs.map(u8::to_ascii_lowercase);
    NAMES.iter().any(|known| name.clone().take(known.len()).eq(known.bytes().rev()))
}

#[cfg(test)]
mod tests {
    use crate::secrets::{Finding, secrets};

    fn found(text: &str) -> Vec<&str> {
        secrets(text).iter().map(|Finding { start, end, .. }| &text[*start..*end]).collect()
    }

    const VALUE: &str = "q7Rt2/Lm9Xv4Bn6+Kd1Ws8Zc3Yh5Jf0Pg2Te7Ua9";

    #[test]
    fn values_of_secret_fields_are_found() {
        assert_eq!(VALUE.len(), 40);
        let names = [
            "aws_secret_access_key",
            "AWS_SECRET_ACCESS_KEY",
            "SecretAccessKey",
            "aws-secret-access-key",
            "Secret Access Key",
            "secret_key",
            "client_secret",
            "API_KEY",
            "x-api-key",
            "AccountKey",
        ];
        let mut tried = 0;
        for name in names {
            for text in [
                format!("{name} = {VALUE}"),
                format!("{name}={VALUE}\n"),
                format!("{name}: {VALUE}"),
                format!("export {name}=\"{VALUE}\""),
                format!("{{\"{name}\": \"{VALUE}\"}}"),
                format!("'{name}' => '{VALUE}',"),
                format!("[default]\n{name} := {VALUE}\nregion = eu-central-1"),
            ] {
                assert_eq!(found(&text), [VALUE], "{text}");
                tried += 1;
            }
        }
        assert!(tried >= 20);
    }

    #[test]
    fn passwords_of_urls_are_found() {
        for scheme in ["postgres", "postgresql", "mysql", "mongodb+srv", "redis", "amqp", "https", "ftp", "smtp"] {
            for password in ["password", "s3cr3t", "hunter2", "p%40ss", "a:b", "p@ss", "Über!"] {
                for text in [
                    format!("{scheme}://user:{password}@host/db"),
                    format!("DATABASE_URL=\"{scheme}://app:{password}@10.0.0.1:5432/db?x=1\""),
                    format!("see <{scheme}://:{password}@db.example>"),
                ] {
                    assert_eq!(found(&text), [password], "{text}");
                }
            }
        }
    }

    #[test]
    fn tokens_of_telegram_bots_are_found() {
        // Written in parts, so that scanners of repositories don't find them.
        let token = ["123456789", ":AA", "HdqTcvCH1vGWJxfSeofSAs0K5PALDsaw9"].concat();
        for text in [
            token.clone(),
            format!("TELEGRAM_TOKEN={token}"),
            format!("https://api.telegram.org/bot{token}/sendMessage"),
            format!("token: \"{token}\","),
            format!("It is {token}. Bye"),
        ] {
            assert_eq!(found(&text), [&token], "{text}");
        }
    }

    #[test]
    fn ordinary_fields_and_urls_have_no_secrets() {
        for text in [
            "https://example.com:8443/@user and http://host/a:b@c",
            "ssh://git@host.example/repo, git@host.example:owner/repo.git",
            "postgres://user:<password>@host/db, postgres://user:${PASSWORD}@host/db, redis://:$PASS@host",
            "mysql://user:****@host and mysql://user:xxxxx@host and ftp://user:@host",
            "aws_secret_access_key = YOUR_SECRET_ACCESS_KEY_GOES_HERE",
            "aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
            "api_key: the key of your account, from the dashboard",
            "The secret key: practice, twenty minutes a day, 7 days a week",
            "client_secret = os.environ['CLIENT_SECRET_2026']",
            "Kick-off 12:AA, 12345678:AAA, ratio 123456789:AA",
            "https://example.com/?token=9f86d081884c7d659a2feaa0c55ad015a3bf4f1b&key=9f86d081884c7d659a2fe",
        ] {
            assert_eq!(found(text), [""; 0], "{text}");
        }
    }
}
