//! People: sign-in by mail, sessions, and the members of a workspace.

pub mod first_owner;
pub mod invitations;
pub mod keys;
pub mod members;
pub mod new_workspace;
pub mod org;
pub mod screening;
pub mod sessions;
pub mod sign_in;
pub(crate) mod sign_in_mail;
pub(crate) mod sign_up;
pub mod switch;
pub mod usage;
pub mod verify;
