//! One message on a connection: MAIL, RCPT for each recipient, DATA and the content (RFC 5321 §3.3). Commands are
//! pipelined if the server supports it (RFC 2920).
//!
//! Every recipient gets exactly one outcome, however the session ends.

use std::collections::VecDeque;
use std::fmt::Write as _;

use super::extensions::ServerExtensions;
use super::message::{OutboundMessage, mail_line, unsupported};
use super::outcome::{ConnectionFailure, DeliveryResult, RecipientOutcome, SmtpStage};
use super::reply::{ReceivedReply, ReplyReader};
use super::stuff::DotStuffer;
use crate::address::Address;

/// Most commands sent before their replies are read, so that neither side's TCP window fills up (RFC 2920 §3.1).
pub const PIPELINED_COMMANDS_MAX: usize = 100;

/// Most message bytes in one [`super::ClientStep::Write`], before dot-stuffing.
pub const BODY_PIECE_BYTES: usize = 64 * 1024;

/// The state of one recipient.
#[derive(Debug)]
enum RecipientState {
    Open,
    Accepted,
    Decided(RecipientOutcome),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum EnvelopeCommand {
    Mail,
    /// The index of the recipient.
    Rcpt(usize),
    Data,
}

impl EnvelopeCommand {
    fn stage(self) -> SmtpStage {
        match self {
            Self::Mail => SmtpStage::MailFrom,
            Self::Rcpt(_) => SmtpStage::RcptTo,
            Self::Data => SmtpStage::Data,
        }
    }
}

#[derive(Debug)]
enum TransactionPhase {
    Commands,
    /// The content is being sent. The number counts the bytes sent so far.
    Body(DotStuffer, usize),
    EndOfData,
    /// The server accepted a pipelined DATA but refused every recipient: a lone dot ends it (RFC 2920 §3.1).
    Cancel,
}

/// The next action for the session.
#[derive(Debug)]
pub(super) enum TransactionStep {
    Write(Vec<u8>),
    NeedInput,
    Finished,
    Failed(ConnectionFailure),
}

/// The state of one message.
#[derive(Debug)]
pub(super) struct OutboundTransaction {
    message: OutboundMessage,
    states: Vec<RecipientState>,
    commands: VecDeque<EnvelopeCommand>,
    awaiting: VecDeque<EnvelopeCommand>,
    phase: TransactionPhase,
    data_accepted: bool,
    mail_line: String,
    commands_per_group_max: usize,
    needs_reset: bool,
}

impl OutboundTransaction {
    pub(super) fn new(message: OutboundMessage, offered: &ServerExtensions) -> Self {
        let mut states: Vec<RecipientState> = message.recipients.iter().map(|_| RecipientState::Open).collect();
        for (state, address) in states.iter_mut().zip(&message.recipients) {
            if let Some(obstacle) = unsupported(&message, address, offered) {
                *state = RecipientState::Decided(obstacle);
            }
        }
        let open: Vec<usize> =
            (0..states.len()).filter(|index| matches!(states[*index], RecipientState::Open)).collect();
        let needs_utf8 = message.smtputf8
            || message.mail_from.as_ref().is_some_and(|address| !address.is_ascii())
            || open.iter().any(|index| !message.recipients[*index].is_ascii());
        let mut commands = VecDeque::with_capacity(open.len() + 2);
        if !open.is_empty() {
            commands.push_back(EnvelopeCommand::Mail);
            commands.extend(open.into_iter().map(EnvelopeCommand::Rcpt));
            commands.push_back(EnvelopeCommand::Data);
        }
        Self {
            mail_line: mail_line(&message, offered, needs_utf8),
            message,
            states,
            commands,
            awaiting: VecDeque::new(),
            phase: TransactionPhase::Commands,
            data_accepted: false,
            commands_per_group_max: if offered.pipelining { PIPELINED_COMMANDS_MAX } else { 1 },
            needs_reset: false,
        }
    }

    /// Returns whether the server may still hold an incomplete transaction.
    pub(super) fn needs_reset(&self) -> bool {
        self.needs_reset
    }

    /// Returns the current stage.
    pub(super) fn stage(&self) -> SmtpStage {
        match &self.phase {
            TransactionPhase::Commands => {
                self.awaiting.front().or(self.commands.front()).map_or(SmtpStage::MailFrom, |command| command.stage())
            }
            TransactionPhase::Body(..) | TransactionPhase::Cancel => SmtpStage::Data,
            TransactionPhase::EndOfData => SmtpStage::EndOfData,
        }
    }

    /// Returns whether content is being sent, which has a separate timeout.
    pub(super) fn is_writing_body(&self) -> bool {
        matches!(self.phase, TransactionPhase::Body(..))
    }

    /// Advances as far as the server's replies allow.
    pub(super) fn advance(&mut self, replies: &mut ReplyReader) -> TransactionStep {
        self.try_advance(replies).unwrap_or_else(TransactionStep::Failed)
    }

    fn try_advance(&mut self, replies: &mut ReplyReader) -> Result<TransactionStep, ConnectionFailure> {
        loop {
            match &self.phase {
                TransactionPhase::Commands => {
                    if let Some(command) = self.awaiting.front().copied() {
                        let Some(reply) = self.take_reply(replies)? else {
                            return Ok(TransactionStep::NeedInput);
                        };
                        self.awaiting.pop_front();
                        self.on_reply(command, &reply)?;
                    } else if let Some(turn) = self.next_group(replies)? {
                        return Ok(turn);
                    }
                }
                TransactionPhase::Body(..) => return self.next_piece(replies).map(TransactionStep::Write),
                TransactionPhase::EndOfData => {
                    let Some(reply) = self.take_reply(replies)? else {
                        return Ok(TransactionStep::NeedInput);
                    };
                    self.on_final_reply(&reply)?;
                    return Ok(TransactionStep::Finished);
                }
                TransactionPhase::Cancel => {
                    let reply = self.take_reply(replies)?;
                    return Ok(if reply.is_some() { TransactionStep::Finished } else { TransactionStep::NeedInput });
                }
            }
        }
    }

    /// Returns the next reply. A 421 ends the connection at any time (RFC 5321 §3.8).
    fn take_reply(&self, replies: &mut ReplyReader) -> Result<Option<ReceivedReply>, ConnectionFailure> {
        match replies.take() {
            Ok(Some(reply)) if reply.code == 421 => Err(ConnectionFailure::refused(self.stage(), &reply)),
            Ok(reply) => Ok(reply),
            Err(error) => Err(ConnectionFailure::without_reply(self.stage(), &error.to_string())),
        }
    }

    /// Returns the next group of commands, or ends the command phase. Call it only when no reply is outstanding.
    fn next_group(&mut self, replies: &mut ReplyReader) -> Result<Option<TransactionStep>, ConnectionFailure> {
        let accepted = self.states.iter().any(|state| matches!(state, RecipientState::Accepted));
        let open = self.states.iter().any(|state| matches!(state, RecipientState::Open));
        if self.data_accepted {
            if !accepted {
                self.phase = TransactionPhase::Cancel;
                return Ok(Some(TransactionStep::Write(b".\r\n".to_vec())));
            }
            self.phase = TransactionPhase::Body(DotStuffer::new(), 0);
            return Ok(None);
        }
        if self.commands.is_empty() || !(open || accepted) {
            return Ok(Some(TransactionStep::Finished));
        }
        // An unsolicited reply would be mistaken for the reply to the next command.
        if self.take_reply(replies)?.is_some() || !replies.is_empty() {
            return Err(ConnectionFailure::unexpected_bytes(self.stage()));
        }
        let mut out = String::new();
        let group: Vec<EnvelopeCommand> =
            self.commands.drain(..self.commands_per_group_max.min(self.commands.len())).collect();
        for command in group {
            self.write_command(command, &mut out);
            self.awaiting.push_back(command);
        }
        self.needs_reset = true;
        Ok(Some(TransactionStep::Write(out.into_bytes())))
    }

    fn write_command(&self, command: EnvelopeCommand, out: &mut String) {
        // Writing to a String cannot fail.
        let _ = match command {
            EnvelopeCommand::Mail => write!(out, "{}\r\n", self.mail_line),
            EnvelopeCommand::Rcpt(index) => write!(out, "RCPT TO:<{}>\r\n", self.message.recipients[index].smtp_form()),
            EnvelopeCommand::Data => write!(out, "DATA\r\n"),
        };
    }

    fn on_reply(&mut self, command: EnvelopeCommand, reply: &ReceivedReply) -> Result<(), ConnectionFailure> {
        match command {
            _ if reply.is_refusal() => self.on_refusal(command, reply),
            EnvelopeCommand::Mail if reply.is_success() => {}
            EnvelopeCommand::Rcpt(index) if reply.is_success() => {
                if let RecipientState::Open = self.states[index] {
                    self.states[index] = RecipientState::Accepted;
                }
            }
            EnvelopeCommand::Data if reply.code == 354 => self.data_accepted = true,
            _ => return Err(ConnectionFailure::unexpected(command.stage(), reply)),
        }
        Ok(())
    }

    fn on_refusal(&mut self, command: EnvelopeCommand, reply: &ReceivedReply) {
        match command {
            EnvelopeCommand::Rcpt(index) => self.decide(index, reply, SmtpStage::RcptTo),
            EnvelopeCommand::Mail | EnvelopeCommand::Data => {
                (0..self.states.len()).for_each(|index| self.decide(index, reply, command.stage()));
                self.commands.clear();
            }
        }
    }

    /// Applies the reply to the final dot to every accepted recipient (RFC 5321 §4.2.5).
    fn on_final_reply(&mut self, reply: &ReceivedReply) -> Result<(), ConnectionFailure> {
        if !reply.is_success() && !reply.is_refusal() {
            return Err(ConnectionFailure::unexpected(SmtpStage::EndOfData, reply));
        }
        (0..self.states.len()).for_each(|index| self.decide(index, reply, SmtpStage::EndOfData));
        self.needs_reset = false;
        Ok(())
    }

    /// Sets the outcome of a recipient that has none yet.
    fn decide(&mut self, index: usize, reply: &ReceivedReply, stage: SmtpStage) {
        if let RecipientState::Decided(_) = self.states[index] {
            return;
        }
        let enhanced_code = reply.enhanced_code();
        let result = match reply.code {
            ..300 => DeliveryResult::Delivered,
            // RFC 5321 §4.5.3.1.10: treat a 552 for "too many recipients" like 452.
            552 if stage == SmtpStage::RcptTo && matches!(enhanced_code.as_deref(), None | Some("5.5.3")) => {
                DeliveryResult::Temporary
            }
            300..500 => DeliveryResult::Temporary,
            _ => DeliveryResult::Permanent,
        };
        self.states[index] = RecipientState::Decided(RecipientOutcome {
            address: self.message.recipients[index].clone(),
            result,
            smtp_code: Some(reply.code),
            enhanced_code,
            text: reply.text(),
            stage,
            try_next_host: false,
        });
    }

    /// Returns the next piece of content. If the server replies before the end, it no longer reads content.
    fn next_piece(&mut self, replies: &mut ReplyReader) -> Result<Vec<u8>, ConnectionFailure> {
        if let Some(reply) = self.take_reply(replies)? {
            if !reply.is_refusal() {
                return Err(ConnectionFailure::unexpected(SmtpStage::Data, &reply));
            }
            (0..self.states.len()).for_each(|index| self.decide(index, &reply, SmtpStage::Data));
            return Err(ConnectionFailure::without_reply(
                SmtpStage::Data,
                "the server rejected the message before it was complete",
            ));
        }
        let TransactionPhase::Body(stuffer, bytes_sent) = &mut self.phase else {
            return Ok(Vec::new());
        };
        let end = self.message.body.len().min(*bytes_sent + BODY_PIECE_BYTES);
        let piece = &self.message.body[*bytes_sent..end];
        let mut out = Vec::with_capacity(piece.len() + piece.len() / 16 + 8);
        stuffer.push(piece, &mut out);
        *bytes_sent = end;
        if end == self.message.body.len() {
            stuffer.finish(&mut out);
            self.phase = TransactionPhase::EndOfData;
        }
        Ok(out)
    }

    /// Returns the outcomes of a finished transaction.
    pub(super) fn into_outcomes(self) -> Vec<RecipientOutcome> {
        // A finished transaction has an outcome for every recipient; if one were missing, a retry would be harmless.
        self.into_outcomes_after(&ConnectionFailure::without_reply(
            SmtpStage::Local,
            "the server sent no reply for this recipient",
        ))
    }

    /// Returns the outcomes after the connection failed. Recipients without an outcome may be retried.
    pub(super) fn into_outcomes_after(self, failure: &ConnectionFailure) -> Vec<RecipientOutcome> {
        // After the final dot the server may already have accepted the message. Another attempt could duplicate it.
        let may_be_delivered = matches!(self.phase, TransactionPhase::EndOfData) && failure.code.is_none();
        let undecided = |address: &Address| RecipientOutcome {
            address: address.clone(),
            result: DeliveryResult::Temporary,
            smtp_code: failure.code,
            enhanced_code: failure.enhanced_code.clone(),
            text: failure.text.clone(),
            stage: failure.stage,
            try_next_host: !may_be_delivered,
        };
        self.states
            .into_iter()
            .zip(&self.message.recipients)
            .map(|(state, address)| match state {
                RecipientState::Decided(outcome) => outcome,
                RecipientState::Open | RecipientState::Accepted => undecided(address),
            })
            .collect()
    }
}
