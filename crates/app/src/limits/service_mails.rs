//! The budgets of the mail that the service writes, by class and UTC day (`posthouse_domain::service_mail`).

use std::sync::Arc;

use posthouse_domain::{MailBudgets, MailClass, Party, Refusal, ServiceMailKind, Time};
use posthouse_store::{Tx, signups};

use super::exhausted_log::ExhaustedLog;
use crate::{
    keyring::counted_subject::network_and_site, keyring::counted_subject::subject_of,
    keyring::instance_key::AddressKey, service::Service,
};

/// Mails that strangers of one IPv6 site (/48) ask for in a day, in budgets of one network (/56).
const SITE_NETWORKS: u64 = 3;

/// Counts mails of the service.
#[derive(Clone)]
pub(crate) struct ServiceMailCounter {
    key: AddressKey,
    budgets: MailBudgets,
    log: Arc<ExhaustedLog>,
}

/// A mail to count.
#[derive(Clone, Copy)]
pub(crate) struct CountedMail<'a> {
    pub(crate) class: MailClass,
    pub(crate) kind: ServiceMailKind,
    /// The address that it goes to.
    pub(crate) to: &'a str,
    /// The client network that asked for it, as [`counted_network`](crate::keyring::counted_subject::counted_network)
    /// returns it; `None` if none did.
    pub(crate) network: Option<&'a [u8]>,
}

impl ServiceMailCounter {
    /// Prepares the counting.
    ///
    /// # Errors
    /// Returns an error if the instance key can't be read.
    pub(crate) fn of(service: &Service) -> Result<Self, Refusal> {
        let (budgets, log) = (service.config.limits.service_mails, Arc::clone(&service.service_mail_log));
        Ok(Self { key: service.address_key()?, budgets, log })
    }

    /// Counts a mail, in the transaction that stores it or the request for it.
    ///
    /// # Errors
    /// Returns `rate_limited`, or `signup_rate_limited` for mail to strangers, if a budget of its class is used up.
    pub(crate) fn count(&self, tx: &mut Tx, mail: &CountedMail<'_>, now: Time) -> Result<(), Refusal> {
        let (limits, budget) = (mail.class.limits(), self.budgets.of(mail.class));
        // Strangers cause escalations and ask for sign-in links of members: neither uses up what the other needs.
        let scope = match mail.class {
            MailClass::Members => mail.kind.text(),
            MailClass::Invited | MailClass::Strangers => mail.class.text(),
        };
        let party = subject_of(&self.key, &format!("{scope} {}", Party::of_text(mail.to)));
        let (network, site) = mail.network.map_or((None, None), |counted| {
            let (network, site) = network_and_site(counted);
            (Some(network.to_vec()), site.filter(|_| mail.class == MailClass::Strangers).map(<[u8]>::to_vec))
        });
        let per_site = budget.per_network.map(|max| max.saturating_mul(SITE_NETWORKS));
        let counted = [
            (limits.network, budget.per_network, network),
            (limits.network, per_site, site),
            (limits.party, budget.per_party, Some(party)),
            (limits.all, budget.per_day, Some(subject_of(&self.key, scope))),
        ];
        for (limit, max, subject) in counted {
            let (Some(max), Some(subject)) = (max, subject) else { continue };
            if !signups::count(tx, limit, &subject, max, now)? {
                if self.log.is_first(mail.class, now.day()) {
                    let (class, budget) = (mail.class.text(), limit.text());
                    tracing::warn!(class, budget, max, "service_mail.budget_used_up");
                }
                return Err(limit.refusal(max, now));
            }
        }
        Ok(())
    }
}
