//! The result of a dry run.

use posthouse_api::views::draft::{DraftHoldView, OutboundFindingView, RecipientOriginView};
use posthouse_app::outbound::accept::SendDecision;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

/// The decision about a message, from a dry run.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "SendDecision")]
pub(in crate::v1::inboxes) struct DecisionView<'a> {
    /// `would_send`, `would_wait` for an approval, or `would_refuse`.
    #[schemars(schema_with = "statuses")]
    status: &'static str,
    /// Whether the message would be sent.
    allowed: bool,
    /// Why the message would be refused; null if it would be sent.
    refusal: Option<RefusalView>,
    /// Why the message would wait for an approval as a draft; null if it would be sent or refused.
    hold: Option<DraftHoldView<'a>>,
    /// Labels of the outbound policy that the message would get.
    labels: Vec<&'static str>,
    /// Secrets in the content.
    findings: Vec<OutboundFindingView<'a>>,
    recipients: Vec<RecipientView<'a>>,
    /// Size of the message as it would be sent, in bytes.
    message_size_bytes: u64,
    /// How many more messages the limits allow now; null means unlimited.
    limits_left: LimitsLeftView,
}

/// The status of a message that would be sent.
const WOULD_SEND: &str = "would_send";
/// The status of a message that would wait for an approval.
const WOULD_WAIT: &str = "would_wait";
/// The status of a message that would be refused.
const WOULD_REFUSE: &str = "would_refuse";

fn statuses(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
    schemars::json_schema!({ "type": "string", "enum": [WOULD_SEND, WOULD_WAIT, WOULD_REFUSE] })
}

/// A refusal, as in the error of a send.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "DecisionRefusal")]
struct RefusalView {
    code: &'static str,
    message: String,
    fix: String,
    details: Map<String, Value>,
}

/// A recipient of a message that is not sent yet.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "DecisionRecipient")]
struct RecipientView<'a> {
    #[serde(flatten)]
    origin: RecipientOriginView<'a>,
    /// `agent` for inboxes of this server, `email` for others.
    channel: &'static str,
    /// Whether a suppression of the address refuses the message.
    suppressed: bool,
    /// Whether a list with direction `send` or `reply` refuses the message.
    blocked: bool,
}

/// Messages that remain within each limit.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "LimitsLeft")]
struct LimitsLeftView {
    emails_per_month: Option<u64>,
    daily_sends_per_inbox: Option<u64>,
    daily_sends: Option<u64>,
    sends_per_5_minutes: Option<u64>,
}

impl<'a> DecisionView<'a> {
    pub(in crate::v1::inboxes) fn of(decision: &'a SendDecision) -> Self {
        let left = &decision.left;
        let status = match (&decision.refusal, &decision.hold) {
            (Some(_), _) => WOULD_REFUSE,
            (None, Some(_)) => WOULD_WAIT,
            (None, None) => WOULD_SEND,
        };
        Self {
            status,
            allowed: status == WOULD_SEND,
            refusal: decision.refusal.as_ref().map(|refusal| RefusalView {
                code: refusal.code.text(),
                message: refusal.message.clone(),
                fix: refusal.fix.clone().unwrap_or_else(|| refusal.code.fix().to_owned()),
                details: refusal.wire_details(),
            }),
            hold: decision.hold.as_ref().map(DraftHoldView::of),
            labels: decision.labels.clone(),
            findings: decision.findings.iter().map(OutboundFindingView::of).collect(),
            recipients: decision
                .recipients
                .iter()
                .map(|recipient| RecipientView {
                    origin: RecipientOriginView::new(&recipient.address, recipient.origin),
                    channel: recipient.channel.text(),
                    suppressed: recipient.suppressed,
                    blocked: recipient.blocked,
                })
                .collect(),
            message_size_bytes: decision.message_size_bytes,
            limits_left: LimitsLeftView {
                emails_per_month: left.month,
                daily_sends_per_inbox: left.inbox_day,
                daily_sends: left.workspace_day,
                sends_per_5_minutes: left.burst,
            },
        }
    }
}
