//! Parser for one SMTP command line (RFC 5321 §4.1, and the extensions that the server announces).
//!
//! A line is either parsed completely or answered with the reply that states the error. The parser does not depend on
//! the state of a session.

mod path;

pub use path::{DOMAIN_BYTES_MAX, EnvelopeAddress, LABEL_BYTES_MAX};

use self::path::EnvelopePath;
use super::reply::{EnhancedStatusCode, ServerReply};

/// Longest command line in bytes, including CRLF (RFC 5321 §4.5.3.1.4).
pub const COMMAND_LINE_BYTES_MAX: usize = 512;

/// Longest MAIL or RCPT line in bytes, including CRLF and the parameters of all extensions.
pub const PATH_LINE_BYTES_MAX: usize = 2048;

/// Longest line of an authentication exchange in bytes, including CRLF (RFC 4954 §4).
pub const AUTH_LINE_BYTES_MAX: usize = 12_288;

/// A syntactically valid command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SmtpCommand {
    /// `EHLO`, with the name that the client gave.
    Ehlo(String),
    /// `HELO`, with the name that the client gave.
    Helo(String),
    /// `LHLO`: the greeting of LMTP, which is not supported.
    Lhlo,
    /// `STARTTLS` (RFC 3207).
    StartTls,
    /// `MAIL FROM`.
    Mail(MailCommand),
    /// `RCPT TO`.
    Rcpt(EnvelopeAddress),
    /// `DATA`.
    Data,
    /// `BDAT` (RFC 3030); `None` if its size is invalid, so that the end of the chunk is unknown.
    Bdat(Option<ChunkHeader>),
    /// `AUTH` (RFC 4954).
    Auth(AuthCommand),
    /// `VRFY`.
    Vrfy,
    /// `EXPN`.
    Expn,
    /// `HELP`.
    Help,
    /// `NOOP`.
    Noop,
    /// `RSET`.
    Rset,
    /// `QUIT`.
    Quit,
    /// An HTTP request line: probably a browser that was tricked into connecting to the SMTP port.
    HttpRequest,
}

/// `MAIL FROM` with its parameters.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MailCommand {
    /// The reverse path; `None` for the null path of bounces.
    pub from: Option<EnvelopeAddress>,
    /// `SIZE=`, in bytes (RFC 1870).
    pub size: Option<u64>,
    /// `BODY=` (RFC 6152, RFC 3030).
    pub body: Option<BodyType>,
    /// `SMTPUTF8` (RFC 6531).
    pub smtputf8: bool,
    /// Whether `AUTH=` was given (RFC 4954 §5). Its value is not trusted and therefore discarded.
    pub auth: bool,
}

impl MailCommand {
    /// Returns whether any parameter was given. HELO sessions don't allow parameters.
    pub fn has_parameters(&self) -> bool {
        self.size.is_some() || self.body.is_some() || self.smtputf8 || self.auth
    }
}

/// The value of `BODY=`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BodyType {
    /// `7BIT`.
    SevenBit,
    /// `8BITMIME`.
    EightBitMime,
}

/// The header of a chunk (RFC 3030 §2).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChunkHeader {
    /// Number of octets after the command line.
    pub bytes: u64,
    /// Whether this is the last chunk of the message.
    pub last: bool,
}

/// `AUTH` with its mechanism.
#[derive(Clone, PartialEq, Eq)]
pub struct AuthCommand {
    /// The mechanism in upper case.
    pub mechanism: String,
    /// The initial response in base64, as sent.
    pub initial: Option<String>,
}

/// Hides the response, which contains a password.
impl std::fmt::Debug for AuthCommand {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "AuthCommand({})", self.mechanism)
    }
}

/// The reply to a line with control characters or invalid UTF-8.
const SYNTAX: ServerReply = ServerReply::fixed(500, EnhancedStatusCode(5, 5, 2), "Command not understood");
/// The reply to an unknown command.
const UNKNOWN: ServerReply = ServerReply::fixed(500, EnhancedStatusCode(5, 5, 1), "Unknown command");
/// The reply to a command or an authentication response longer than the limit.
const TOO_LONG: ServerReply = ServerReply::fixed(500, EnhancedStatusCode(5, 5, 2), "Line too long");
/// The reply to an argument of a command that has none.
const NO_ARGUMENT: ServerReply =
    ServerReply::fixed(501, EnhancedStatusCode(5, 5, 4), "This command doesn't accept an argument");
/// The reply to EHLO or HELO without a valid name.
const BAD_NAME: ServerReply =
    ServerReply::fixed(501, EnhancedStatusCode(5, 5, 4), "Invalid name; send a host name or an address literal");
/// The reply to MAIL with a syntax error.
const BAD_MAIL: ServerReply = ServerReply::fixed(501, EnhancedStatusCode(5, 5, 2), "Syntax: MAIL FROM:<address>");
/// The reply to MAIL with an invalid address.
const BAD_SENDER: ServerReply = ServerReply::fixed(501, EnhancedStatusCode(5, 1, 7), "Bad sender address syntax");
/// The reply to RCPT with a syntax error.
const BAD_RCPT: ServerReply = ServerReply::fixed(501, EnhancedStatusCode(5, 5, 2), "Syntax: RCPT TO:<address>");
/// The reply to RCPT with an invalid address.
const BAD_RECIPIENT: ServerReply = ServerReply::fixed(501, EnhancedStatusCode(5, 1, 3), "Bad recipient address syntax");
/// The reply to an invalid or repeated parameter of MAIL or RCPT.
const BAD_PARAMETER: ServerReply = ServerReply::fixed(501, EnhancedStatusCode(5, 5, 4), "Bad or repeated parameter");
/// The reply to an unsupported parameter of MAIL or RCPT.
const UNKNOWN_PARAMETER: ServerReply = ServerReply::fixed(555, EnhancedStatusCode(5, 5, 4), "Parameter not supported");
/// The reply to a non-ASCII address without SMTPUTF8.
const NEEDS_SMTPUTF8: ServerReply =
    ServerReply::fixed(553, EnhancedStatusCode(5, 6, 7), "A non-ASCII address requires the SMTPUTF8 parameter of MAIL");
/// The reply to AUTH with a syntax error.
const BAD_AUTH: ServerReply = ServerReply::fixed(501, EnhancedStatusCode(5, 5, 4), "Syntax: AUTH mechanism [response]");

impl SmtpCommand {
    /// Parses a line without its CRLF.
    ///
    /// # Errors
    /// Returns the reply to send if the line is invalid.
    pub fn parse(line: &[u8]) -> Result<SmtpCommand, ServerReply> {
        let text = std::str::from_utf8(line).map_err(|_| SYNTAX)?;
        if text.chars().any(char::is_control) {
            return Err(SYNTAX);
        }
        let text = text.trim_end_matches(' ');
        let (verb, argument) = text.split_once(' ').unwrap_or((text, ""));
        let argument = argument.trim_start_matches(' ');
        let mut upper = [0_u8; VERB_BYTES_MAX];
        let upper = upper.get_mut(..verb.len()).ok_or(UNKNOWN)?;
        upper.copy_from_slice(verb.as_bytes());
        upper.make_ascii_uppercase();
        let bytes_max = match &*upper {
            b"MAIL" | b"RCPT" => PATH_LINE_BYTES_MAX,
            b"AUTH" => AUTH_LINE_BYTES_MAX,
            _ => COMMAND_LINE_BYTES_MAX,
        };
        if line.len() + "\r\n".len() > bytes_max {
            return Err(TOO_LONG);
        }
        SmtpCommand::from_verb(upper, argument)
    }

    fn from_verb(verb: &[u8], argument: &str) -> Result<SmtpCommand, ServerReply> {
        let without_argument = |command: SmtpCommand| match argument.is_empty() {
            true => Ok(command),
            false => Err(NO_ARGUMENT),
        };
        match verb {
            b"MAIL" => parse_mail(argument).map(SmtpCommand::Mail),
            b"RCPT" => parse_rcpt(argument).map(SmtpCommand::Rcpt),
            b"DATA" => without_argument(SmtpCommand::Data),
            b"BDAT" => Ok(SmtpCommand::Bdat(parse_bdat(argument))),
            b"EHLO" => parse_name(argument).map(SmtpCommand::Ehlo),
            b"HELO" => parse_name(argument).map(SmtpCommand::Helo),
            b"LHLO" => Ok(SmtpCommand::Lhlo),
            b"STARTTLS" => without_argument(SmtpCommand::StartTls),
            b"AUTH" => parse_auth(argument).map(SmtpCommand::Auth),
            b"RSET" => without_argument(SmtpCommand::Rset),
            b"QUIT" => without_argument(SmtpCommand::Quit),
            b"NOOP" => Ok(SmtpCommand::Noop),
            b"HELP" => Ok(SmtpCommand::Help),
            b"VRFY" => Ok(SmtpCommand::Vrfy),
            b"EXPN" => Ok(SmtpCommand::Expn),
            b"GET" | b"HEAD" | b"POST" | b"PUT" | b"OPTIONS" | b"CONNECT" => Ok(SmtpCommand::HttpRequest),
            _ => Err(UNKNOWN),
        }
    }
}

/// Length of the longest known verb, in bytes.
const VERB_BYTES_MAX: usize = 8;

/// Parses a host name, an address literal, or any other name that is harmless in a trace field.
fn parse_name(argument: &str) -> Result<String, ServerReply> {
    let is_harmless = |byte: u8| byte.is_ascii_graphic() && !b"()<>@,;\\\"".contains(&byte);
    let bounded = (1..=DOMAIN_BYTES_MAX).contains(&argument.len());
    match bounded && argument.bytes().all(is_harmless) {
        true => Ok(argument.to_owned()),
        false => Err(BAD_NAME),
    }
}

/// Strips `keyword`, ignoring case, and blanks after it, which many clients send.
fn after_keyword<'a>(argument: &'a str, keyword: &str) -> Option<&'a str> {
    let head = argument.get(..keyword.len())?;
    head.eq_ignore_ascii_case(keyword).then(|| argument[keyword.len()..].trim_start_matches(' '))
}

fn parse_mail(argument: &str) -> Result<MailCommand, ServerReply> {
    let text = after_keyword(argument, "FROM:").ok_or(BAD_MAIL)?;
    let (path, rest) = path::parse(text).ok_or(BAD_SENDER)?;
    let from = match path {
        EnvelopePath::Null => None,
        // Only a recipient may lack a domain (RFC 5321 §4.1.1.3).
        EnvelopePath::Address(address) if address.domain().is_none() => return Err(BAD_SENDER),
        EnvelopePath::Address(address) => Some(address),
    };
    let mut mail = MailCommand { from, ..MailCommand::default() };
    for parameter in parameters(rest)? {
        mail.add_parameter(parameter)?;
    }
    let ascii = mail.from.as_ref().is_none_or(EnvelopeAddress::is_ascii);
    if !ascii && !mail.smtputf8 {
        return Err(NEEDS_SMTPUTF8);
    }
    Ok(mail)
}

impl MailCommand {
    fn add_parameter(&mut self, parameter: &str) -> Result<(), ServerReply> {
        let (key, value) = match parameter.split_once('=') {
            Some((key, value)) => (key, Some(value)),
            None => (parameter, None),
        };
        let is_new = match key.to_ascii_uppercase().as_str() {
            "SIZE" => self.size.replace(parse_size(value)?).is_none(),
            "BODY" => self.body.replace(parse_body(value)?).is_none(),
            "SMTPUTF8" if value.is_none() => !std::mem::replace(&mut self.smtputf8, true),
            "AUTH" if value.is_some_and(is_xtext) => !std::mem::replace(&mut self.auth, true),
            "SMTPUTF8" | "AUTH" => false,
            _ => return Err(UNKNOWN_PARAMETER),
        };
        match is_new {
            true => Ok(()),
            false => Err(BAD_PARAMETER),
        }
    }
}

fn parse_rcpt(argument: &str) -> Result<EnvelopeAddress, ServerReply> {
    let text = after_keyword(argument, "TO:").ok_or(BAD_RCPT)?;
    match path::parse(text) {
        Some((EnvelopePath::Address(address), rest)) => match parameters(rest)?.next() {
            None => Ok(address),
            // NOTIFY and ORCPT belong to the DSN extension (RFC 3461), which the server does not announce.
            Some(_) => Err(UNKNOWN_PARAMETER),
        },
        _ => Err(BAD_RECIPIENT),
    }
}

/// Returns the parameters after a path. A blank must separate them from the path.
fn parameters(rest: &str) -> Result<impl Iterator<Item = &str>, ServerReply> {
    match rest.is_empty() || rest.starts_with(' ') {
        true => Ok(rest.split(' ').filter(|word| !word.is_empty())),
        false => Err(BAD_PARAMETER),
    }
}

/// Parses a size of up to 20 digits (RFC 1870 §3). Unlike `u64::from_str`, rejects a leading sign.
fn parse_size(value: Option<&str>) -> Result<u64, ServerReply> {
    let digits = value.ok_or(BAD_PARAMETER)?;
    let all = (1..=20).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_digit());
    match all {
        // Twenty digits can exceed 64 bits; such a message is too large anyway.
        true => Ok(digits.parse().unwrap_or(u64::MAX)),
        false => Err(BAD_PARAMETER),
    }
}

fn parse_body(value: Option<&str>) -> Result<BodyType, ServerReply> {
    let value = value.ok_or(BAD_PARAMETER)?;
    if value.eq_ignore_ascii_case("7BIT") {
        Ok(BodyType::SevenBit)
    } else if value.eq_ignore_ascii_case("8BITMIME") {
        Ok(BodyType::EightBitMime)
    } else if value.eq_ignore_ascii_case("BINARYMIME") {
        // Needs the BINARYMIME extension (RFC 3030 §3), which is not announced because bare line breaks are rejected.
        Err(UNKNOWN_PARAMETER)
    } else {
        Err(BAD_PARAMETER)
    }
}

fn is_xtext(value: &str) -> bool {
    !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_graphic())
}

fn parse_bdat(argument: &str) -> Option<ChunkHeader> {
    let (size, last) = match argument.split_once(' ') {
        Some((size, word)) if word.eq_ignore_ascii_case("LAST") => (size, true),
        Some(_) => return None,
        None => (argument, false),
    };
    let bytes = parse_size(Some(size)).ok()?;
    Some(ChunkHeader { bytes, last })
}

fn parse_auth(argument: &str) -> Result<AuthCommand, ServerReply> {
    let (mechanism, initial) = match argument.split_once(' ') {
        Some((mechanism, initial)) => (mechanism, Some(initial)),
        None => (argument, None),
    };
    if mechanism.is_empty() || initial.is_some_and(|initial| initial.contains(' ')) {
        return Err(BAD_AUTH);
    }
    Ok(AuthCommand { mechanism: mechanism.to_ascii_uppercase(), initial: initial.map(str::to_owned) })
}

#[cfg(test)]
mod tests;
