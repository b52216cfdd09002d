//! The three dimensions of the cases, and the expected result of each combination.

/// The sender of a report, and how it is authenticated.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum ReportSource {
    /// An unknown sender, at the return path of the recipient that the report names.
    OwnPath,
    /// An unknown sender, at the return path of another recipient of the same message.
    PathOfOtherRecipient,
    /// An unknown sender, at the return path of another message of the same inbox.
    PathOfOtherMessage,
    /// An unknown sender, at the return path of a message of another tenant.
    PathOfOtherTenant,
    /// A mail system with an empty return path, from a domain without policy, not authenticated.
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
    /// The name of a feedback source, not authenticated.
    FeedbackUnproven,
    /// A DKIM signature of a feedback source with an author of another domain.
    FeedbackForeignAuthor,
    /// The recipient's domain, which has a DMARC policy, with a signature of another domain.
    DmarcFail,
    /// The recipient's domain, whose SPF record doesn't allow the client.
    SpfFail,
    /// The recipient's domain, while its DNS lookups fail.
    DnsFailure,
    /// The recipient's domain, by DKIM, while its policy lookup fails.
    PolicyFailure,
}

impl ReportSource {
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

    /// Returns the envelope sender, the author and the signing domain.
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

    /// Returns the domain of the recipient that the report is about.
    pub(super) fn recipient_domain(self) -> &'static str {
        match self {
            Self::SpfFail => "strict.example",
            Self::DnsFailure => "broken.example",
            Self::PolicyFailure => "cloudy.example",
            _ => "x.example",
        }
    }
}

/// How a report refers to the message.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Reference {
    /// A delivery status with the original Message-ID in the attached header.
    Dsn,
    /// A delivery status with the Message-ID only in `In-Reply-To`.
    DsnReply,
    /// A delivery status without a reference to a message.
    DsnNothing,
    /// A complaint that encloses the original.
    Arf,
    /// A complaint without a reference to a message.
    ArfNothing,
    /// A notice with `X-Failed-Recipients` and a copy of the header.
    FailedRecipients,
    /// A notice with the Message-ID only in its text.
    Text,
    /// A notice without a reference to a message.
    Nothing,
}

impl Reference {
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

    fn refers_to_the_message(self) -> bool {
        !matches!(self, Self::DsnNothing | Self::ArfNothing | Self::Nothing)
    }

    /// Returns whether its format marks it as a report, regardless of the author.
    fn is_declared(self) -> bool {
        !matches!(self, Self::FailedRecipients | Self::Text | Self::Nothing)
    }
}

/// The inbox that the report is addressed to besides the return path, and its relation to the sending inbox.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum InboxRole {
    /// The inbox that sent the message.
    Sending,
    /// Another inbox of the same workspace.
    SameWorkspace,
    /// An inbox of another tenant.
    OtherTenant,
    /// The inbox that sent the message, now deleted.
    Deleted,
    /// The inbox that sent the message, which only accepts listed senders.
    AllowOnly,
}

impl InboxRole {
    pub(super) const ALL: [Self; 5] =
        [Self::Sending, Self::SameWorkspace, Self::OtherTenant, Self::Deleted, Self::AllowOnly];
}

/// One combination.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct ReportCase {
    pub(super) source: ReportSource,
    pub(super) reference: Reference,
    pub(super) role: InboxRole,
}

/// The recipient whose delivery a report changes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum ChangedRecipient {
    None,
    /// The recipient that the report names.
    Named,
    /// The other recipient of the same message.
    OtherRecipient,
    /// The recipient of the other message of the same inbox.
    OtherMessage,
    /// The recipient of the other tenant's message.
    OtherTenant,
}

/// How a copy of the report is stored.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum StoredAs {
    /// With the label `bounce-report` and without an event.
    Report,
    /// As an ordinary message with the label `unverified-report`.
    Unverified,
    /// As an ordinary message that doesn't look like a report.
    Ordinary,
}

impl ReportCase {
    pub(super) fn all() -> impl Iterator<Item = Self> {
        let pairs =
            ReportSource::ALL.into_iter().flat_map(|source| Reference::ALL.map(|reference| (source, reference)));
        pairs.flat_map(|(source, reference)| InboxRole::ALL.map(|role| Self { source, reference, role }))
    }

    /// Returns whether a report of this source looks like one.
    fn looks_like_a_report(&self) -> bool {
        let (envelope_from, author, _) = self.source.identity();
        let local = author.split('@').next().unwrap_or_default();
        self.reference.is_declared() || envelope_from.is_empty() || ["mailer-daemon", "postmaster"].contains(&local)
    }

    /// Returns whether a report that was not sent to a return path is trusted.
    fn is_trusted_without_path(&self) -> bool {
        use ReportSource::{ExchangerDkim, FeedbackDkim, RecipientDkim, RecipientSpf, RecipientUser};
        let entitled = if self.reference.is_complaint() {
            matches!(self.source, FeedbackDkim | RecipientDkim | RecipientUser) && self.role != InboxRole::OtherTenant
        } else {
            matches!(self.source, RecipientSpf | RecipientDkim | ExchangerDkim)
        };
        entitled && self.reference.refers_to_the_message() && self.looks_like_a_report()
    }

    pub(super) fn changed(&self) -> ChangedRecipient {
        match self.source {
            ReportSource::OwnPath => ChangedRecipient::Named,
            ReportSource::PathOfOtherRecipient => ChangedRecipient::OtherRecipient,
            ReportSource::PathOfOtherMessage => ChangedRecipient::OtherMessage,
            ReportSource::PathOfOtherTenant => ChangedRecipient::OtherTenant,
            _ if self.role != InboxRole::Deleted && self.is_trusted_without_path() => ChangedRecipient::Named,
            _ => ChangedRecipient::None,
        }
    }

    /// Returns how the copy in the addressed inbox is stored.
    pub(super) fn copy_by_address(&self) -> StoredAs {
        if self.is_trusted_without_path() {
            StoredAs::Report
        } else if self.looks_like_a_report() {
            StoredAs::Unverified
        } else {
            StoredAs::Ordinary
        }
    }
}
