//! Every moment between two steps of a request: somebody else commits right after its first unit in the store, in the next run
//! right after its second, and so on to the last. Whatever the moment, nothing is missed and nothing is done twice.

mod drafts;
mod waits;
