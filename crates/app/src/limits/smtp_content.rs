//! The budgets of message content that SMTP sessions buffer, with a share for each client.

use std::net::IpAddr;

use super::shared_budget::SharedBudget;

/// Content in memory, in bytes, by kind of listener. Submission has its own, so that mail from outside can't keep the mail
/// of users out.
#[derive(Debug)]
pub struct SmtpContent {
    /// Mail from outside.
    pub receipt: SharedBudget<IpAddr>,
    /// Mail from the mail programs of users.
    pub submission: SharedBudget<IpAddr>,
}

impl SmtpContent {
    /// Creates empty budgets of `bytes_max` each (`limits.smtp_content_bytes`).
    #[must_use]
    pub fn new(bytes_max: u64) -> Self {
        Self { receipt: SharedBudget::new(Some(bytes_max)), submission: SharedBudget::new(Some(bytes_max)) }
    }
}
