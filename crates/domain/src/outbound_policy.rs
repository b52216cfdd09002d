//! What a workspace does about a message that goes to an address which only received mail named, or that contains a
//! secret. Pure; the spellings of an address are in [`seen`], those of a code in [`codes`].

pub mod codes;
pub(crate) mod finding;
pub mod seen;

pub use finding::{FindingKind, JudgedRecipient, OriginKind, OutboundFinding, RecipientOrigin};

use crate::{
    error::{Detail, ErrorCode, Refusal},
    id::DraftId,
};

/// The label of a sent message with a recipient that only received mail named.
pub const RECIPIENT_LABEL: &str = "guard:recipient";
/// The label of a sent message with a secret.
pub const CONTENT_LABEL: &str = "guard:content";
/// The maximum number of findings of one message.
pub const FINDINGS_MAX: usize = 50;
/// The maximum number of bytes of attachments that are searched in one message.
pub const FILE_BYTES_MAX: usize = 1024 * 1024;

named! {
    /// What a workspace does about such a message.
    OutboundPolicy {
        /// Nothing.
        Off = "off",
        /// Sends it with a label.
        Label = "label",
        /// Keeps it as a draft until a person approves it.
        Hold = "hold",
        /// Refuses it.
        Refuse = "refuse",
    }
    /// Why a draft is held.
    OutboundRisk {
        /// Only received mail named a recipient.
        RecipientUnproven = "recipient_unproven",
        /// The message contains a secret.
        ContentBlocked = "content_blocked",
        /// A rule of the owner lets agents only draft answers to the message that this one answers.
        DraftOnly = "draft_only",
    }
}

/// Why a draft waits for an approval although nobody asked for one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DraftHold {
    /// The first reason.
    pub reason: OutboundRisk,
    /// The recipients that only received mail named.
    pub recipients: Vec<JudgedRecipient>,
    /// The secrets.
    pub findings: Vec<OutboundFinding>,
}

/// What is known about the recipients and the content of a message.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OutboundFacts {
    /// The policy of the workspace.
    pub policy: OutboundPolicy,
    /// Whether somebody approved the message, so that it is neither held nor refused.
    pub is_approved: bool,
    pub recipients: Vec<JudgedRecipient>,
    /// The secrets.
    pub findings: Vec<OutboundFinding>,
    /// Whether the owner holds back what couldn't be read in time, and a file of the message couldn't.
    pub is_unread: bool,
    /// Whether a rule of the owner lets agents only draft this message.
    pub is_draft_only: bool,
    /// Why the draft that is sent was held before, with the same content.
    pub held_before: Option<DraftHold>,
}

/// What happens to a message that every earlier check allows.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum OutboundVerdict {
    /// It is sent.
    Send,
    /// It is kept as a draft.
    Hold(DraftHold),
}

impl OutboundFacts {
    /// The facts about mail that the policy is not about.
    #[must_use]
    pub const fn unguarded() -> Self {
        Self {
            policy: OutboundPolicy::Off,
            is_approved: true,
            recipients: Vec::new(),
            findings: Vec::new(),
            is_unread: false,
            is_draft_only: false,
            held_before: None,
        }
    }

    /// Returns the recipients that only received mail named.
    #[must_use]
    pub fn unproven(&self) -> Vec<JudgedRecipient> {
        self.recipients.iter().filter(|one| one.origin.kind == OriginKind::SeenOnly).cloned().collect()
    }

    /// Returns the labels of the message once it is sent.
    #[must_use]
    pub fn labels(&self) -> Vec<&'static str> {
        if self.policy == OutboundPolicy::Off || self.is_approved {
            return Vec::new();
        }
        let all = [(RECIPIENT_LABEL, !self.unproven().is_empty()), (CONTENT_LABEL, !self.findings.is_empty())];
        all.into_iter().filter(|(_, set)| *set).map(|(label, _)| label).collect()
    }

    /// Decides about the message.
    ///
    /// # Errors
    /// Returns `recipient_unproven` or `content_blocked` if the policy refuses it.
    pub fn decide(&self) -> Result<OutboundVerdict, Refusal> {
        if let Some(hold) = self.held_before.as_ref().filter(|_| !self.is_approved) {
            return Ok(OutboundVerdict::Hold(hold.clone()));
        }
        let is_guarded = matches!(self.policy, OutboundPolicy::Hold | OutboundPolicy::Refuse);
        if self.is_approved || !(is_guarded || self.is_draft_only) {
            return Ok(OutboundVerdict::Send);
        }
        let unproven = self.unproven();
        let reason = match (unproven.is_empty(), self.findings.is_empty()) {
            (false, _) if is_guarded => OutboundRisk::RecipientUnproven,
            (_, has_none) if is_guarded && (!has_none || self.is_unread) => OutboundRisk::ContentBlocked,
            _ if self.is_draft_only => OutboundRisk::DraftOnly,
            _ => return Ok(OutboundVerdict::Send),
        };
        if self.policy == OutboundPolicy::Hold || reason == OutboundRisk::DraftOnly {
            return Ok(OutboundVerdict::Hold(DraftHold {
                reason,
                recipients: unproven,
                findings: self.findings.clone(),
            }));
        }
        Err(match reason {
            OutboundRisk::RecipientUnproven => refuse_recipients(unproven),
            OutboundRisk::ContentBlocked | OutboundRisk::DraftOnly => refuse_content(&self.findings),
        })
    }
}

fn refuse_recipients(unproven: Vec<JudgedRecipient>) -> Refusal {
    let count = unproven.len();
    let noun = if count == 1 { "1 recipient" } else { &format!("{count} recipients") };
    let message = format!("Only received mail named {noun} of this message; nothing was sent.");
    let source = unproven.iter().find_map(|one| one.origin.message);
    let source = source.map_or_else(|| "the message that named it".to_owned(), |id| format!("message {id}"));
    Refusal::new(ErrorCode::RecipientUnproven, message).detail(Detail::UnprovenRecipients(unproven)).with_fix(format!(
        "Read {source}. If a person wants this recipient, create a draft and have them approve it, or add the address to the send allow list."
    ))
}

fn refuse_content(findings: &[OutboundFinding]) -> Refusal {
    let message = match findings.first() {
        Some(OutboundFinding { kind, place, .. }) => {
            format!("The message contains a secret (`{}` in `{place}`); nothing was sent.", kind.text())
        }
        None => "A file of the message couldn't be searched for secrets in time; nothing was sent.".to_owned(),
    };
    Refusal::new(ErrorCode::ContentBlocked, message).detail(Detail::Findings(findings.to_vec()))
}

/// The response to a request that a person must approve first.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct HeldForApproval {
    pub draft: DraftId,
}

#[cfg(test)]
mod tests;
