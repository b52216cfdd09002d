//! Inboxes, identities and the account.

use crate::tool::{Argument, Profile, Tool, ToolCall};
use crate::views::workspace as view;

/// The id of an inbox in a path.
pub(super) const INBOX_ID: Argument = Argument::path("inbox_id", "id").describe("Inbox id, not the address.");
/// Lifetime of a temporary inbox in seconds.
const TTL_SECONDS_DEFAULT: i64 = 900;

pub(super) fn tools() -> Vec<Tool> {
    let mut all = of_inboxes();
    all.extend(of_identities());
    all.extend(of_account());
    all
}

fn of_inboxes() -> Vec<Tool> {
    let (body, query) = (Argument::body, Argument::query);
    vec![
        Tool::own(
            "list_inboxes",
            "List inboxes",
            view::inboxes,
            view::inboxes_schema,
            ToolCall::new(
                "listInboxes",
                vec![query("limit"), query("cursor"), query("include_temporary").fixed("true")],
            ),
        )
        .describe("Lists your inboxes with their ids and addresses. Other tools want the id.")
        .in_profiles(&[Profile::Read, Profile::Reply, Profile::Admin]),
        Tool::own(
            "create_inbox",
            "Create an inbox",
            view::inbox,
            view::inbox_schema,
            ToolCall::new("createInbox", vec![body("username"), body("display_name"), body("client_id")]),
        )
        .describe("Creates an inbox that sends and receives. With the same client_id, returns the existing one.")
        .in_profiles(&[Profile::Reply, Profile::Admin]),
        Tool::own(
            "create_temporary_inbox",
            "Create a temporary inbox",
            view::temporary,
            view::temporary_schema,
            ToolCall::new("createInbox", vec![body("ttl_seconds").or(TTL_SECONDS_DEFAULT)]),
        )
        .describe("Creates an inbox that only receives and expires, for a sign-up or a code. Default: 900 seconds.")
        .in_profiles(&[Profile::Reply]),
        Tool::own(
            "pause_inbox",
            "Pause an inbox",
            view::inbox,
            view::inbox_schema,
            ToolCall::new("pauseInbox", vec![INBOX_ID, body("reason")]),
        )
        .describe("Stops an inbox from sending and holds its events back. It still receives.")
        .in_profiles(&[Profile::Admin]),
        Tool::own(
            "resume_inbox",
            "Resume an inbox",
            view::resumed,
            view::resumed_schema,
            ToolCall::new("resumeInbox", vec![INBOX_ID]),
        )
        .describe("Ends the pause of an inbox. Events that were held back are delivered.")
        .in_profiles(&[Profile::Admin]),
    ]
}

fn of_identities() -> Vec<Tool> {
    let (body, query) = (Argument::body, Argument::query);
    vec![
        Tool::own(
            "create_identity",
            "Create an identity",
            view::identity,
            view::identity_schema,
            ToolCall::new("createIdentity", vec![body("display_name"), body("username"), body("client_id")]),
        )
        .describe("Creates an identity: an agent without mail that signs in to apps. Its handle is its address.")
        .in_profiles(&[Profile::Admin]),
        Tool::own(
            "list_identities",
            "List identities",
            view::identities,
            view::identities_schema,
            ToolCall::new("listIdentities", vec![query("limit"), query("cursor")]),
        )
        .describe("Lists your identities.")
        .in_profiles(&[Profile::Admin]),
        Tool::own(
            "get_identity_token",
            "Get an identity token",
            view::token,
            view::token_schema,
            ToolCall::new(
                "createIdentityToken",
                vec![
                    Argument::path("inbox_id", "id").describe("Id of the inbox or identity."),
                    body("audience"),
                    body("nonce"),
                    body("scope"),
                ],
            ),
        )
        .describe("Makes a short-lived token that proves to one app who this agent is.")
        .in_profiles(&[Profile::Admin])
        .open_world(),
    ]
}

fn of_account() -> Vec<Tool> {
    vec![
        Tool::own(
            "get_account",
            "Show the account",
            view::whole,
            view::whole_schema,
            ToolCall::new("getAccount", Vec::new()),
        )
        .describe("Shows the workspace, its limits, and what this key may do.")
        .in_profiles(&[Profile::Read, Profile::Admin]),
        Tool::own(
            "request_claim",
            "Ask a person to own the workspace",
            view::whole,
            view::whole_schema,
            ToolCall::new("requestClaim", vec![Argument::body("email")]),
        )
        .describe("Mails a person a link to own this workspace, which an agent signed up for.")
        .in_profiles(&[Profile::Admin])
        .open_world(),
        Tool::own(
            "get_deliverability",
            "Show deliverability",
            view::whole,
            view::whole_schema,
            ToolCall::new("getDeliverability", Vec::new()),
        )
        .describe("Shows bounce and complaint rates, thresholds, and the state of domains.")
        .in_profiles(&[Profile::Read, Profile::Admin]),
        Tool::own(
            "emergency_stop",
            "Stop all sending",
            view::stopped,
            view::stopped_schema,
            ToolCall::new("emergencyStop", vec![Argument::body("reason")]),
        )
        .describe("Stops all sending of the workspace at once. Only a person can resume. Use it when mail goes wrong.")
        .in_profiles(&[Profile::Admin]),
    ]
}
