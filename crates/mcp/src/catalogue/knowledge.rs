//! Knowledge, and replies drafted from it.

use super::reading::MESSAGE_ID;
use crate::tool::{Argument, Profile, Tool, ToolCall};
use crate::views::knowledge as view;

pub(super) fn tools() -> Vec<Tool> {
    let (query, body) = (Argument::query, Argument::body);
    vec![
        Tool::outside(
            "search_knowledge",
            "Search knowledge",
            view::search,
            ToolCall::new("searchKnowledge", vec![Argument::query_as("query", "q"), query("inbox_id"), query("limit")]),
        )
        .describe("Searches the workspace's documents by words and meaning, for facts to answer with.")
        .in_profiles(&[Profile::Reply]),
        Tool::outside(
            "draft_reply",
            "Draft a reply",
            view::reply,
            ToolCall::new("draftReply", vec![MESSAGE_ID, body("instructions"), body("save")]),
        )
        .describe("Drafts a reply from the thread and the workspace's documents, with citations. Never sends."),
    ]
}
