//! Authentication results of one message, and the labels that follow from them.

use super::arc::ArcVerdict;
use super::dkim::{DkimResult, DkimVerdict};
use super::dmarc::{DmarcAlignment, DmarcResult, DmarcVerdict};
use super::spf::{SpfResult, SpfVerdict};

/// All authentication verdicts of one message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuthResults {
    /// SPF of the envelope sender, or of `postmaster` at the HELO name when the sender is empty (RFC 7208 §2.4).
    pub spf: SpfVerdict,
    /// SPF of the HELO name (RFC 7208 §2.3).
    pub helo_spf: SpfVerdict,
    /// One verdict for each DKIM signature checked, in header order from the top.
    pub dkim: Vec<DkimVerdict>,
    /// DMARC of the author's domain.
    pub dmarc: DmarcVerdict,
    /// The ARC chain.
    pub arc: ArcVerdict,
}

impl AuthResults {
    /// Returns true if a DKIM signature whose domain is aligned with From passes.
    #[must_use]
    pub fn has_aligned_dkim_pass(&self) -> bool {
        self.dkim.iter().any(|verdict| verdict.result == DkimResult::Pass && verdict.aligned)
    }

    /// Returns whether `Reply-To` is proven: a DKIM signature that passes, is aligned with From and covers it. SPF proves
    /// no header field.
    #[must_use]
    pub fn proves_reply_to(&self) -> bool {
        self.dkim.iter().any(|verdict| verdict.result == DkimResult::Pass && verdict.aligned && verdict.covers_reply_to)
    }

    /// Returns true if the message gets the label `spf-fail`: the SPF result is `fail` (not `softfail`) and no aligned
    /// DKIM signature passes. Forwarding breaks SPF, so an aligned signature outweighs it.
    #[must_use]
    pub fn spf_fail_label(&self) -> bool {
        self.spf.result == SpfResult::Fail && !self.has_aligned_dkim_pass()
    }

    /// Returns true if the message gets the label `dmarc-fail`: the DMARC result is `fail`, whatever the policy.
    #[must_use]
    pub fn dmarc_fail_label(&self) -> bool {
        self.dmarc.result == DmarcResult::Fail
    }

    /// Returns true if the message gets the label `auth-unknown`: DNS failed or the policy record is invalid.
    #[must_use]
    pub fn auth_unknown_label(&self) -> bool {
        matches!(self.dmarc.result, DmarcResult::TempError | DmarcResult::PermError)
    }

    /// Returns the `auth_failed` field of a message's `verification`: DMARC failed or was undecided, or SPF failed
    /// without an aligned DKIM signature.
    #[must_use]
    pub fn auth_failed(&self) -> bool {
        self.dmarc_fail_label() || self.spf_fail_label() || self.auth_unknown_label()
    }

    /// Returns whether SPF or DKIM authenticates a domain that is aligned with the author's, whatever its DMARC policy.
    #[must_use]
    pub fn author_alignment(&self) -> DmarcAlignment {
        self.dmarc.alignment
    }

    /// Replaces a DMARC `temperror` with `none`. For hosts that only accept local connections and may have no DNS.
    pub fn omit_dmarc(&mut self, reason: &str) {
        if self.dmarc.result == DmarcResult::TempError {
            self.dmarc.result = DmarcResult::None;
            reason.clone_into(&mut self.dmarc.reason);
        }
    }

    /// Fails DMARC if the author is an inbox of this service and no aligned signature passes: such mail is forged.
    pub fn refuse_claim_of_own_inbox(&mut self) {
        if !self.has_aligned_dkim_pass() {
            self.dmarc.result = DmarcResult::Fail;
            self.dmarc.alignment = DmarcAlignment::Fail;
            "the author is an inbox of this service, without its signature".clone_into(&mut self.dmarc.reason);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::auth::{ArcResult, SpfIdentity};

    fn signature(result: DkimResult, aligned: bool) -> DkimVerdict {
        DkimVerdict {
            result,
            domain: "a.example".into(),
            selector: "s".into(),
            algorithm: "rsa-sha256",
            aligned,
            covers_reply_to: false,
            reason: String::new(),
        }
    }

    fn results(spf: SpfResult, dkim: Option<DkimVerdict>, dmarc: DmarcResult) -> AuthResults {
        let spf = SpfVerdict {
            result: spf,
            identity: SpfIdentity::MailFrom,
            domain: "a.example".into(),
            reason: String::new(),
            explanation: None,
        };
        AuthResults {
            helo_spf: spf.clone(),
            spf,
            dkim: dkim.into_iter().collect(),
            dmarc: DmarcVerdict::without_policy(dmarc, "a.example", ""),
            arc: ArcVerdict { result: ArcResult::None, sets: 0, domain: String::new(), reason: String::new() },
        }
    }

    #[test]
    fn labels_follow_from_the_results() {
        use DkimResult::{Fail as DkimFail, Pass as DkimPass};
        for (spf, dkim, dmarc, spf_fail, dmarc_fail) in [
            (SpfResult::Pass, None, DmarcResult::Pass, false, false),
            (SpfResult::Fail, None, DmarcResult::None, true, false),
            (SpfResult::SoftFail, None, DmarcResult::None, false, false),
            (SpfResult::Fail, Some((DkimPass, true)), DmarcResult::Pass, false, false),
            (SpfResult::Fail, Some((DkimPass, false)), DmarcResult::Fail, true, true),
            (SpfResult::Fail, Some((DkimFail, true)), DmarcResult::TempError, true, false),
            (SpfResult::PermError, None, DmarcResult::Fail, false, true),
            (SpfResult::Pass, None, DmarcResult::TempError, false, false),
            (SpfResult::Pass, None, DmarcResult::PermError, false, false),
        ] {
            let dkim = dkim.map(|(result, aligned)| signature(result, aligned));
            let results = results(spf, dkim, dmarc);
            assert_eq!(results.spf_fail_label(), spf_fail, "{results:?}");
            assert_eq!(results.dmarc_fail_label(), dmarc_fail, "{results:?}");
            let unknown = matches!(dmarc, DmarcResult::TempError | DmarcResult::PermError);
            assert_eq!(results.auth_unknown_label(), unknown, "{results:?}");
            assert_eq!(results.auth_failed(), spf_fail || dmarc_fail || unknown, "{results:?}");
        }
    }
}
