//! Contacts, and people on call.

use super::inboxes::INBOX_ID;
use crate::tool::{Argument, Profile, Tool, ToolCall};
use crate::views::{agent as view, workspace};

pub(super) fn tools() -> Vec<Tool> {
    let mut all = of_contacts();
    all.extend(of_escalation());
    all
}

fn of_contacts() -> Vec<Tool> {
    let body = Argument::body;
    vec![
        Tool::outside(
            "get_contact",
            "Show a contact",
            view::contact,
            ToolCall::new("getContact", vec![Argument::path("contact_id", "id").describe("Contact id.")])
                .when("contact_id"),
        )
        .or(ToolCall::new(
            "getContactByAddress",
            vec![Argument::path("address", "address").describe("Address, in place of contact_id.")],
        ))
        .describe("Shows what is known about a person, by contact_id or address, with recent threads.")
        .in_profiles(&[Profile::Read, Profile::Reply]),
        Tool::outside(
            "update_contact",
            "Update a contact",
            view::contact,
            ToolCall::new(
                "updateContact",
                vec![
                    Argument::path("contact_id", "id").describe("Contact id."),
                    body("notes"),
                    body("metadata"),
                    body("add_labels"),
                    body("remove_labels"),
                ],
            ),
        )
        .describe("Keeps notes, metadata and labels about a person. Give at least one change.")
        .before(super::steps::one_change),
    ]
}

fn of_escalation() -> Vec<Tool> {
    let body = Argument::body;
    vec![
        Tool::own(
            "get_escalation",
            "Show people on call",
            workspace::whole,
            workspace::any_schema,
            ToolCall::new("getInboxEscalation", vec![INBOX_ID]).when("inbox_id"),
        )
        .or(ToolCall::new("getEscalation", Vec::new()))
        .describe("Shows who is mailed about what, for the workspace or for one inbox.")
        .in_profiles(&[Profile::Admin]),
        Tool::own(
            "update_escalation",
            "Change people on call",
            workspace::whole,
            workspace::any_schema,
            ToolCall::new(
                "updateInboxEscalation",
                vec![INBOX_ID, body("override"), body("contacts"), body("triggers")],
            )
            .when("inbox_id"),
        )
        .or(ToolCall::new(
            "updateEscalation",
            vec![
                body("contacts"),
                body("triggers"),
                body("delivery"),
                body("max_per_hour"),
                body("quiet_hours"),
                body("include_excerpt"),
            ],
        ))
        .describe("Changes who is mailed about what, for the workspace or, with inbox_id, for one inbox.")
        .in_profiles(&[Profile::Admin])
        .open_world(),
    ]
}
