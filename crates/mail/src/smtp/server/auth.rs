//! AUTH PLAIN and LOGIN (RFC 4954, RFC 4616). Never judges a password and never keeps one.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::super::command::AuthCommand;
use super::super::reply::Reply;
use super::{AuthOffer, Credentials, Line, Phase, Question, ServerSession, Step, replies};

/// What the next line of the exchange is.
#[derive(Debug)]
pub(super) enum AuthState {
    Plain,
    LoginUser,
    LoginPassword(String),
}

impl ServerSession {
    /// Whether AUTH may be used right now, and so is announced.
    pub(super) fn may_login(&self) -> bool {
        let offered = match self.config.auth {
            AuthOffer::Never => false,
            AuthOffer::OverTls => self.tls,
            AuthOffer::Always => true,
        };
        offered && self.user.is_none()
    }

    pub(super) fn auth(&mut self, auth: AuthCommand) -> Option<Step> {
        let extended = self.hello.as_ref().is_some_and(|hello| hello.extended);
        let refusal = if self.config.auth == AuthOffer::Never {
            Some(&replies::NO_AUTH)
        } else if !extended {
            Some(&replies::EHLO_FIRST)
        } else if self.user.is_some() {
            Some(&replies::LOGIN_TWICE)
        } else if self.envelope.is_some() {
            Some(&replies::LOGIN_IN_MAIL)
        } else if !self.may_login() {
            Some(&replies::TLS_NEEDED)
        } else {
            None
        };
        if let Some(reply) = refusal {
            self.refuse(reply);
            return None;
        }
        let state = match auth.mechanism.as_str() {
            "PLAIN" => AuthState::Plain,
            "LOGIN" => AuthState::LoginUser,
            _ => {
                self.refuse(&replies::MECHANISM_UNKNOWN);
                return None;
            }
        };
        match auth.initial.as_deref() {
            // An empty initial response is written `=` (RFC 4954 §4).
            Some("=") => self.response(state, b""),
            Some(initial) => self.response(state, initial.as_bytes()),
            None => {
                self.challenge(state);
                None
            }
        }
    }

    fn challenge(&mut self, state: AuthState) {
        let text = match state {
            AuthState::Plain => "",
            AuthState::LoginUser => "VXNlcm5hbWU6",
            AuthState::LoginPassword(_) => "UGFzc3dvcmQ6",
        };
        self.reply(&Reply::plain(334, text));
        self.phase = Phase::Auth(state);
    }

    pub(super) fn auth_line(&mut self) -> Option<Step> {
        let line = match self.input.next_line() {
            Line::Partial => return Some(Step::NeedInput),
            Line::Complete(line) => Ok(line),
            Line::TooLong => Err(&replies::LINE_TOO_LONG),
            Line::BareLineBreak => Err(&replies::BARE_LINE_BREAK),
            Line::Flood => {
                self.refuse_and_close(&replies::LINE_TOO_LONG);
                return None;
            }
        };
        let state = match std::mem::replace(&mut self.phase, Phase::Command) {
            Phase::Auth(state) => state,
            other => {
                self.phase = other;
                return None;
            }
        };
        match line {
            Ok(line) if line == b"*" => self.refuse(&replies::LOGIN_CANCELLED),
            Ok(line) => return self.response(state, &line),
            Err(reply) => self.refuse(reply),
        }
        None
    }

    fn response(&mut self, state: AuthState, base64: &[u8]) -> Option<Step> {
        let decoded = STANDARD.decode(base64).ok();
        let Some(text) = decoded.and_then(|bytes| String::from_utf8(bytes).ok()) else {
            self.refuse(&replies::LOGIN_BROKEN);
            return None;
        };
        match state {
            AuthState::Plain => match *text.split('\0').collect::<Vec<_>>() {
                // `[authzid] NUL authcid NUL passwd` (RFC 4616 §2); nobody may act for another user here.
                [acting_for, user, password] if acting_for.is_empty() || acting_for == user => {
                    return self.ask(Credentials { user: user.to_owned(), password: password.to_owned() });
                }
                [_, _, _] => self.refuse_login(&replies::LOGIN_REFUSED),
                _ => self.refuse(&replies::LOGIN_BROKEN),
            },
            AuthState::LoginUser => self.challenge(AuthState::LoginPassword(text)),
            AuthState::LoginPassword(user) => {
                return self.ask(Credentials { user, password: text });
            }
        }
        None
    }

    fn ask(&mut self, credentials: Credentials) -> Option<Step> {
        if credentials.user.is_empty() || credentials.password.is_empty() {
            self.refuse_login(&replies::LOGIN_REFUSED);
            return None;
        }
        self.phase = Phase::Awaiting(Question::Login(credentials.user.clone()));
        Some(Step::Authenticate(credentials))
    }

    pub(super) fn refuse_login(&mut self, reply: &Reply) {
        self.refuse(reply);
        self.counts.logins_failed += 1;
        let closed = matches!(self.phase, Phase::Closed);
        if !closed && self.counts.logins_failed >= self.config.logins_failed_max {
            self.hang_up("Too many failed logins");
        }
    }
}
