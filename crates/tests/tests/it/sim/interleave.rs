//! Every moment between two steps of a request: another request commits right after its first store unit, in the next
//! run right after its second, and so on. At no moment is anything missed or done twice.

mod drafts;
mod signatures;
mod waits;
