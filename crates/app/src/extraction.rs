//! The text of attachments: reading it after receipt, returning it, and structured data from it.

pub mod page_image;
pub mod places;
pub mod run;
pub mod schemas;
mod screen;
pub mod structured;
pub mod text;
