//! The three dimensions of the table, and what the rule says about each of their combinations.

/// Who a report comes from, and by which way.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Source {
    /// A stranger, at the return path of the recipient that the report names.
    OwnPath,
    /// A stranger, at the return path of another recipient of the same message.
    PathOfOtherRecipient,
    /// A stranger, at the return path of another message of the same inbox.
    PathOfOtherMessage,
    /// A stranger, at the return path of a message of another tenant.
    PathOfOtherTenant,
    /// A mail system with an empty return path, a domain without policy and no proof.
    Unproven,
    /// The recipient's domain, by SPF.
    RecipientSpf,
    /// The recipient's domain, by DKIM.
    RecipientDkim,
    /// A user of the recipient's domain, by DKIM.
    RecipientUser,
    /// The domain of the recipient's mail exchanger, by DKIM.
    ExchangerDkim,
    /// A user of the mail exchanger's domain, by DKIM.
    ExchangerUser,
    /// Another domain, by DKIM.
    ForeignDkim,
    /// A feedback source, by DKIM.
    FeedbackDkim,
    /// A feedback source, by SPF alone.
    FeedbackSpf,
    /// The name of a feedback source with nothing behind it.
    FeedbackUnproven,
    /// A DKIM signature of a feedback source under another author.
    FeedbackForeignAuthor,
    /// The recipient's domain, which has a policy, with a signature of another domain.
    DmarcFail,
    /// The recipient's domain, which does not send from there.
    SpfFail,
    /// The recipient's domain, while its name servers fail.
    DnsFailure,
    /// The recipient's domain, by DKIM, while its policy can't be had.
    PolicyFailure,
}

impl Source {
    pub(super) const ALL: [Self; 19] = [
        Self::OwnPath,
        Self::PathOfOtherRecipient,
        Self::PathOfOtherMessage,
        Self::PathOfOtherTenant,
        Self::Unproven,
        Self::RecipientSpf,
        Self::RecipientDkim,
        Self::RecipientUser,
        Self::ExchangerDkim,
        Self::ExchangerUser,
        Self::ForeignDkim,
        Self::FeedbackDkim,
        Self::FeedbackSpf,
        Self::FeedbackUnproven,
        Self::FeedbackForeignAuthor,
        Self::DmarcFail,
        Self::SpfFail,
        Self::DnsFailure,
        Self::PolicyFailure,
    ];

    /// Envelope sender, author, and the domain that signs.
    pub(super) fn identity(self) -> (&'static str, &'static str, Option<&'static str>) {
        match self {
            Self::OwnPath | Self::PathOfOtherRecipient | Self::PathOfOtherMessage | Self::PathOfOtherTenant => {
                ("", "mailer-daemon@stranger.example", None)
            }
            Self::Unproven => ("", "mailer-daemon@stranger.example", None),
            Self::RecipientSpf => ("postmaster@x.example", "postmaster@x.example", None),
            Self::RecipientDkim => ("", "postmaster@x.example", Some("x.example")),
            Self::RecipientUser => ("eve@x.example", "eve@x.example", Some("x.example")),
            Self::ExchangerDkim => ("", "mailer-daemon@provider.example", Some("provider.example")),
            Self::ExchangerUser => ("eve@provider.example", "eve@provider.example", Some("provider.example")),
            Self::ForeignDkim => ("", "postmaster@foreign.example", Some("foreign.example")),
            Self::FeedbackDkim => ("feedback@fbl.example", "feedback@fbl.example", Some("fbl.example")),
            Self::FeedbackSpf => ("feedback@fbl.example", "feedback@fbl.example", None),
            Self::FeedbackUnproven => ("eve@stranger.example", "feedback@fbl.example", None),
            Self::FeedbackForeignAuthor => ("", "feedback@foreign.example", Some("fbl.example")),
            Self::DmarcFail => ("", "postmaster@x.example", Some("foreign.example")),
            Self::SpfFail => ("postmaster@strict.example", "postmaster@strict.example", None),
            Self::DnsFailure => ("postmaster@broken.example", "postmaster@broken.example", Some("broken.example")),
            Self::PolicyFailure => ("", "postmaster@cloudy.example", Some("cloudy.example")),
        }
    }

    /// The domain of the recipient that the report is about.
    pub(super) fn recipient_domain(self) -> &'static str {
        match self {
            Self::SpfFail => "strict.example",
            Self::DnsFailure => "broken.example",
            Self::PolicyFailure => "cloudy.example",
            _ => "x.example",
        }
    }
}

/// How a report names the message.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Naming {
    /// A delivery status with the original Message-ID in the attached header.
    Dsn,
    /// A delivery status with the Message-ID in `In-Reply-To` alone.
    DsnReply,
    /// A delivery status that names no message.
    DsnNothing,
    /// A complaint that encloses the original.
    Arf,
    /// A complaint that names no message.
    ArfNothing,
    /// A notice with `X-Failed-Recipients` and a copy of the header.
    FailedRecipients,
    /// A notice with the Message-ID in its text alone.
    Text,
    /// A notice that names no message.
    Nothing,
}

impl Naming {
    pub(super) const ALL: [Self; 8] = [
        Self::Dsn,
        Self::DsnReply,
        Self::DsnNothing,
        Self::Arf,
        Self::ArfNothing,
        Self::FailedRecipients,
        Self::Text,
        Self::Nothing,
    ];

    pub(super) fn is_complaint(self) -> bool {
        matches!(self, Self::Arf | Self::ArfNothing)
    }

    fn names_the_message(self) -> bool {
        !matches!(self, Self::DsnNothing | Self::ArfNothing | Self::Nothing)
    }

    /// Whether it is one for its form, whoever writes it.
    fn is_declared(self) -> bool {
        !matches!(self, Self::FailedRecipients | Self::Text | Self::Nothing)
    }
}

/// Whose inbox a report reaches beside the return path, and what the inbox is that sent the message.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Place {
    /// The inbox that sent the message.
    Sending,
    /// Another inbox of the same workspace.
    Colleague,
    /// An inbox of another tenant.
    OtherTenant,
    /// The inbox that sent the message, which is deleted.
    Deleted,
    /// The inbox that sent the message, which only takes mail of listed senders.
    AllowOnly,
}

impl Place {
    pub(super) const ALL: [Self; 5] =
        [Self::Sending, Self::Colleague, Self::OtherTenant, Self::Deleted, Self::AllowOnly];
}

/// One row of the table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Case {
    pub(super) source: Source,
    pub(super) naming: Naming,
    pub(super) place: Place,
}

/// The recipient that a report changes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Changed {
    Nobody,
    /// The recipient that it names.
    Named,
    /// The other recipient of the same message.
    OtherRecipient,
    /// The recipient of the other message of the same inbox.
    OtherMessage,
    /// The recipient of the other tenant's message.
    OtherTenant,
}

/// What becomes of a copy of the report.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Copy {
    /// It is `bounce-report` and has no event of its own.
    Report,
    /// It is ordinary mail with `unverified-report`.
    Unverified,
    /// It is ordinary mail and does not look like a report.
    Ordinary,
}

impl Case {
    pub(super) fn all() -> impl Iterator<Item = Self> {
        let pairs = Source::ALL.into_iter().flat_map(|source| Naming::ALL.map(|naming| (source, naming)));
        pairs.flat_map(|(source, naming)| Place::ALL.map(|place| Self { source, naming, place }))
    }

    /// Whether what the source writes looks like a report.
    fn looks_like_a_report(&self) -> bool {
        let (envelope_from, author, _) = self.source.identity();
        let local = author.split('@').next().unwrap_or_default();
        self.naming.is_declared() || envelope_from.is_empty() || ["mailer-daemon", "postmaster"].contains(&local)
    }

    /// The rule for a report that came elsewhere than to a return path.
    fn counts_by_name(&self) -> bool {
        use Source::{ExchangerDkim, FeedbackDkim, RecipientDkim, RecipientSpf, RecipientUser};
        let entitled = if self.naming.is_complaint() {
            matches!(self.source, FeedbackDkim | RecipientDkim | RecipientUser) && self.place != Place::OtherTenant
        } else {
            matches!(self.source, RecipientSpf | RecipientDkim | ExchangerDkim)
        };
        entitled && self.naming.names_the_message() && self.looks_like_a_report()
    }

    pub(super) fn changed(&self) -> Changed {
        match self.source {
            Source::OwnPath => Changed::Named,
            Source::PathOfOtherRecipient => Changed::OtherRecipient,
            Source::PathOfOtherMessage => Changed::OtherMessage,
            Source::PathOfOtherTenant => Changed::OtherTenant,
            _ if self.place != Place::Deleted && self.counts_by_name() => Changed::Named,
            _ => Changed::Nobody,
        }
    }

    /// What becomes of the copy in the inbox that it was addressed to.
    pub(super) fn copy_by_address(&self) -> Copy {
        if self.counts_by_name() {
            Copy::Report
        } else if self.looks_like_a_report() {
            Copy::Unverified
        } else {
            Copy::Ordinary
        }
    }
}
