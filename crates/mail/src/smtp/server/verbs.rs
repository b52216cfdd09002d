//! One method per SMTP verb: checks the state of the session, changes it, replies (RFC 5321 §4.1.1, §4.1.4).

use super::super::command::{Command, EnvelopeAddress, MailCommand};
use super::super::reply::Reply;
use super::transaction::Envelope;
use super::{AuthOffer, Hello, Phase, Question, RecipientQuery, SenderQuery, ServerSession, Step, TlsOffer, replies};

/// Recipients above the limit that are refused one by one in a transaction before the session ends.
const RECIPIENTS_OVER_MAX: u32 = 1000;

impl ServerSession {
    pub(super) fn run(&mut self, line: &[u8]) -> Option<Step> {
        let command = match Command::parse(line) {
            Ok(command) => command,
            Err(reply) => {
                self.refuse(&reply);
                return None;
            }
        };
        if !self.may_go_on(&command) {
            self.hang_up("Too many commands without a message");
            return None;
        }
        match command {
            Command::Ehlo(name) => self.ehlo(name),
            Command::Helo(name) => self.helo(name),
            Command::Lhlo => self.refuse(&replies::NO_LMTP),
            Command::StartTls => self.start_tls(),
            Command::Mail(mail) => return self.mail(mail),
            Command::Rcpt(address) => return self.rcpt(address),
            Command::Data => self.begin_data(),
            Command::Bdat(chunk) => self.begin_chunk(chunk),
            Command::Auth(auth) => return self.auth(auth),
            Command::Vrfy => self.reply(&replies::VRFY),
            Command::Expn => self.refuse(&replies::NO_EXPN),
            Command::Help if self.config.auth == AuthOffer::Never => self.reply(&replies::HELP),
            Command::Help => self.reply(&replies::HELP_WITH_LOGIN),
            Command::Noop => self.reply(&replies::OK),
            Command::Rset => self.rset(),
            Command::Quit => self.quit(),
            Command::Http => self.refuse_and_close(&replies::NO_HTTP),
        }
        None
    }

    /// Counts commands that bring no message nearer to its end; whether the client may still give them.
    fn may_go_on(&mut self, command: &Command) -> bool {
        let idle = match command {
            Command::Rcpt(_) | Command::Data | Command::Quit => false,
            Command::Bdat(chunk) => chunk.is_some_and(|chunk| chunk.bytes == 0),
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
        if config.tls == TlsOffer::StartTls && !self.tls {
            text.push_str("\nSTARTTLS");
        }
        if self.may_login() {
            text.push_str("\nAUTH PLAIN LOGIN");
        }
        text.push_str("\nHELP");
        self.reply(&Reply::plain(250, text));
        self.hello = Some(Hello { name, extended: true });
    }

    fn helo(&mut self, name: String) {
        self.envelope = None;
        let reply = Reply::plain(250, &self.config.hostname);
        self.reply(&reply);
        self.hello = Some(Hello { name, extended: false });
    }

    fn start_tls(&mut self) {
        match self.config.tls {
            _ if self.tls => self.refuse(&replies::TLS_ALREADY),
            TlsOffer::StartTls => {
                self.reply(&replies::TLS_READY);
                // What stands behind STARTTLS was sent in clear by who knows whom (RFC 3207 §6, CVE-2011-0411).
                self.input = super::Input::default();
                self.phase = Phase::TlsWanted;
            }
            TlsOffer::Unavailable | TlsOffer::Active => self.refuse(&replies::NO_TLS),
        }
    }

    fn mail(&mut self, mail: MailCommand) -> Option<Step> {
        let Some(hello) = &self.hello else {
            self.refuse(&replies::HELLO_FIRST);
            return None;
        };
        let offers_auth = self.config.auth != AuthOffer::Never;
        let refusal = if self.envelope.is_some() {
            Some(&replies::MAIL_TWICE)
        } else if offers_auth && self.user.is_none() {
            Some(&replies::LOGIN_NEEDED)
        } else if !hello.extended && mail.has_parameters() {
            Some(&replies::PARAMETERS_NEED_EHLO)
        } else if mail.auth && !offers_auth {
            Some(&replies::PARAMETER_UNKNOWN)
        } else if mail.size.is_some_and(|size| size > self.config.message_bytes_max) {
            Some(&replies::TOO_LARGE)
        } else {
            None
        };
        if let Some(reply) = refusal {
            self.refuse(reply);
            return None;
        }
        if self.counts.messages >= self.config.messages_max {
            self.hang_up("Too many messages in one session, come again");
            return None;
        }
        let query = SenderQuery {
            mail_from: mail.from.clone(),
            size: mail.size,
            helo: hello.name.clone(),
            user: self.user.clone(),
        };
        self.phase = Phase::Awaiting(Question::Sender(Box::new(Envelope::new(mail))));
        Some(Step::Sender(query))
    }

    fn rcpt(&mut self, address: EnvelopeAddress) -> Option<Step> {
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
            // No error of the client: it sends the rest in another transaction (RFC 5321 §4.5.3.1.10).
            envelope.recipients_over += 1;
            let patient = envelope.recipients_over <= RECIPIENTS_OVER_MAX;
            self.reply(&replies::TOO_MANY_RECIPIENTS);
            if !patient {
                self.hang_up("Too many recipients");
            }
            return None;
        }
        let query = RecipientQuery {
            address: address.clone(),
            mail_from: envelope.mail_from.clone(),
            accepted: envelope.recipients.len(),
            user: self.user.clone(),
        };
        self.phase = Phase::Awaiting(Question::Recipient(address));
        Some(Step::Recipient(query))
    }

    fn rset(&mut self) {
        self.envelope = None;
        self.reply(&replies::OK);
    }

    fn quit(&mut self) {
        let reply = replies::bye(&self.config.hostname);
        self.refuse_and_close(&reply);
    }
}
