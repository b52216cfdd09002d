//! What the outside sees of records: the objects of the API document, shared by answers and by event payloads.
//!
//! Wire forms only: nothing here decides or reads anything.

pub mod inbox;
