//! The dialogue around the messages: greeting, EHLO, STARTTLS, AUTH, RSET, QUIT.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use super::extensions::Extensions;
use super::message::Message;
use super::outcome::{ConnectionFailure, Stage};
use super::reply::{Replies, Reply};
use super::transaction::{Transaction, Turn};
use super::{
    COMMAND_TIMEOUT_MS, Config, Credentials, DATA_END_TIMEOUT_MS, DATA_PIECE_TIMEOUT_MS, DATA_START_TIMEOUT_MS,
    GREETING_TIMEOUT_MS, NotReady, QUIT_TIMEOUT_MS, Step, TLS_TIMEOUT_MS, Tls,
};

/// Longest `AUTH` command with an initial response, in bytes with its CRLF (RFC 4954 §4, RFC 5321 §4.5.3.1.4).
const AUTH_LINE_BYTES_MAX: usize = 512;

/// What the session waits for.
#[derive(Debug)]
enum State {
    Greeting,
    Ehlo,
    Helo,
    StartTlsReply,
    Handshake,
    /// `AUTH PLAIN` or `AUTH LOGIN`: what to answer to each 334 still to come, last one first.
    Auth(Vec<String>),
    Ready,
    /// `RSET` before this message.
    Reset(Message),
    Sending(Box<Transaction>),
    Quit,
    /// A failure to be told after the outcomes.
    Failing(ConnectionFailure),
    Closed,
}

/// One connection to one server, as a state machine. See the [module](super) for how to drive it.
#[derive(Debug)]
pub struct ClientSession {
    config: Config,
    state: State,
    replies: Replies,
    /// A command to be written before anything else happens.
    command: Option<String>,
    offered: Extensions,
    encrypted: bool,
    needs_reset: bool,
    /// Why the connection is gone, once it is.
    lost: Option<String>,
}

/// Either the next step, or nothing yet: look again.
type Progress = Result<Option<Step>, ConnectionFailure>;

impl ClientSession {
    /// A session for a connection that has just been made.
    #[must_use]
    pub fn new(config: Config) -> Self {
        Self {
            encrypted: config.tls == Tls::Implicit,
            config,
            state: State::Greeting,
            replies: Replies::default(),
            command: None,
            offered: Extensions::default(),
            needs_reset: false,
            lost: None,
        }
    }

    /// Takes bytes from the peer, in whatever pieces they come.
    pub fn receive(&mut self, bytes: &[u8]) {
        self.replies.receive(bytes);
    }

    /// The connection is gone: closed by the peer, failed, or past its time limit. `why` is shown to people. Replies that
    /// came before are still heard; ask [`ClientSession::step`] until it fails or closes.
    pub fn lost(&mut self, why: &str) {
        self.lost = Some(why.to_owned());
    }

    /// The handshake that [`Step::StartTls`] asked for is done.
    pub fn tls_started(&mut self) {
        if let State::Handshake = self.state {
            self.encrypted = true;
            // What was learnt in plaintext is forgotten (RFC 3207 §4.2).
            self.offered = Extensions::default();
            self.enter(State::Ehlo, format!("EHLO {}", self.ehlo_name()));
        }
    }

    /// The handshake failed. The next step is the failure.
    pub fn tls_failed(&mut self, why: &str) {
        if let State::Handshake = self.state {
            let mut failure = ConnectionFailure::without_reply(Stage::StartTls, why);
            // A second attempt in plaintext must not carry a password.
            failure.retry_without_tls = self.config.tls == Tls::Opportunistic && self.config.auth.is_none();
            self.state = State::Failing(failure);
        }
    }

    /// Hands over a message.
    ///
    /// # Errors
    /// [`NotReady`] unless the last step was [`Step::Ready`].
    pub fn send(&mut self, message: Message) -> Result<(), NotReady> {
        let State::Ready = self.state else {
            return Err(NotReady);
        };
        if self.needs_reset {
            self.enter(State::Reset(message), "RSET".to_owned());
        } else {
            self.begin(message);
        }
        Ok(())
    }

    /// Says good-bye if the dialogue is at a place for it; else the next step is [`Step::Closed`].
    pub fn quit(&mut self) {
        if matches!(self.state, State::Ready) && self.lost.is_none() {
            self.enter(State::Quit, "QUIT".to_owned());
        } else {
            self.state = State::Closed;
        }
    }

    /// What the server offered in its last answer to `EHLO`.
    #[must_use]
    pub fn extensions(&self) -> &Extensions {
        &self.offered
    }

    /// How long the current step may take, in milliseconds; then call [`ClientSession::lost`].
    #[must_use]
    pub fn deadline_ms(&self) -> u64 {
        match &self.state {
            State::Greeting => GREETING_TIMEOUT_MS,
            State::Handshake => TLS_TIMEOUT_MS,
            State::Quit | State::Closed | State::Failing(_) => QUIT_TIMEOUT_MS,
            State::Sending(transaction) if transaction.is_writing_body() => DATA_PIECE_TIMEOUT_MS,
            State::Sending(transaction) if transaction.stage() == Stage::Data => DATA_START_TIMEOUT_MS,
            State::Sending(transaction) if transaction.stage() == Stage::EndOfData => DATA_END_TIMEOUT_MS,
            _ => COMMAND_TIMEOUT_MS,
        }
    }

    /// What to do next. Ask again after each step, and after each call that feeds the session.
    pub fn step(&mut self) -> Step {
        loop {
            let step = match self.progress() {
                Ok(Some(step)) => step,
                Ok(None) => continue,
                Err(failure) => return self.fail(failure),
            };
            let needs_peer = matches!(step, Step::Write(_) | Step::NeedInput | Step::StartTls | Step::Ready);
            return match &self.lost {
                Some(_) if needs_peer && matches!(self.state, State::Quit) => {
                    self.state = State::Closed;
                    Step::Closed
                }
                Some(why) if needs_peer => self.fail(ConnectionFailure::without_reply(self.stage(), why)),
                _ => step,
            };
        }
    }

    fn progress(&mut self) -> Progress {
        if let Some(command) = self.command.take() {
            self.expect_silence()?;
            return Ok(Some(Step::Write(format!("{command}\r\n").into_bytes())));
        }
        match &mut self.state {
            State::Ready => self.expect_silence().map(|()| Some(Step::Ready)),
            State::Handshake => self.expect_silence().map(|()| Some(Step::StartTls)),
            State::Sending(transaction) => match transaction.turn(&mut self.replies) {
                Turn::Write(bytes) => Ok(Some(Step::Write(bytes))),
                Turn::NeedInput => Ok(Some(Step::NeedInput)),
                Turn::Broken(failure) => Err(failure),
                Turn::Finished => Ok(self.finish()),
            },
            State::Quit => Ok(Some(match self.replies.take() {
                Ok(None) => Step::NeedInput,
                Ok(Some(_)) | Err(_) => {
                    self.state = State::Closed;
                    Step::Closed
                }
            })),
            State::Failing(failure) => {
                let failure = failure.clone();
                self.state = State::Closed;
                Ok(Some(Step::Failed(failure)))
            }
            State::Closed => Ok(Some(Step::Closed)),
            _ => match self.take_reply()? {
                Some(reply) => self.on_reply(&reply).map(|()| None),
                None => Ok(Some(Step::NeedInput)),
            },
        }
    }

    /// Nothing may wait when it is our turn to speak: it would be taken for the answer to what comes next, and behind
    /// `STARTTLS` it would be an injection into the encrypted dialogue (RFC 3207 §6).
    fn expect_silence(&mut self) -> Result<(), ConnectionFailure> {
        let silent = self.take_reply()?.is_none() && self.replies.is_empty();
        if silent { Ok(()) } else { Err(ConnectionFailure::out_of_turn(self.stage())) }
    }

    /// The next reply; 421 ends the connection at any time (RFC 5321 §3.8).
    fn take_reply(&mut self) -> Result<Option<Reply>, ConnectionFailure> {
        match self.replies.take() {
            Ok(Some(reply)) if reply.code == 421 => Err(ConnectionFailure::refused(self.stage(), &reply)),
            Ok(reply) => Ok(reply),
            Err(wrong) => Err(ConnectionFailure::without_reply(self.stage(), &wrong.to_string())),
        }
    }

    fn on_reply(&mut self, reply: &Reply) -> Result<(), ConnectionFailure> {
        let stage = self.stage();
        let success = reply.is_success();
        match &mut self.state {
            State::Greeting if success => self.enter(State::Ehlo, format!("EHLO {}", self.ehlo_name())),
            State::Ehlo if success => {
                self.offered = Extensions::of(reply);
                self.secure()?;
            }
            // HELO offers nothing: no use where TLS or a login is a must (RFC 5321 §3.2).
            State::Ehlo if reply.code >= 500 && self.config.tls != Tls::Required && self.config.auth.is_none() => {
                self.enter(State::Helo, format!("HELO {}", self.ehlo_name()));
            }
            State::Helo if success => self.state = State::Ready,
            State::StartTlsReply if reply.code == 220 => self.state = State::Handshake,
            State::StartTlsReply if reply.is_refusal() && self.config.tls == Tls::Opportunistic => {
                self.authenticate()?
            }
            State::Auth(_) if success => self.state = State::Ready,
            State::Auth(answers) if reply.code == 334 => match answers.pop() {
                Some(answer) => self.command = Some(answer),
                None => return Err(ConnectionFailure::unexpected(stage, reply)),
            },
            State::Reset(_) if success => {
                if let State::Reset(message) = std::mem::replace(&mut self.state, State::Ready) {
                    self.begin(message);
                }
            }
            _ if reply.is_refusal() => return Err(ConnectionFailure::refused(stage, reply)),
            _ => return Err(ConnectionFailure::unexpected(stage, reply)),
        }
        Ok(())
    }

    /// After EHLO: STARTTLS where the policy wants it, else on to the login.
    fn secure(&mut self) -> Result<(), ConnectionFailure> {
        let wanted = !self.encrypted && matches!(self.config.tls, Tls::Opportunistic | Tls::Required);
        if wanted && self.offered.starttls {
            self.enter(State::StartTlsReply, "STARTTLS".to_owned());
            return Ok(());
        }
        if wanted && self.config.tls == Tls::Required {
            return Err(ConnectionFailure::without_reply(Stage::StartTls, "the server does not offer TLS"));
        }
        self.authenticate()
    }

    fn authenticate(&mut self) -> Result<(), ConnectionFailure> {
        let Some(Credentials { username, password }) = &self.config.auth else {
            self.state = State::Ready;
            return Ok(());
        };
        let refuse = |why| Err(ConnectionFailure::without_reply(Stage::Auth, why));
        if !self.encrypted && self.config.tls != Tls::Off {
            return refuse("the server does not offer TLS, and the password is not sent in plaintext");
        }
        let (command, answers) = if self.offered.auth_plain {
            let answer = STANDARD.encode(format!("\0{username}\0{password}"));
            let command = format!("AUTH PLAIN {answer}");
            if command.len() + 2 <= AUTH_LINE_BYTES_MAX {
                (command, vec![])
            } else {
                ("AUTH PLAIN".to_owned(), vec![answer])
            }
        } else if self.offered.auth_login {
            ("AUTH LOGIN".to_owned(), vec![STANDARD.encode(password), STANDARD.encode(username)])
        } else {
            return refuse("the server offers neither AUTH PLAIN nor AUTH LOGIN");
        };
        self.enter(State::Auth(answers), command);
        Ok(())
    }

    fn enter(&mut self, state: State, command: String) {
        self.state = state;
        self.command = Some(command);
    }

    fn begin(&mut self, message: Message) {
        self.state = State::Sending(Box::new(Transaction::new(message, &self.offered)));
    }

    fn finish(&mut self) -> Option<Step> {
        match std::mem::replace(&mut self.state, State::Ready) {
            State::Sending(transaction) => {
                self.needs_reset = transaction.needs_reset();
                Some(Step::Done(transaction.into_outcomes()))
            }
            _ => None,
        }
    }

    /// Ends the dialogue; outcomes of a message under way are told first.
    fn fail(&mut self, failure: ConnectionFailure) -> Step {
        self.command = None;
        let transaction = match std::mem::replace(&mut self.state, State::Closed) {
            State::Sending(transaction) => *transaction,
            State::Reset(message) => Transaction::new(message, &self.offered),
            _ => return Step::Failed(failure),
        };
        let outcomes = transaction.into_outcomes_after(&failure);
        self.state = State::Failing(failure);
        Step::Done(outcomes)
    }

    fn stage(&self) -> Stage {
        match &self.state {
            State::Greeting => Stage::Greeting,
            State::Ehlo | State::Helo => Stage::Ehlo,
            State::StartTlsReply | State::Handshake => Stage::StartTls,
            State::Auth(_) => Stage::Auth,
            State::Reset(_) => Stage::Reset,
            State::Sending(transaction) => transaction.stage(),
            State::Ready | State::Quit | State::Closed => Stage::Idle,
            State::Failing(failure) => failure.stage,
        }
    }

    /// The configured name without what could end the command.
    fn ehlo_name(&self) -> String {
        self.config.ehlo_name.chars().filter(|next| next.is_ascii_alphanumeric() || ".-_:[]".contains(*next)).collect()
    }
}
