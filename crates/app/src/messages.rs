//! Stored messages: reading, changing, searching, waiting for and claiming them.

pub mod cancelled_waits;
pub mod change;
pub mod claim;
pub mod digest;
pub mod download;
pub mod index;
pub mod mail_html;
pub mod queue_items;
pub mod raw;
pub mod read;
pub mod rules;
pub mod search;
pub mod settle_claim;
pub mod threads;
pub mod wait;
