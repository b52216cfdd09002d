//! AUTH PLAIN and AUTH LOGIN (RFC 4954, RFC 4616). Does not check or keep passwords.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::super::command::AuthCommand;
use super::super::reply::ServerReply;
use super::{AuthMode, InputLine, LoginCredentials, PendingDecision, ServerPhase, ServerSession, ServerStep, replies};

/// The expected next line of the exchange.
#[derive(Debug)]
pub(super) enum AuthState {
    Plain,
    LoginUser,
    LoginPassword(String),
}

impl ServerSession {
    /// Returns whether AUTH is currently allowed and therefore announced.
    pub(super) fn may_login(&self) -> bool {
        let offered = match self.config.auth {
            AuthMode::Never => false,
            AuthMode::OverTls => self.tls,
            AuthMode::Always => true,
        };
        offered && self.user.is_none()
    }

    pub(super) fn auth(&mut self, auth: AuthCommand) -> Option<ServerStep> {
        let extended = self.hello.as_ref().is_some_and(|hello| hello.extended);
        let refusal = if self.config.auth == AuthMode::Never {
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
            Some("=") => self.handle_response(state, b""),
            Some(initial) => self.handle_response(state, initial.as_bytes()),
            None => {
                self.send_challenge(state);
                None
            }
        }
    }

    fn send_challenge(&mut self, state: AuthState) {
        let text = match state {
            AuthState::Plain => "",
            AuthState::LoginUser => "VXNlcm5hbWU6",
            AuthState::LoginPassword(_) => "UGFzc3dvcmQ6",
        };
        self.reply(&ServerReply::plain(334, text));
        self.phase = ServerPhase::Auth(state);
    }

    pub(super) fn auth_line(&mut self) -> Option<ServerStep> {
        let line = match self.input.next_line() {
            InputLine::Partial => return Some(ServerStep::NeedInput),
            InputLine::Complete(line) => Ok(line),
            InputLine::TooLong => Err(&replies::LINE_TOO_LONG),
            InputLine::BareLineBreak => Err(&replies::BARE_LINE_BREAK),
            InputLine::FarTooLong => {
                self.refuse_and_close(&replies::LINE_TOO_LONG);
                return None;
            }
        };
        let state = match std::mem::replace(&mut self.phase, ServerPhase::Command) {
            ServerPhase::Auth(state) => state,
            other => {
                self.phase = other;
                return None;
            }
        };
        match line {
            Ok(line) if line == b"*" => self.refuse(&replies::LOGIN_CANCELLED),
            Ok(line) => return self.handle_response(state, &line),
            Err(reply) => self.refuse(reply),
        }
        None
    }

    fn handle_response(&mut self, state: AuthState, base64: &[u8]) -> Option<ServerStep> {
        let decoded = STANDARD.decode(base64).ok();
        let Some(text) = decoded.and_then(|bytes| String::from_utf8(bytes).ok()) else {
            self.refuse(&replies::LOGIN_BROKEN);
            return None;
        };
        match state {
            AuthState::Plain => match *text.split('\0').collect::<Vec<_>>() {
                // `[authzid] NUL authcid NUL passwd` (RFC 4616 §2). Acting for another user is not supported.
                [authorization_id, user, password] if authorization_id.is_empty() || authorization_id == user => {
                    return self
                        .request_check(LoginCredentials { user: user.to_owned(), password: password.to_owned() });
                }
                [_, _, _] => self.refuse_login(&replies::LOGIN_REFUSED),
                _ => self.refuse(&replies::LOGIN_BROKEN),
            },
            AuthState::LoginUser => self.send_challenge(AuthState::LoginPassword(text)),
            AuthState::LoginPassword(user) => {
                return self.request_check(LoginCredentials { user, password: text });
            }
        }
        None
    }

    fn request_check(&mut self, credentials: LoginCredentials) -> Option<ServerStep> {
        if credentials.user.is_empty() || credentials.password.is_empty() {
            self.refuse_login(&replies::LOGIN_REFUSED);
            return None;
        }
        self.phase = ServerPhase::Awaiting(PendingDecision::Login(credentials.user.clone()));
        Some(ServerStep::Authenticate(credentials))
    }

    pub(super) fn refuse_login(&mut self, reply: &ServerReply) {
        self.refuse(reply);
        self.counts.logins_failed += 1;
        let closed = matches!(self.phase, ServerPhase::Closed);
        if !closed && self.counts.logins_failed >= self.config.logins_failed_max {
            let max = self.config.logins_failed_max;
            self.close_for_policy(&format!(
                "Too many failed logins ({max} in a session), correct the password and reconnect"
            ));
        }
    }
}
