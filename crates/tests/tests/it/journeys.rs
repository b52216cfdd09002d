//! What a user does from end to end, through the doors a user has.

mod answer_a_mail;
mod certificates;
pub(crate) mod delivery;
mod dkim;
mod doctor;
mod domain_command;
mod forwarding;
mod inbound_policy;
mod internationalised;
mod name_servers;
mod reports;
mod resume;
mod standing;
mod submission;
mod suspension;
mod sweep;
mod unclaimed;
mod webhooks;
