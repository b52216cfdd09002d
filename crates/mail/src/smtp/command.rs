//! One SMTP command line as a value (RFC 5321 §4.1, with the extensions the server announces).
//!
//! A line is either understood completely or answered with the reply that says what is wrong. Knows nothing of the
//! state of a session, except what a command says by itself.

mod path;

pub use path::{DOMAIN_BYTES_MAX, EnvelopeAddress, LABEL_BYTES_MAX};

use self::path::Path;
use super::reply::{EnhancedCode, Reply};

/// Longest command line in bytes, CRLF included (RFC 5321 §4.5.3.1.4).
pub const COMMAND_LINE_BYTES_MAX: usize = 512;

/// Longest MAIL or RCPT line in bytes, CRLF included: the room that parameters of all extensions may add.
pub const PATH_LINE_BYTES_MAX: usize = 2048;

/// Longest line of an authentication exchange in bytes, CRLF included (RFC 4954 §4).
pub const AUTH_LINE_BYTES_MAX: usize = 12_288;

/// A command that is well-formed by itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Command {
    /// `EHLO`, with the name the client gives itself.
    Ehlo(String),
    /// `HELO`, with the name the client gives itself.
    Helo(String),
    /// `LHLO`: LMTP, which this is not.
    Lhlo,
    /// `STARTTLS` (RFC 3207).
    StartTls,
    /// `MAIL FROM`.
    Mail(MailCommand),
    /// `RCPT TO`.
    Rcpt(EnvelopeAddress),
    /// `DATA`.
    Data,
    /// `BDAT` (RFC 3030); `None` when its size cannot be read, so that nobody knows where the chunk ends.
    Bdat(Option<Chunk>),
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
    /// The request line of HTTP: a browser was led here to make it speak SMTP.
    Http,
}

/// `MAIL FROM` with its parameters.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MailCommand {
    /// The reverse path; `None` is the null path of bounces.
    pub from: Option<EnvelopeAddress>,
    /// `SIZE=`, in bytes (RFC 1870).
    pub size: Option<u64>,
    /// `BODY=` (RFC 6152, RFC 3030).
    pub body: Option<Body>,
    /// `SMTPUTF8` (RFC 6531).
    pub smtputf8: bool,
    /// Whether `AUTH=` was given (RFC 4954 §5); its value is not trusted and so not kept.
    pub auth: bool,
}

impl MailCommand {
    /// Whether any parameter was given; HELO sessions have none.
    pub fn has_parameters(&self) -> bool {
        self.size.is_some() || self.body.is_some() || self.smtputf8 || self.auth
    }
}

/// The value of `BODY=`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Body {
    /// `7BIT`.
    SevenBit,
    /// `8BITMIME`.
    EightBitMime,
}

/// The head of a chunk (RFC 3030 §2).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Chunk {
    /// Octets that follow the command line.
    pub bytes: u64,
    /// Whether they are the last of the message.
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

/// Never shows the response, which is a password.
impl std::fmt::Debug for AuthCommand {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "AuthCommand({})", self.mechanism)
    }
}

const SYNTAX: Reply = Reply::fixed(500, EnhancedCode(5, 5, 2), "Command not understood");
const UNKNOWN: Reply = Reply::fixed(500, EnhancedCode(5, 5, 1), "Unknown command");
const TOO_LONG: Reply = Reply::fixed(500, EnhancedCode(5, 5, 2), "Line too long");
const NO_ARGUMENT: Reply = Reply::fixed(501, EnhancedCode(5, 5, 4), "This command takes no argument");
const BAD_NAME: Reply = Reply::fixed(501, EnhancedCode(5, 5, 4), "Give the name of your host or an address literal");
const BAD_MAIL: Reply = Reply::fixed(501, EnhancedCode(5, 5, 2), "Syntax: MAIL FROM:<address>");
const BAD_SENDER: Reply = Reply::fixed(501, EnhancedCode(5, 1, 7), "Bad sender address syntax");
const BAD_RCPT: Reply = Reply::fixed(501, EnhancedCode(5, 5, 2), "Syntax: RCPT TO:<address>");
const BAD_RECIPIENT: Reply = Reply::fixed(501, EnhancedCode(5, 1, 3), "Bad recipient address syntax");
const BAD_PARAMETER: Reply = Reply::fixed(501, EnhancedCode(5, 5, 4), "Bad or repeated parameter");
const UNKNOWN_PARAMETER: Reply = Reply::fixed(555, EnhancedCode(5, 5, 4), "Parameter not supported");
const NEEDS_SMTPUTF8: Reply =
    Reply::fixed(553, EnhancedCode(5, 6, 7), "A non-ASCII address needs the parameter SMTPUTF8");
const BAD_AUTH: Reply = Reply::fixed(501, EnhancedCode(5, 5, 4), "Syntax: AUTH mechanism [response]");

impl Command {
    /// Reads a line without its CRLF. The error is the reply to give.
    pub fn parse(line: &[u8]) -> Result<Command, Reply> {
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
        let room = match &*upper {
            b"MAIL" | b"RCPT" => PATH_LINE_BYTES_MAX,
            b"AUTH" => AUTH_LINE_BYTES_MAX,
            _ => COMMAND_LINE_BYTES_MAX,
        };
        if line.len() + "\r\n".len() > room {
            return Err(TOO_LONG);
        }
        Command::from_verb(upper, argument)
    }

    fn from_verb(verb: &[u8], argument: &str) -> Result<Command, Reply> {
        let alone = |command: Command| match argument.is_empty() {
            true => Ok(command),
            false => Err(NO_ARGUMENT),
        };
        match verb {
            b"MAIL" => parse_mail(argument).map(Command::Mail),
            b"RCPT" => parse_rcpt(argument).map(Command::Rcpt),
            b"DATA" => alone(Command::Data),
            b"BDAT" => Ok(Command::Bdat(parse_bdat(argument))),
            b"EHLO" => parse_name(argument).map(Command::Ehlo),
            b"HELO" => parse_name(argument).map(Command::Helo),
            b"LHLO" => Ok(Command::Lhlo),
            b"STARTTLS" => alone(Command::StartTls),
            b"AUTH" => parse_auth(argument).map(Command::Auth),
            b"RSET" => alone(Command::Rset),
            b"QUIT" => alone(Command::Quit),
            b"NOOP" => Ok(Command::Noop),
            b"HELP" => Ok(Command::Help),
            b"VRFY" => Ok(Command::Vrfy),
            b"EXPN" => Ok(Command::Expn),
            b"GET" | b"HEAD" | b"POST" | b"PUT" | b"OPTIONS" | b"CONNECT" => Ok(Command::Http),
            _ => Err(UNKNOWN),
        }
    }
}

/// Longest verb known, in bytes.
const VERB_BYTES_MAX: usize = 8;

/// A host name, an address literal, or what careless clients say instead, as long as it is harmless in a trace field.
fn parse_name(argument: &str) -> Result<String, Reply> {
    let harmless = |byte: u8| byte.is_ascii_graphic() && !b"()<>@,;\\\"".contains(&byte);
    let bounded = (1..=DOMAIN_BYTES_MAX).contains(&argument.len());
    match bounded && argument.bytes().all(harmless) {
        true => Ok(argument.to_owned()),
        false => Err(BAD_NAME),
    }
}

/// Strips `keyword` in any case, and the blanks that many clients put behind its colon.
fn after_keyword<'a>(argument: &'a str, keyword: &str) -> Option<&'a str> {
    let head = argument.get(..keyword.len())?;
    head.eq_ignore_ascii_case(keyword).then(|| argument[keyword.len()..].trim_start_matches(' '))
}

fn parse_mail(argument: &str) -> Result<MailCommand, Reply> {
    let text = after_keyword(argument, "FROM:").ok_or(BAD_MAIL)?;
    let (path, rest) = path::parse(text).ok_or(BAD_SENDER)?;
    let from = match path {
        Path::Null => None,
        // Only a recipient may be without a domain (RFC 5321 §4.1.1.3).
        Path::Address(address) if address.domain().is_none() => return Err(BAD_SENDER),
        Path::Address(address) => Some(address),
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
    fn add_parameter(&mut self, parameter: &str) -> Result<(), Reply> {
        let (key, value) = match parameter.split_once('=') {
            Some((key, value)) => (key, Some(value)),
            None => (parameter, None),
        };
        let fresh = match key.to_ascii_uppercase().as_str() {
            "SIZE" => self.size.replace(parse_size(value)?).is_none(),
            "BODY" => self.body.replace(parse_body(value)?).is_none(),
            "SMTPUTF8" if value.is_none() => !std::mem::replace(&mut self.smtputf8, true),
            "AUTH" if value.is_some_and(is_xtext) => !std::mem::replace(&mut self.auth, true),
            "SMTPUTF8" | "AUTH" => false,
            _ => return Err(UNKNOWN_PARAMETER),
        };
        match fresh {
            true => Ok(()),
            false => Err(BAD_PARAMETER),
        }
    }
}

fn parse_rcpt(argument: &str) -> Result<EnvelopeAddress, Reply> {
    let text = after_keyword(argument, "TO:").ok_or(BAD_RCPT)?;
    match path::parse(text) {
        Some((Path::Address(address), rest)) => match parameters(rest)?.next() {
            None => Ok(address),
            // NOTIFY and ORCPT belong to DSN (RFC 3461), which is not announced.
            Some(_) => Err(UNKNOWN_PARAMETER),
        },
        _ => Err(BAD_RECIPIENT),
    }
}

/// The parameters behind a path, which a blank must separate from it.
fn parameters(rest: &str) -> Result<impl Iterator<Item = &str>, Reply> {
    match rest.is_empty() || rest.starts_with(' ') {
        true => Ok(rest.split(' ').filter(|word| !word.is_empty())),
        false => Err(BAD_PARAMETER),
    }
}

/// Digits only: what `u64` would take besides, a sign, is no size (RFC 1870 §3 allows 20 digits).
fn parse_size(value: Option<&str>) -> Result<u64, Reply> {
    let digits = value.ok_or(BAD_PARAMETER)?;
    let all = (1..=20).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_digit());
    match all {
        // Twenty digits can exceed 64 bits; such a message is too large in any case.
        true => Ok(digits.parse().unwrap_or(u64::MAX)),
        false => Err(BAD_PARAMETER),
    }
}

fn parse_body(value: Option<&str>) -> Result<Body, Reply> {
    let value = value.ok_or(BAD_PARAMETER)?;
    if value.eq_ignore_ascii_case("7BIT") {
        Ok(Body::SevenBit)
    } else if value.eq_ignore_ascii_case("8BITMIME") {
        Ok(Body::EightBitMime)
    } else if value.eq_ignore_ascii_case("BINARYMIME") {
        // Needs an announcement of its own (RFC 3030 §3), which is not made: bare line breaks are refused.
        Err(UNKNOWN_PARAMETER)
    } else {
        Err(BAD_PARAMETER)
    }
}

fn is_xtext(value: &str) -> bool {
    !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_graphic())
}

fn parse_bdat(argument: &str) -> Option<Chunk> {
    let (size, last) = match argument.split_once(' ') {
        Some((size, word)) if word.eq_ignore_ascii_case("LAST") => (size, true),
        Some(_) => return None,
        None => (argument, false),
    };
    let bytes = parse_size(Some(size)).ok()?;
    Some(Chunk { bytes, last })
}

fn parse_auth(argument: &str) -> Result<AuthCommand, Reply> {
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
