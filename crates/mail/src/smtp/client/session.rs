//! The session around the messages: greeting, EHLO, STARTTLS, AUTH, RSET and QUIT.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use super::extensions::ServerExtensions;
use super::message::OutboundMessage;
use super::outcome::{ConnectionFailure, SmtpStage};
use super::reply::{ReceivedReply, ReplyReader};
use super::transaction::{OutboundTransaction, TransactionStep};
use super::{
    COMMAND_TIMEOUT_MS, ClientConfig, ClientCredentials, ClientStep, DATA_END_TIMEOUT_MS, DATA_PIECE_TIMEOUT_MS,
    DATA_START_TIMEOUT_MS, GREETING_TIMEOUT_MS, NotReadyError, QUIT_TIMEOUT_MS, TLS_TIMEOUT_MS, TlsPolicy,
};

/// Longest `AUTH` command with an initial response, in bytes with its CRLF (RFC 4954 §4, RFC 5321 §4.5.3.1.4).
const AUTH_LINE_BYTES_MAX: usize = 512;

/// The state of a session: usually the reply it waits for.
#[derive(Debug)]
enum ClientState {
    Greeting,
    Ehlo,
    Helo,
    StartTlsReply,
    Handshake,
    /// `AUTH PLAIN` or `AUTH LOGIN`: the responses to the remaining 334 challenges, last one first.
    Auth(Vec<String>),
    Ready,
    /// `RSET` before sending this message.
    Reset(OutboundMessage),
    Sending(Box<OutboundTransaction>),
    Quit,
    /// A failure to report after the outcomes.
    Failing(ConnectionFailure),
    Closed,
}

/// A state machine for one connection to one server. The [module](super) describes how to drive it.
#[derive(Debug)]
pub struct ClientSession {
    config: ClientConfig,
    state: ClientState,
    replies: ReplyReader,
    /// A command to write before anything else.
    command: Option<String>,
    offered: ServerExtensions,
    encrypted: bool,
    needs_reset: bool,
    /// Why the connection was lost, if it was.
    lost: Option<String>,
}

/// The next step, or `None` if the state has changed and must be evaluated again.
type ClientProgress = Result<Option<ClientStep>, ConnectionFailure>;

impl ClientSession {
    /// Creates a session for a connection that has just been opened.
    #[must_use]
    pub fn new(config: ClientConfig) -> Self {
        Self {
            encrypted: config.tls == TlsPolicy::Implicit,
            config,
            state: ClientState::Greeting,
            replies: ReplyReader::default(),
            command: None,
            offered: ServerExtensions::default(),
            needs_reset: false,
            lost: None,
        }
    }

    /// Accepts bytes from the server, split in any way.
    pub fn receive(&mut self, bytes: &[u8]) {
        self.replies.receive(bytes);
    }

    /// Reports that the connection is lost: closed by the server, broken, or timed out. `reason` appears in outcomes.
    /// Replies received earlier are still processed; call [`ClientSession::step`] until it fails or closes.
    pub fn connection_lost(&mut self, reason: &str) {
        self.lost = Some(reason.to_owned());
    }

    /// Reports that the handshake requested by [`ClientStep::StartTls`] has completed.
    pub fn tls_started(&mut self) {
        if let ClientState::Handshake = self.state {
            self.encrypted = true;
            // The client must discard what it learned in plaintext (RFC 3207 §4.2).
            self.offered = ServerExtensions::default();
            self.enter(ClientState::Ehlo, format!("EHLO {}", self.ehlo_name()));
        }
    }

    /// Reports that the handshake failed. The next step is the failure.
    pub fn tls_failed(&mut self, reason: &str) {
        if let ClientState::Handshake = self.state {
            let mut failure = ConnectionFailure::without_reply(SmtpStage::StartTls, reason);
            // A password must not be sent in a second attempt without TLS.
            failure.retry_without_tls = self.config.tls == TlsPolicy::Opportunistic && self.config.auth.is_none();
            self.state = ClientState::Failing(failure);
        }
    }

    /// Starts sending a message.
    ///
    /// # Errors
    /// Returns [`NotReadyError`] unless the last step was [`ClientStep::Ready`].
    pub fn send(&mut self, message: OutboundMessage) -> Result<(), NotReadyError> {
        let ClientState::Ready = self.state else {
            return Err(NotReadyError);
        };
        if self.needs_reset {
            self.enter(ClientState::Reset(message), "RSET".to_owned());
        } else {
            self.start_message(message);
        }
        Ok(())
    }

    /// Sends `QUIT` if the session is idle; otherwise the next step is [`ClientStep::Closed`].
    pub fn quit(&mut self) {
        if matches!(self.state, ClientState::Ready) && self.lost.is_none() {
            self.enter(ClientState::Quit, "QUIT".to_owned());
        } else {
            self.state = ClientState::Closed;
        }
    }

    /// Returns the extensions in the server's last reply to `EHLO`.
    #[must_use]
    pub fn extensions(&self) -> &ServerExtensions {
        &self.offered
    }

    /// Returns the timeout of the current step in milliseconds. When it expires, call [`ClientSession::connection_lost`].
    #[must_use]
    pub fn deadline_ms(&self) -> u64 {
        match &self.state {
            ClientState::Greeting => GREETING_TIMEOUT_MS,
            ClientState::Handshake => TLS_TIMEOUT_MS,
            ClientState::Quit | ClientState::Closed | ClientState::Failing(_) => QUIT_TIMEOUT_MS,
            ClientState::Sending(transaction) if transaction.is_writing_body() => DATA_PIECE_TIMEOUT_MS,
            ClientState::Sending(transaction) if transaction.stage() == SmtpStage::Data => DATA_START_TIMEOUT_MS,
            ClientState::Sending(transaction) if transaction.stage() == SmtpStage::EndOfData => DATA_END_TIMEOUT_MS,
            _ => COMMAND_TIMEOUT_MS,
        }
    }

    /// Returns the next step. Call it again after each step, and after each call that passes something to the session.
    pub fn step(&mut self) -> ClientStep {
        loop {
            let step = match self.progress() {
                Ok(Some(step)) => step,
                Ok(None) => continue,
                Err(failure) => return self.fail(failure),
            };
            let needs_peer =
                matches!(step, ClientStep::Write(_) | ClientStep::NeedInput | ClientStep::StartTls | ClientStep::Ready);
            return match &self.lost {
                Some(_) if needs_peer && matches!(self.state, ClientState::Quit) => {
                    self.state = ClientState::Closed;
                    ClientStep::Closed
                }
                Some(reason) if needs_peer => self.fail(ConnectionFailure::without_reply(self.stage(), reason)),
                _ => step,
            };
        }
    }

    fn progress(&mut self) -> ClientProgress {
        if let Some(command) = self.command.take() {
            self.require_no_input()?;
            return Ok(Some(ClientStep::Write(format!("{command}\r\n").into_bytes())));
        }
        match &mut self.state {
            ClientState::Ready => self.require_no_input().map(|()| Some(ClientStep::Ready)),
            ClientState::Handshake => self.require_no_input().map(|()| Some(ClientStep::StartTls)),
            ClientState::Sending(transaction) => match transaction.advance(&mut self.replies) {
                TransactionStep::Write(bytes) => Ok(Some(ClientStep::Write(bytes))),
                TransactionStep::NeedInput => Ok(Some(ClientStep::NeedInput)),
                TransactionStep::Failed(failure) => Err(failure),
                TransactionStep::Finished => Ok(self.finish()),
            },
            ClientState::Quit => Ok(Some(match self.replies.take() {
                Ok(None) => ClientStep::NeedInput,
                Ok(Some(_)) | Err(_) => {
                    self.state = ClientState::Closed;
                    ClientStep::Closed
                }
            })),
            ClientState::Failing(failure) => {
                let failure = failure.clone();
                self.state = ClientState::Closed;
                Ok(Some(ClientStep::Failed(failure)))
            }
            ClientState::Closed => Ok(Some(ClientStep::Closed)),
            _ => match self.take_reply()? {
                Some(reply) => self.on_reply(&reply).map(|()| None),
                None => Ok(Some(ClientStep::NeedInput)),
            },
        }
    }

    /// Fails if unread input exists when it is our turn to send. It would be mistaken for the reply to the next
    /// command; after `STARTTLS` it would be injected into the encrypted session (RFC 3207 §6).
    fn require_no_input(&mut self) -> Result<(), ConnectionFailure> {
        let no_input = self.take_reply()?.is_none() && self.replies.is_empty();
        if no_input { Ok(()) } else { Err(ConnectionFailure::unexpected_bytes(self.stage())) }
    }

    /// Returns the next reply. A 421 ends the connection at any time (RFC 5321 §3.8).
    fn take_reply(&mut self) -> Result<Option<ReceivedReply>, ConnectionFailure> {
        match self.replies.take() {
            Ok(Some(reply)) if reply.code == 421 => Err(ConnectionFailure::refused(self.stage(), &reply)),
            Ok(reply) => Ok(reply),
            Err(error) => Err(ConnectionFailure::without_reply(self.stage(), &error.to_string())),
        }
    }

    fn on_reply(&mut self, reply: &ReceivedReply) -> Result<(), ConnectionFailure> {
        let stage = self.stage();
        let success = reply.is_success();
        match &mut self.state {
            ClientState::Greeting if success => self.enter(ClientState::Ehlo, format!("EHLO {}", self.ehlo_name())),
            ClientState::Ehlo if success => {
                self.offered = ServerExtensions::of(reply);
                self.start_tls_or_authenticate()?;
            }
            // HELO offers no extensions, so it can't be used if TLS or a login is required (RFC 5321 §3.2).
            ClientState::Ehlo
                if reply.code >= 500 && self.config.tls != TlsPolicy::Required && self.config.auth.is_none() =>
            {
                self.enter(ClientState::Helo, format!("HELO {}", self.ehlo_name()));
            }
            ClientState::Helo if success => self.state = ClientState::Ready,
            ClientState::StartTlsReply if reply.code == 220 => self.state = ClientState::Handshake,
            ClientState::StartTlsReply if reply.is_refusal() && self.config.tls == TlsPolicy::Opportunistic => {
                self.authenticate()?
            }
            ClientState::Auth(_) if success => self.state = ClientState::Ready,
            ClientState::Auth(responses) if reply.code == 334 => match responses.pop() {
                Some(response) => self.command = Some(response),
                None => return Err(ConnectionFailure::unexpected(stage, reply)),
            },
            ClientState::Reset(_) if success => {
                if let ClientState::Reset(message) = std::mem::replace(&mut self.state, ClientState::Ready) {
                    self.start_message(message);
                }
            }
            _ if reply.is_refusal() => return Err(ConnectionFailure::refused(stage, reply)),
            _ => return Err(ConnectionFailure::unexpected(stage, reply)),
        }
        Ok(())
    }

    /// Continues after EHLO: starts TLS if the policy asks for it, otherwise logs in.
    fn start_tls_or_authenticate(&mut self) -> Result<(), ConnectionFailure> {
        let wants_tls = !self.encrypted && matches!(self.config.tls, TlsPolicy::Opportunistic | TlsPolicy::Required);
        if wants_tls && self.offered.starttls {
            self.enter(ClientState::StartTlsReply, "STARTTLS".to_owned());
            return Ok(());
        }
        if wants_tls && self.config.tls == TlsPolicy::Required {
            return Err(ConnectionFailure::without_reply(SmtpStage::StartTls, "the server does not offer TLS"));
        }
        self.authenticate()
    }

    fn authenticate(&mut self) -> Result<(), ConnectionFailure> {
        let Some(ClientCredentials { username, password }) = &self.config.auth else {
            self.state = ClientState::Ready;
            return Ok(());
        };
        let fail = |reason| Err(ConnectionFailure::without_reply(SmtpStage::Auth, reason));
        if !self.encrypted && self.config.tls != TlsPolicy::Off {
            return fail("the server does not offer TLS, and the password is not sent in plaintext");
        }
        let (command, responses) = if self.offered.auth_plain {
            let response = STANDARD.encode(format!("\0{username}\0{password}"));
            let command = format!("AUTH PLAIN {response}");
            if command.len() + 2 <= AUTH_LINE_BYTES_MAX {
                (command, vec![])
            } else {
                ("AUTH PLAIN".to_owned(), vec![response])
            }
        } else if self.offered.auth_login {
            ("AUTH LOGIN".to_owned(), vec![STANDARD.encode(password), STANDARD.encode(username)])
        } else {
            return fail("the server offers neither AUTH PLAIN nor AUTH LOGIN");
        };
        self.enter(ClientState::Auth(responses), command);
        Ok(())
    }

    fn enter(&mut self, state: ClientState, command: String) {
        self.state = state;
        self.command = Some(command);
    }

    fn start_message(&mut self, message: OutboundMessage) {
        self.state = ClientState::Sending(Box::new(OutboundTransaction::new(message, &self.offered)));
    }

    fn finish(&mut self) -> Option<ClientStep> {
        match std::mem::replace(&mut self.state, ClientState::Ready) {
            ClientState::Sending(transaction) => {
                self.needs_reset = transaction.needs_reset();
                Some(ClientStep::Done(transaction.into_outcomes()))
            }
            _ => None,
        }
    }

    /// Ends the session. Reports the outcomes of a message in progress first.
    fn fail(&mut self, failure: ConnectionFailure) -> ClientStep {
        self.command = None;
        let transaction = match std::mem::replace(&mut self.state, ClientState::Closed) {
            ClientState::Sending(transaction) => *transaction,
            ClientState::Reset(message) => OutboundTransaction::new(message, &self.offered),
            _ => return ClientStep::Failed(failure),
        };
        let outcomes = transaction.into_outcomes_after(&failure);
        self.state = ClientState::Failing(failure);
        ClientStep::Done(outcomes)
    }

    fn stage(&self) -> SmtpStage {
        match &self.state {
            ClientState::Greeting => SmtpStage::Greeting,
            ClientState::Ehlo | ClientState::Helo => SmtpStage::Ehlo,
            ClientState::StartTlsReply | ClientState::Handshake => SmtpStage::StartTls,
            ClientState::Auth(_) => SmtpStage::Auth,
            ClientState::Reset(_) => SmtpStage::Reset,
            ClientState::Sending(transaction) => transaction.stage(),
            ClientState::Ready | ClientState::Quit | ClientState::Closed => SmtpStage::Idle,
            ClientState::Failing(failure) => failure.stage,
        }
    }

    /// Returns the configured name without characters that could end the command.
    fn ehlo_name(&self) -> String {
        self.config.ehlo_name.chars().filter(|next| next.is_ascii_alphanumeric() || ".-_:[]".contains(*next)).collect()
    }
}
