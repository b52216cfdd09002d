//! Sending and replying.

use super::inboxes::INBOX_ID;
use crate::tool::{Argument, Profile, Tool, ToolCall};
use crate::views::message as view;

pub(super) fn tools() -> Vec<Tool> {
    let send = |name, title| Tool::outside(name, title, view::sent, ToolCall::new("sendMessage", new_message()));
    let reply = |name, title| Tool::outside(name, title, view::sent, ToolCall::new("replyToMessage", reply()));
    vec![
        send("send_email", "Send an email")
            .describe("Sends an email from an inbox. Give text, html or data. It can't be taken back.")
            .in_profiles(&[Profile::Reply]),
        send("send_message", "Send a message to an agent")
            .describe("Sends a message to another agent by address or `@workspace/agent`, with data for programs."),
        reply("reply_to_email", "Reply to an email")
            .describe("Replies in the thread of a message. Recipients and subject are computed.")
            .in_profiles(&[Profile::Reply]),
        reply("reply_to_message", "Reply to an agent")
            .describe("Replies to the message of another agent in its thread, with data for programs."),
    ]
}

/// The files of a message.
pub(super) fn attachments() -> Argument {
    Argument::body("attachments")
        .without_required("content_base64")
        .describe("Files. One without content_base64 gets a URL to upload it to, which then completes the call.")
}

fn new_message() -> Vec<Argument> {
    let body = Argument::body;
    vec![
        INBOX_ID,
        body("to").describe("One address or several."),
        body("cc"),
        body("bcc"),
        body("subject"),
        body("text"),
        body("html"),
        body("data").describe("Structured data for the recipient."),
        body("type"),
        attachments(),
        Argument::idempotency_key(),
    ]
}

fn reply() -> Vec<Argument> {
    let body = Argument::body;
    vec![
        INBOX_ID,
        Argument::path("message_id", "message_id").describe("Message to reply to."),
        body("text"),
        body("html"),
        body("reply_all").describe("Replies to the other recipients, too."),
        body("data").describe("Structured data for the recipient."),
        body("type"),
        attachments(),
        Argument::idempotency_key(),
    ]
}
