//! What the features of a process keep in memory: subscribers, waiters, recent answers. Nothing of it is needed after a
//! restart.

pub mod blocklists;
pub mod contact_domains;
pub mod knowledge;
pub mod streams;
pub mod waiters;
