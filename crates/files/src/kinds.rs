//! One file for each kind of file.

pub mod docx;
pub(crate) mod drawing;
pub(crate) mod embedded;
pub mod epub;
pub mod ics;
pub mod image;
pub mod mail;
pub mod msg;
pub(crate) mod numbers;
pub mod odf;
pub(crate) mod paragraphs;
mod parts;
pub mod pdf;
pub mod pptx;
pub(crate) mod relations;
pub mod rtf;
pub(crate) mod symbols;
pub mod text;
pub mod xlsx;
