//! The tools, by what they are for. To add a tool, add an entry.

mod agents;
mod drafts;
mod inboxes;
mod knowledge;
mod people;
mod reading;
mod sending;
mod steps;

use crate::invoke::OperationTable;
use crate::tool::Tool;

/// Returns the tools whose operations exist, in the order in which clients see them.
pub(crate) fn tools(operations: &OperationTable) -> Vec<Tool> {
    let chapters = [
        inboxes::tools(),
        reading::tools(),
        sending::tools(),
        drafts::tools(),
        knowledge::tools(),
        people::tools(),
        agents::tools(),
    ];
    let mut tools: Vec<Tool> = chapters.into_iter().flatten().filter(|tool| tool.exists_in(operations)).collect();
    for call in tools.iter_mut().flat_map(|tool| &mut tool.calls) {
        let Some(operation) = operations.get(call.operation) else { continue };
        for argument in &mut call.arguments {
            argument.is_nullable = argument.accepts_null(operation);
        }
    }
    tools
}
