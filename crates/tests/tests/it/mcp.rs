//! The Model Context Protocol at `/mcp`: conversations, the order of checks, tools, resources and prompts.

mod checks;
mod client;
mod content;
mod conversation;
mod files;
mod operations;
mod profiles;
mod resources;
mod tasks;
