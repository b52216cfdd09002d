//! The types of the HTTP API: [`wire`] decodes requests, [`views`] render responses and events.

pub mod views;
pub mod wire;
