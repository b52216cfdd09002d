//! End-to-end flows, through the interfaces that users have.

mod certificates;
mod check_changes_nothing;
mod check_command;
pub(crate) mod delivery;
mod directory_command;
mod dkim;
mod domain_command;
pub(crate) mod escalation;
mod forwarding;
mod internationalized;
mod jobs;
mod local_delivery;
mod read_shares;
mod receive_policy;
mod reply_to_a_message;
mod reports;
mod resolver;
mod resume_command;
mod signup;
mod smtp_limits;
mod storage_limit;
mod submission;
mod suspension;
mod sweep;
mod unclaimed;
mod webhooks;
mod workspace_states;
