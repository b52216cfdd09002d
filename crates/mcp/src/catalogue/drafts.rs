//! Drafts, which a person can read before they are sent.

use super::{inboxes::INBOX_ID, reading::reading_on, sending::attachments};
use crate::tool::{Argument, Profile, Tool, ToolCall};
use crate::views::{draft as view, workspace};

/// The id of a draft in a path.
const DRAFT_ID: Argument = Argument::path("draft_id", "draft_id").describe("Draft id.");
/// Number of drafts on a page.
const LIMIT_DEFAULT: i64 = 20;

const EDITORS: &[Profile] = &[Profile::Read, Profile::Reply];

pub(super) fn tools() -> Vec<Tool> {
    let query = Argument::query;
    let one = |operation| ToolCall::new(operation, vec![INBOX_ID, DRAFT_ID]);
    vec![
        Tool::outside("create_draft", "Write a draft", view::one, ToolCall::new("createDraft", new_draft()))
            .describe(
                "Writes a draft that a person can approve in the dashboard. Nothing is sent unless send_at is set.",
            )
            .in_profiles(&[Profile::Reply]),
        Tool::outside(
            "list_drafts",
            "List drafts",
            view::list,
            ToolCall::new(
                "listDrafts",
                vec![
                    query("inbox_id"),
                    query("status"),
                    query("thread_id"),
                    query("limit").or(LIMIT_DEFAULT).describe("Default: 20."),
                    query("cursor"),
                ],
            ),
        )
        .describe("Lists drafts, newest first, with their status and what a person sent back.")
        .in_profiles(&[Profile::Read]),
        Tool::outside("get_draft", "Read a draft", view::one, one("getDraft"))
            .describe("Reads a draft: its status, its content, and the note of a person who sent it back.")
            .in_profiles(EDITORS)
            .with_own(reading_on()),
        Tool::outside(
            "send_draft",
            "Send a draft",
            view::sent,
            ToolCall::new("sendDraft", vec![INBOX_ID, DRAFT_ID, Argument::idempotency_key()]),
        )
        .describe("Sends a draft now. It can't be taken back."),
        Tool::outside(
            "schedule_draft",
            "Schedule a draft",
            view::one,
            ToolCall::new("scheduleDraft", vec![INBOX_ID, DRAFT_ID, Argument::body("send_at")]),
        )
        .describe("Sends a draft at a time, 1 minute to 30 days ahead."),
        Tool::own(
            "cancel_draft",
            "Cancel a draft",
            workspace::draft_status,
            workspace::draft_status_schema,
            one("cancelDraft"),
        )
        .describe("Cancels a draft for good."),
    ]
}

fn new_draft() -> Vec<Argument> {
    let body = Argument::body;
    vec![
        INBOX_ID,
        body("to").describe("One address or several."),
        body("cc"),
        body("bcc"),
        body("subject"),
        body("text"),
        body("html"),
        body("reply_to_message_id").describe("Message to reply to; computes recipients and subject."),
        body("reply_all").describe("Replies to the other recipients, too."),
        body("labels"),
        body("send_at").describe("Sends it at this time, 1 minute to 30 days ahead."),
        body("data").describe("Structured data for the recipient."),
        body("type"),
        attachments(),
        Argument::idempotency_key(),
    ]
}
