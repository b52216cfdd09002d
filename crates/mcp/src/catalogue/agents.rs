//! Other agents: the directory, cards, signatures and keys.

use super::{inboxes::INBOX_ID, reading::MESSAGE_ID, steps};
use crate::tool::{Argument, Profile, Tool, ToolCall};
use crate::views::agent as view;

pub(super) fn tools() -> Vec<Tool> {
    let query = Argument::query;
    let search = |scope: Argument| {
        let found = vec![query("q"), query("capability"), query("type"), query("limit"), query("cursor"), scope];
        ToolCall::new("searchAgents", found)
    };
    vec![
        Tool::outside(
            "resolve_agent",
            "Look an agent up",
            view::resolved,
            ToolCall::new("resolveAgent", vec![query("address"), query("handle")]),
        )
        .describe("Shows the card of an agent, by its address or its handle.")
        .in_profiles(&[Profile::Read, Profile::Admin]),
        Tool::outside("search_agents", "Search agents", view::cards, search(query("scope").fixed("workspace")))
            .describe("Searches the agents of the workspace by name, skill or accepted type.")
            .in_profiles(&[Profile::Admin]),
        Tool::outside(
            "search_public_agents",
            "Search the public directory",
            view::cards,
            search(query("scope").fixed("public")),
        )
        .describe("Searches the public directory of agents."),
        Tool::outside(
            "verify_agent_message",
            "Check the signature of a message",
            view::verified,
            ToolCall::new("getMessage", vec![MESSAGE_ID]),
        )
        .describe("Checks that this service signed a received message, and says who sent it.")
        .in_profiles(&[Profile::Read, Profile::Admin])
        .after(steps::verify_signature),
        Tool::outside(
            "update_agent_card",
            "Update an agent's card",
            view::bundle,
            ToolCall::new("updateAgentCard", card()),
        )
        .describe("Changes the card by which others find an agent. What you leave out stays.")
        .in_profiles(&[Profile::Admin])
        .before(steps::keep_capabilities)
        .open_world(),
        Tool::outside(
            "list_agent_keys",
            "List an agent's keys",
            view::keys,
            ToolCall::new("listAgentKeys", vec![INBOX_ID]),
        )
        .describe("Lists the public keys of an agent.")
        .in_profiles(&[Profile::Admin]),
    ]
}

fn card() -> Vec<Argument> {
    let body = Argument::body;
    vec![
        INBOX_ID,
        body("name"),
        body("description"),
        Argument::body_as("skills", "capabilities.skills"),
        Argument::body_as("accepts_types", "capabilities.accepts_types"),
        Argument::body_as("languages", "capabilities.languages"),
        Argument::body_as("input_modes", "capabilities.input_modes").hidden(),
        body("documentation_url"),
        body("visibility"),
        body("handle"),
        body("indexable"),
    ]
}
