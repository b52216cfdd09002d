//! One message on a connection: MAIL, RCPT for each recipient, DATA, the text (RFC 5321 §3.3), with the commands in groups
//! where the server takes them so (RFC 2920).
//!
//! Every recipient ends with exactly one outcome, however the dialogue ends.

use std::collections::VecDeque;
use std::fmt::Write as _;

use super::extensions::Extensions;
use super::message::{Message, mail_line, obstacle};
use super::outcome::{ConnectionFailure, DeliveryResult, RecipientOutcome, Stage};
use super::reply::{Replies, Reply};
use super::stuff::DotStuffer;
use crate::address::Address;

/// Most commands written before their replies are read, so that neither side's window can fill up (RFC 2920 §3.1).
pub const PIPELINED_COMMANDS_MAX: usize = 100;

/// Most bytes of the message taken into one [`super::Step::Write`], before dot-stuffing.
pub const BODY_PIECE_BYTES: usize = 64 * 1024;

/// A recipient on its way.
#[derive(Debug)]
enum Slot {
    Open,
    Accepted,
    Decided(RecipientOutcome),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Command {
    Mail,
    /// The index of the recipient.
    Rcpt(usize),
    Data,
}

impl Command {
    fn stage(self) -> Stage {
        match self {
            Self::Mail => Stage::MailFrom,
            Self::Rcpt(_) => Stage::RcptTo,
            Self::Data => Stage::Data,
        }
    }
}

#[derive(Debug)]
enum Phase {
    Commands,
    /// The text is being written: how many bytes of it are done.
    Body(DotStuffer, usize),
    EndOfData,
    /// DATA was pipelined and taken although every recipient was refused: a lone dot ends it (RFC 2920 §3.1).
    Cancel,
}

/// What the session should do next.
#[derive(Debug)]
pub(super) enum Turn {
    Write(Vec<u8>),
    NeedInput,
    Finished,
    Broken(ConnectionFailure),
}

/// The state of one message.
#[derive(Debug)]
pub(super) struct Transaction {
    message: Message,
    slots: Vec<Slot>,
    commands: VecDeque<Command>,
    awaiting: VecDeque<Command>,
    phase: Phase,
    data_taken: bool,
    mail_line: String,
    group_max: usize,
    needs_reset: bool,
}

impl Transaction {
    pub(super) fn new(message: Message, offered: &Extensions) -> Self {
        let mut slots: Vec<Slot> = message.recipients.iter().map(|_| Slot::Open).collect();
        for (slot, address) in slots.iter_mut().zip(&message.recipients) {
            if let Some(obstacle) = obstacle(&message, address, offered) {
                *slot = Slot::Decided(obstacle);
            }
        }
        let open: Vec<usize> = (0..slots.len()).filter(|index| matches!(slots[*index], Slot::Open)).collect();
        let needs_utf8 = message.smtputf8
            || message.mail_from.as_ref().is_some_and(|address| !address.is_ascii())
            || open.iter().any(|index| !message.recipients[*index].is_ascii());
        let mut commands = VecDeque::with_capacity(open.len() + 2);
        if !open.is_empty() {
            commands.push_back(Command::Mail);
            commands.extend(open.into_iter().map(Command::Rcpt));
            commands.push_back(Command::Data);
        }
        Self {
            mail_line: mail_line(&message, offered, needs_utf8),
            message,
            slots,
            commands,
            awaiting: VecDeque::new(),
            phase: Phase::Commands,
            data_taken: false,
            group_max: if offered.pipelining { PIPELINED_COMMANDS_MAX } else { 1 },
            needs_reset: false,
        }
    }

    /// Whether the server may still hold a half-finished transaction.
    pub(super) fn needs_reset(&self) -> bool {
        self.needs_reset
    }

    /// Where the dialogue stands.
    pub(super) fn stage(&self) -> Stage {
        match &self.phase {
            Phase::Commands => {
                self.awaiting.front().or(self.commands.front()).map_or(Stage::MailFrom, |command| command.stage())
            }
            Phase::Body(..) | Phase::Cancel => Stage::Data,
            Phase::EndOfData => Stage::EndOfData,
        }
    }

    /// Whether the text is being written, for the time limit.
    pub(super) fn is_writing_body(&self) -> bool {
        matches!(self.phase, Phase::Body(..))
    }

    /// Moves on as far as the peer's replies allow.
    pub(super) fn turn(&mut self, replies: &mut Replies) -> Turn {
        self.try_turn(replies).unwrap_or_else(Turn::Broken)
    }

    fn try_turn(&mut self, replies: &mut Replies) -> Result<Turn, ConnectionFailure> {
        loop {
            match &self.phase {
                Phase::Commands => {
                    if let Some(command) = self.awaiting.front().copied() {
                        let Some(reply) = self.take_reply(replies)? else {
                            return Ok(Turn::NeedInput);
                        };
                        self.awaiting.pop_front();
                        self.on_reply(command, &reply)?;
                    } else if let Some(turn) = self.next_group(replies)? {
                        return Ok(turn);
                    }
                }
                Phase::Body(..) => return self.next_piece(replies).map(Turn::Write),
                Phase::EndOfData => {
                    let Some(reply) = self.take_reply(replies)? else {
                        return Ok(Turn::NeedInput);
                    };
                    self.on_final_reply(&reply)?;
                    return Ok(Turn::Finished);
                }
                Phase::Cancel => {
                    let reply = self.take_reply(replies)?;
                    return Ok(if reply.is_some() { Turn::Finished } else { Turn::NeedInput });
                }
            }
        }
    }

    /// The next reply; 421 ends the connection at any time (RFC 5321 §3.8).
    fn take_reply(&self, replies: &mut Replies) -> Result<Option<Reply>, ConnectionFailure> {
        match replies.take() {
            Ok(Some(reply)) if reply.code == 421 => Err(ConnectionFailure::refused(self.stage(), &reply)),
            Ok(reply) => Ok(reply),
            Err(wrong) => Err(ConnectionFailure::without_reply(self.stage(), &wrong.to_string())),
        }
    }

    /// With no reply outstanding: the next group of commands, or the end of the commands.
    fn next_group(&mut self, replies: &mut Replies) -> Result<Option<Turn>, ConnectionFailure> {
        let accepted = self.slots.iter().any(|slot| matches!(slot, Slot::Accepted));
        let open = self.slots.iter().any(|slot| matches!(slot, Slot::Open));
        if self.data_taken {
            if !accepted {
                self.phase = Phase::Cancel;
                return Ok(Some(Turn::Write(b".\r\n".to_vec())));
            }
            self.phase = Phase::Body(DotStuffer::new(), 0);
            return Ok(None);
        }
        if self.commands.is_empty() || !(open || accepted) {
            return Ok(Some(Turn::Finished));
        }
        // A reply that nothing asked for would be taken for the answer to what is written now.
        if self.take_reply(replies)?.is_some() || !replies.is_empty() {
            return Err(ConnectionFailure::out_of_turn(self.stage()));
        }
        let mut out = String::new();
        let group: Vec<Command> = self.commands.drain(..self.group_max.min(self.commands.len())).collect();
        for command in group {
            self.write_command(command, &mut out);
            self.awaiting.push_back(command);
        }
        self.needs_reset = true;
        Ok(Some(Turn::Write(out.into_bytes())))
    }

    fn write_command(&self, command: Command, out: &mut String) {
        // Writing to a String cannot fail.
        let _ = match command {
            Command::Mail => write!(out, "{}\r\n", self.mail_line),
            Command::Rcpt(index) => write!(out, "RCPT TO:<{}>\r\n", self.message.recipients[index].smtp_form()),
            Command::Data => write!(out, "DATA\r\n"),
        };
    }

    fn on_reply(&mut self, command: Command, reply: &Reply) -> Result<(), ConnectionFailure> {
        match command {
            _ if reply.is_refusal() => self.on_refusal(command, reply),
            Command::Mail if reply.is_success() => {}
            Command::Rcpt(index) if reply.is_success() => {
                if let Slot::Open = self.slots[index] {
                    self.slots[index] = Slot::Accepted;
                }
            }
            Command::Data if reply.code == 354 => self.data_taken = true,
            _ => return Err(ConnectionFailure::unexpected(command.stage(), reply)),
        }
        Ok(())
    }

    fn on_refusal(&mut self, command: Command, reply: &Reply) {
        match command {
            Command::Rcpt(index) => self.decide(index, reply, Stage::RcptTo),
            Command::Mail | Command::Data => {
                (0..self.slots.len()).for_each(|index| self.decide(index, reply, command.stage()));
                self.commands.clear();
            }
        }
    }

    /// The reply to the final dot holds for every recipient that was accepted (RFC 5321 §4.2.5).
    fn on_final_reply(&mut self, reply: &Reply) -> Result<(), ConnectionFailure> {
        if !reply.is_success() && !reply.is_refusal() {
            return Err(ConnectionFailure::unexpected(Stage::EndOfData, reply));
        }
        (0..self.slots.len()).for_each(|index| self.decide(index, reply, Stage::EndOfData));
        self.needs_reset = false;
        Ok(())
    }

    /// Gives an undecided recipient its outcome.
    fn decide(&mut self, index: usize, reply: &Reply, stage: Stage) {
        if let Slot::Decided(_) = self.slots[index] {
            return;
        }
        let enhanced_code = reply.enhanced_code();
        let result = match reply.code {
            ..300 => DeliveryResult::Delivered,
            // A 552 for "too many recipients" is to be taken as 452 (RFC 5321 §4.5.3.1.10).
            552 if stage == Stage::RcptTo && matches!(enhanced_code.as_deref(), None | Some("5.5.3")) => {
                DeliveryResult::Temporary
            }
            300..500 => DeliveryResult::Temporary,
            _ => DeliveryResult::Permanent,
        };
        self.slots[index] = Slot::Decided(RecipientOutcome {
            address: self.message.recipients[index].clone(),
            result,
            smtp_code: Some(reply.code),
            enhanced_code,
            text: reply.text(),
            stage,
            try_next_host: false,
        });
    }

    /// The next piece of the text. A server that speaks before the end is not listening any more.
    fn next_piece(&mut self, replies: &mut Replies) -> Result<Vec<u8>, ConnectionFailure> {
        if let Some(reply) = self.take_reply(replies)? {
            if !reply.is_refusal() {
                return Err(ConnectionFailure::unexpected(Stage::Data, &reply));
            }
            (0..self.slots.len()).for_each(|index| self.decide(index, &reply, Stage::Data));
            return Err(ConnectionFailure::without_reply(Stage::Data, "the server refused the message before its end"));
        }
        let Phase::Body(stuffer, done) = &mut self.phase else {
            return Ok(Vec::new());
        };
        let end = self.message.body.len().min(*done + BODY_PIECE_BYTES);
        let piece = &self.message.body[*done..end];
        let mut out = Vec::with_capacity(piece.len() + piece.len() / 16 + 8);
        stuffer.push(piece, &mut out);
        *done = end;
        if end == self.message.body.len() {
            stuffer.finish(&mut out);
            self.phase = Phase::EndOfData;
        }
        Ok(out)
    }

    /// The outcomes once finished.
    pub(super) fn into_outcomes(self) -> Vec<RecipientOutcome> {
        // A finished transaction has decided every slot; were one left, trying again is the harmless answer.
        self.into_outcomes_after(&ConnectionFailure::without_reply(
            Stage::Local,
            "no answer was given for this recipient",
        ))
    }

    /// The outcomes when the connection failed: who was decided stays so, the rest is to be tried again.
    pub(super) fn into_outcomes_after(self, failure: &ConnectionFailure) -> Vec<RecipientOutcome> {
        // Behind the final dot the server may hold the message already: another host at once would make a duplicate likely.
        let may_be_delivered = matches!(self.phase, Phase::EndOfData) && failure.code.is_none();
        let undecided = |address: &Address| RecipientOutcome {
            address: address.clone(),
            result: DeliveryResult::Temporary,
            smtp_code: failure.code,
            enhanced_code: failure.enhanced_code.clone(),
            text: failure.text.clone(),
            stage: failure.stage,
            try_next_host: !may_be_delivered,
        };
        self.slots
            .into_iter()
            .zip(&self.message.recipients)
            .map(|(slot, address)| match slot {
                Slot::Decided(outcome) => outcome,
                Slot::Open | Slot::Accepted => undecided(address),
            })
            .collect()
    }
}
