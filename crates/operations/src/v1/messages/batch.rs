//! The response to a request for several messages. Up to 100 messages of 25 MiB don't fit in memory, so they are read and
//! rendered in steps of `limits.page_bytes`, as fast as the client reads them.

use bytes::Bytes;
use futures_util::{Stream, stream};
use posthouse_api::views::message::MessageView;
use posthouse_app::messages::read::{self, BatchPart};
use posthouse_call::prelude::*;
use posthouse_call::{OutcomeStream, render_view};
use posthouse_domain::{MessageId, OptIns, Record};

/// The messages of a response that are not rendered yet.
pub(super) struct MessageBatch {
    service: Arc<Service>,
    caller: Caller,
    /// Which withheld content to include.
    opt_ins: OptIns,
    /// The ids that are left, in the order of the response.
    rest: Vec<MessageId>,
    /// The ids without a message that the caller can access.
    missing: Vec<String>,
    /// Whether a message was rendered.
    has_items: bool,
}

impl MessageBatch {
    pub(super) fn new(service: Arc<Service>, caller: Caller, ids: Vec<MessageId>, opt_ins: OptIns) -> Self {
        Self { service, caller, opt_ins, rest: ids, missing: Vec::new(), has_items: false }
    }

    /// Returns the response: a whole one if it fits in one step.
    pub(super) async fn respond(mut self) -> Result<Outcome, Refusal> {
        let mut first = b"{\"data\":[".to_vec();
        self.step(&mut first).await?;
        let bytes = self.rest.is_empty().then_some(first.len() as u64);
        // A message in JSON may be twice as large as in the mail, because quotation marks are escaped.
        let step_bytes = self.service.config.limits.page_bytes.max(2 * self.service.config.message_bytes_max);
        let body = OutcomeStream::new(bytes, self.steps()).with_steps(Bytes::from(first), step_bytes);
        Ok(Outcome::stream("application/json", body))
    }

    /// Returns the rest of the response.
    fn steps(self) -> impl Stream<Item = Result<Bytes, Refusal>> + Send {
        let next = |mut batch: Self| async move {
            let mut chunk = Vec::new();
            if !batch.rest.is_empty() {
                batch.step(&mut chunk).await?;
            }
            Ok((!chunk.is_empty()).then(|| (Bytes::from(chunk), batch)))
        };
        stream::try_unfold(self, next)
    }

    /// Renders the next messages, and the end of the response after the last one.
    async fn step(&mut self, out: &mut Vec<u8>) -> Result<(), Refusal> {
        let BatchPart { ids: shown, rendered, is_last } =
            read::batch(&self.service, self.caller, self.rest.clone(), self.opt_ins, render).await?;
        let is_shown = |id: &MessageId| shown.contains(id);
        let done = if is_last { self.rest.len() } else { self.rest.iter().rposition(is_shown).map_or(0, |at| at + 1) };
        self.missing.extend(self.rest.drain(..done).filter(|id| !is_shown(id)).map(|id| id.to_string()));
        if self.has_items && !rendered.is_empty() {
            out.push(b',');
        }
        self.has_items |= !rendered.is_empty();
        out.extend_from_slice(&rendered);
        if self.rest.is_empty() {
            self.finish(out);
        }
        Ok(())
    }

    /// Ends the JSON of a batch.
    fn finish(&self, out: &mut Vec<u8>) {
        let missing: Vec<String> = self.missing.iter().map(|id| format!("\"{id}\"")).collect();
        out.extend_from_slice(format!("],\"missing\":[{}]}}", missing.join(",")).as_bytes());
    }
}

/// Renders messages as JSON, separated by commas.
fn render(records: &[Record]) -> Result<Vec<u8>, Refusal> {
    let views = records.iter().map(|record| render_view(&MessageView::of(record)));
    Ok(views.collect::<Result<Vec<_>, _>>()?.join(&b','))
}
