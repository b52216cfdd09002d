//! `/v1/lists` and what the lists do to mail in and out (contract §13.1).

mod entries;
mod receive;
mod send;
