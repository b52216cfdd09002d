//! One method per SMTP verb: checks and changes the state of the session, and replies (RFC 5321 §4.1.1, §4.1.4).

use super::super::command::{EnvelopeAddress, MailCommand, SmtpCommand};
use super::super::reply::ServerReply;
use super::transaction::PendingEnvelope;
use super::{
    AuthMode, ClientGreeting, PendingDecision, RecipientQuery, SenderQuery, ServerPhase, ServerSession, ServerStep,
    TlsMode, replies,
};

/// Recipients beyond the limit that are refused individually in one transaction before the session ends.
const RECIPIENTS_OVER_MAX: u32 = 1000;

impl ServerSession {
    pub(super) fn run(&mut self, line: &[u8]) -> Option<ServerStep> {
        let command = match SmtpCommand::parse(line) {
            Ok(command) => command,
            Err(reply) => {
                self.refuse(&reply);
                return None;
            }
        };
        if !self.may_continue(&command) {
            let max = self.config.commands_idle_max;
            self.close_for_policy(&format!(
                "Too many commands without a message ({max} in a session), reconnect to go on"
            ));
            return None;
        }
        match command {
            SmtpCommand::Ehlo(name) => self.ehlo(name),
            SmtpCommand::Helo(name) => self.helo(name),
            SmtpCommand::Lhlo => self.refuse(&replies::NO_LMTP),
            SmtpCommand::StartTls => self.start_tls(),
            SmtpCommand::Mail(mail) => return self.mail(mail),
            SmtpCommand::Rcpt(address) => return self.rcpt(address),
            SmtpCommand::Data => self.begin_data(),
            SmtpCommand::Bdat(chunk) => self.begin_chunk(chunk),
            SmtpCommand::Auth(auth) => return self.auth(auth),
            SmtpCommand::Vrfy => self.reply(&replies::VRFY),
            SmtpCommand::Expn => self.refuse(&replies::NO_EXPN),
            SmtpCommand::Help => self.reply(&replies::help(&self.config)),
            SmtpCommand::Noop => self.reply(&replies::OK),
            SmtpCommand::Rset => self.rset(),
            SmtpCommand::Quit => self.quit(),
            SmtpCommand::HttpRequest => self.refuse_and_close(&replies::NO_HTTP),
        }
        None
    }

    /// Counts commands that don't help to complete a message. Returns whether the client may continue.
    fn may_continue(&mut self, command: &SmtpCommand) -> bool {
        let idle = match command {
            SmtpCommand::Rcpt(_) | SmtpCommand::Data | SmtpCommand::Quit => false,
            SmtpCommand::Bdat(chunk) => chunk.is_some_and(|chunk| chunk.bytes == 0),
            _ => true,
        };
        self.counts.commands_idle += u32::from(idle);
        self.counts.commands_idle <= self.config.commands_idle_max
    }

    fn ehlo(&mut self, name: String) {
        self.envelope = None;
        let config = &self.config;
        let mut text = format!(
            "{}\nPIPELINING\nSIZE {}\n8BITMIME\nENHANCEDSTATUSCODES\nSMTPUTF8\nCHUNKING\nLIMITS RCPTMAX={} MAILMAX={}",
            config.hostname, config.message_bytes_max, config.recipients_max, config.messages_max
        );
        if config.tls == TlsMode::StartTls && !self.tls {
            text.push_str("\nSTARTTLS");
        }
        if self.may_login() {
            text.push_str("\nAUTH PLAIN LOGIN");
        }
        text.push_str("\nHELP");
        self.reply(&ServerReply::plain(250, text));
        self.hello = Some(ClientGreeting { name, extended: true });
    }

    fn helo(&mut self, name: String) {
        self.envelope = None;
        let reply = ServerReply::plain(250, &self.config.hostname);
        self.reply(&reply);
        self.hello = Some(ClientGreeting { name, extended: false });
    }

    fn start_tls(&mut self) {
        match self.config.tls {
            _ if self.tls => self.refuse(&replies::TLS_ALREADY),
            TlsMode::StartTls => {
                self.reply(&replies::TLS_READY);
                // Input after STARTTLS was sent in plaintext and could be injected (RFC 3207 §6, CVE-2011-0411).
                self.input = super::InputBuffer::default();
                self.phase = ServerPhase::TlsWanted;
            }
            TlsMode::Unavailable | TlsMode::Active => self.refuse(&replies::NO_TLS),
        }
    }

    fn mail(&mut self, mail: MailCommand) -> Option<ServerStep> {
        let Some(hello) = &self.hello else {
            self.refuse(&replies::HELLO_FIRST);
            return None;
        };
        let offers_auth = self.config.auth != AuthMode::Never;
        let refusal = if self.envelope.is_some() {
            Some(replies::MAIL_TWICE)
        } else if offers_auth && self.user.is_none() {
            Some(replies::LOGIN_NEEDED)
        } else if !hello.extended && mail.has_parameters() {
            Some(replies::PARAMETERS_NEED_EHLO)
        } else if mail.auth && !offers_auth {
            Some(replies::PARAMETER_UNKNOWN)
        } else if mail.size.is_some_and(|size| size > self.config.message_bytes_max) {
            Some(replies::too_large(self.config.message_bytes_max))
        } else {
            None
        };
        if let Some(reply) = refusal {
            self.refuse(&reply);
            return None;
        }
        if self.counts.messages >= self.config.messages_max {
            let max = self.config.messages_max;
            self.close_for_policy(&format!("Too many messages ({max} in a session), reconnect to send more"));
            return None;
        }
        let query = SenderQuery {
            mail_from: mail.from.clone(),
            size: mail.size,
            helo: hello.name.clone(),
            user: self.user.clone(),
        };
        self.phase = ServerPhase::Awaiting(PendingDecision::Sender(Box::new(PendingEnvelope::new(mail))));
        Some(ServerStep::Sender(query))
    }

    fn rcpt(&mut self, address: EnvelopeAddress) -> Option<ServerStep> {
        let Some(envelope) = &mut self.envelope else {
            self.refuse(&replies::MAIL_FIRST);
            return None;
        };
        if envelope.chunks.is_some() {
            self.refuse(&replies::CHUNKS_BEGUN);
            return None;
        }
        if !envelope.smtputf8 && !address.is_ascii() {
            self.refuse(&replies::NEEDS_SMTPUTF8);
            return None;
        }
        if envelope.recipients.len() >= self.config.recipients_max {
            // Not an error of the client: it sends the remaining recipients in another transaction
            // (RFC 5321 §4.5.3.1.10).
            envelope.recipients_over += 1;
            let may_continue = envelope.recipients_over <= RECIPIENTS_OVER_MAX;
            let max = self.config.recipients_max;
            self.reply(&replies::too_many_recipients(max));
            if !may_continue {
                self.close_for_policy(&format!("Too many recipients ({max} in a message), reconnect to name others"));
            }
            return None;
        }
        let query = RecipientQuery {
            address: address.clone(),
            mail_from: envelope.mail_from.clone(),
            size: envelope.size,
            accepted: envelope.recipients.len(),
            user: self.user.clone(),
        };
        self.phase = ServerPhase::Awaiting(PendingDecision::Recipient(address));
        Some(ServerStep::Recipient(query))
    }

    fn rset(&mut self) {
        self.envelope = None;
        self.reply(&replies::OK);
    }

    fn quit(&mut self) {
        let reply = replies::closing(&self.config.hostname);
        self.refuse_and_close(&reply);
    }
}
