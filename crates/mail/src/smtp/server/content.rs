//! DATA and BDAT: from the command to the complete message (RFC 5321 §4.1.1.4, RFC 3030 §2).
//!
//! Rejected content is read to its end and discarded, up to a limit, so that none of it is taken for a command.

use super::super::command::ChunkHeader;
use super::super::dot::{ContentFlaw, ContentFraming, ContentLimits, ContentReader};
use super::super::reply::ServerReply;
use super::{InboundTransaction, PendingDecision, ServerPhase, ServerSession, ServerStep, replies};

/// Bytes beyond the message limit that are read and discarded while waiting for the end, before the session ends.
const DROP_BYTES_MAX: u64 = 64 * 1024 * 1024;

/// A chunk that is being received.
#[derive(Debug)]
pub(super) struct ChunkState {
    chunk: ChunkHeader,
    bytes_left: u64,
    /// The reply for a chunk that is discarded.
    refusal: Option<ServerReply>,
}

impl ServerSession {
    pub(super) fn begin_data(&mut self) {
        match self.refuse_content() {
            Some(reply) => self.refuse(&reply),
            None if self.envelope.as_ref().is_some_and(|envelope| envelope.chunks.is_some()) => {
                self.refuse(&replies::CHUNKS_BEGUN);
            }
            None => {
                self.phase = ServerPhase::Data(self.new_content(ContentFraming::Dotted, 0));
                self.reply(&replies::start_content());
            }
        }
    }

    /// Returns the reply if content is not allowed now.
    fn refuse_content(&self) -> Option<ServerReply> {
        match &self.envelope {
            None => Some(replies::MAIL_FIRST),
            Some(envelope) if envelope.recipients.is_empty() => Some(replies::NO_RECIPIENTS),
            Some(_) => None,
        }
    }

    fn new_content(&self, framing: ContentFraming, bytes_expected: u64) -> Box<ContentReader> {
        let declared = self.envelope.as_ref().and_then(|envelope| envelope.size);
        Box::new(ContentReader::new(
            framing,
            ContentLimits {
                bytes_max: self.config.message_bytes_max,
                bytes_expected: declared.unwrap_or(bytes_expected),
            },
        ))
    }

    pub(super) fn data(&mut self) -> Option<ServerStep> {
        let ServerPhase::Data(content) = &mut self.phase else {
            return None;
        };
        let rest = self.input.rest();
        // Content beyond the limit is not even examined, so that the result does not depend on how the input is split.
        let bound = self.config.message_bytes_max.saturating_add(DROP_BYTES_MAX);
        let remaining = usize::try_from(bound.saturating_sub(content.bytes())).unwrap_or(usize::MAX);
        let piece = &rest[..rest.len().min(remaining)];
        let progress = content.feed(piece);
        self.input.consume(progress.consumed);
        if progress.ended {
            return self.end_content();
        }
        if content.bytes() >= bound {
            self.refuse_and_close(&replies::too_large(self.config.message_bytes_max));
            return None;
        }
        self.input.rest().is_empty().then_some(ServerStep::NeedInput)
    }

    fn end_content(&mut self) -> Option<ServerStep> {
        match std::mem::replace(&mut self.phase, ServerPhase::Command) {
            ServerPhase::Data(content) => self.finish_message(content.finish()),
            other => {
                self.phase = other;
                None
            }
        }
    }

    /// Ends the transaction: passes the message to the caller, or rejects it for its flaw.
    fn finish_message(&mut self, content: Result<Vec<u8>, ContentFlaw>) -> Option<ServerStep> {
        let envelope = self.envelope.take()?;
        let hello = self.hello.clone()?;
        let data = match content {
            Ok(data) => data,
            Err(flaw) => {
                self.refuse(&replies::flaw(flaw, self.config.message_bytes_max));
                return None;
            }
        };
        self.phase = ServerPhase::Awaiting(PendingDecision::Message);
        Some(ServerStep::Message(Box::new(InboundTransaction {
            mail_from: envelope.mail_from,
            recipients: envelope.recipients,
            data,
            smtputf8: envelope.smtputf8,
            body_8bit: envelope.body_8bit,
            helo: hello.name,
            esmtp: hello.extended,
            tls: self.tls,
            user: self.user.clone(),
        })))
    }

    /// Starts a chunk. Its bytes follow without waiting for a reply, so even a rejected chunk is read.
    pub(super) fn begin_chunk(&mut self, chunk: Option<ChunkHeader>) {
        let Some(chunk) = chunk else {
            self.refuse_and_close(&replies::BAD_CHUNK);
            return;
        };
        let before = self.chunk_bytes();
        let total = before.saturating_add(chunk.bytes);
        let bytes_max = self.config.message_bytes_max;
        if total > bytes_max.saturating_add(DROP_BYTES_MAX) {
            self.refuse_and_close(&replies::too_large(self.config.message_bytes_max));
            return;
        }
        let refusal = match self.refuse_content() {
            Some(reply) => Some(reply),
            None if total > bytes_max => Some(replies::too_large(self.config.message_bytes_max)),
            None => None,
        };
        if refusal.is_none() {
            let fresh = self.new_content(ContentFraming::Counted, chunk.bytes);
            if let Some(envelope) = &mut self.envelope {
                envelope.chunks.get_or_insert(fresh);
            }
        }
        self.phase = ServerPhase::Chunk(ChunkState { chunk, bytes_left: chunk.bytes, refusal });
    }

    fn chunk_bytes(&self) -> u64 {
        let chunks = self.envelope.as_ref().and_then(|envelope| envelope.chunks.as_ref());
        chunks.map_or(0, |content| content.bytes())
    }

    pub(super) fn chunk(&mut self) -> Option<ServerStep> {
        let ServerPhase::Chunk(state) = &mut self.phase else {
            return None;
        };
        let rest = self.input.rest();
        let count = usize::try_from(state.bytes_left).map_or(rest.len(), |left| left.min(rest.len()));
        let chunks = self.envelope.as_mut().and_then(|envelope| envelope.chunks.as_mut());
        if let (None, Some(content)) = (&state.refusal, chunks) {
            content.feed(&rest[..count]);
        }
        state.bytes_left -= count as u64;
        self.input.consume(count);
        match state.bytes_left {
            0 => self.end_chunk(),
            _ => Some(ServerStep::NeedInput),
        }
    }

    fn end_chunk(&mut self) -> Option<ServerStep> {
        let state = match std::mem::replace(&mut self.phase, ServerPhase::Command) {
            ServerPhase::Chunk(state) => state,
            other => {
                self.phase = other;
                return None;
            }
        };
        if let Some(reply) = state.refusal {
            self.refuse_chunk(&reply);
            return None;
        }
        let content = self.envelope.as_mut().and_then(|envelope| envelope.chunks.take())?;
        if state.chunk.last {
            return self.finish_message(content.finish());
        }
        match (content.flaw(), &mut self.envelope) {
            (None, Some(envelope)) => {
                envelope.chunks = Some(content);
                self.reply(&replies::chunk_taken(state.chunk.bytes));
            }
            (Some(flaw), _) => self.refuse_chunk(&replies::flaw(flaw, self.config.message_bytes_max)),
            (None, None) => {}
        }
        None
    }

    /// Rejects a chunk and ends its transaction. Later chunks are rejected until the next MAIL (RFC 3030 §2).
    fn refuse_chunk(&mut self, reply: &ServerReply) {
        self.envelope = None;
        self.refuse(reply);
    }
}
