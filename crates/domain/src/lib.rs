//! The rules of Posthouse as pure functions and values.
//!
//! This crate does no I/O, reads no clock and draws no random numbers. It doesn't depend on a database, HTTP or an async
//! runtime: callers pass in time, random seeds and the results of queries.

#[macro_use]
pub mod named;

pub mod actor;
pub mod agent;
pub mod agent_key;
pub mod agent_message;
pub mod analysis;
pub mod auth;
pub mod certificate;
pub mod connector;
pub mod contact;
pub mod daily_limit;
pub mod delivery;
pub mod digest;
pub mod dkim_key;
pub mod draft;
pub mod error;
pub mod escalation;
pub mod event;
pub mod extraction;
pub mod file_link;
pub mod forwarding;
pub mod gate;
pub mod greylist;
pub mod id;
pub mod identity;
pub mod inbox;
pub mod job;
pub mod knowledge;
pub mod label;
pub mod link_token;
pub mod list;
pub mod local_check;
pub mod local_delivery;
pub mod mail_domain;
pub mod message;
pub mod metadata;
pub mod metrics;
pub mod outbound_policy;
pub mod pacing;
pub mod page;
pub mod party;
pub mod plan;
pub mod queue;
pub mod quoted_links;
pub mod record;
pub mod reputation;
pub mod reserved_names;
pub mod rule;
pub mod search;
pub mod secret;
pub mod send;
pub mod sender;
pub mod service_mail;
pub mod signing_key;
pub mod signup;
pub mod stream;
pub mod suppression;
pub mod suspension;
pub mod text;
pub mod thread;
pub mod time;
pub mod time_zone;
pub mod user;
pub mod webhook;
pub mod workspace;

// The types of all modules, by name.
pub use actor::{Actor, ActorKind};
pub use agent::card::{Capabilities, Card, CardVisibility, Routing, Skill};
pub use agent::handle::{AgentHandle, FullHandle, HandleName};
pub use agent::handle::{HandleOwner, HandleTarget, PreviousHandle, WorkspaceHandles};
pub use agent::listing::{ListingProblem, ListingState};
pub use agent::lookalike::Reading;
pub use agent::report::{AgentReport, ReportReason, Reporter};
pub use agent::report::{AgentReporters, OpenReport, ReportedAgent};
pub use agent::sanction::Sanction;
pub use agent::search::{CardDocument, CardQuery, SearchedCards};
pub use agent::{Agent, SanctionKind, Standing};
pub use agent_key::{AgentKey, AgentKeyStatus, KeyProof, ProofProblem};
pub use agent_message::author::{AuthorClaims, AuthorRefusal, AuthoredContent};
pub use agent_message::content::{CopyClaims, SignedAuthor, SignedContent};
pub use agent_message::disclosure::{Disclosure, DisclosureParties};
pub use agent_message::{AgentDelivery, AuthorProblem, AuthorSignature, DeliverySignature};
pub use agent_message::{Assurance, Sender, UnsignedReason};
pub use analysis::{
    Analysis, AnalysisFacts, AnalysisPlan, AnalysisState, Category, Feedback, Judged, OptIns, ScreeningMode,
    ScreeningSettings, ScreeningTimeout, SkipReason, TextRange, Urgency, Verdict,
};
pub use auth::Permission::DomainsManage;
pub use auth::{
    ApiKey, ApiKeySecret, Caller, ConnectorPrincipal, Credential, InboxSet, KeyClient, KeyOwnerKind, KeyPrincipal,
    MemberKeys, Permission, Permissions, Principal, Scope, UserPrincipal,
};
pub use certificate::StoredCertificate;
pub use connector::client::{ClientKind, ConnectorClient};
pub use connector::secret::{ConnectorToken, RefreshToken};
pub use connector::{Connector, ConnectorCode, ConnectorEnd, ConnectorPreset, ConnectorReach, GrantedConnector};
pub use contact::{
    Contact, ContactFieldSource, ContactKind, DomainCount, LastSubject, MessageParticipant, ParticipantRole,
};
pub use daily_limit::DailyLimit;
pub use delivery::{
    AttemptContext, AttemptOutcome, AttemptReport, AttemptResultName, BounceKind, DkimSignatures, IpPreference,
    KeptAttempt, LocalDeliveryState, OutboundEnvelope, OutboundMode, RetryDeadline,
};
pub use delivery::{CapturedMessage, LockedMessage, MessageStatusUpdate};
pub use dkim_key::StoredDkimKey;
pub use draft::{
    Approval, Draft, DraftChange, DraftChangeResult, DraftContent, DraftFailure, DraftFile, DraftOrigins, DraftSource,
    DraftStatus, DraftStep, ScheduleChange, SentBack,
};
pub use error::{Detail, ErrorCode, FieldProblem, LimitName, Refusal, RefusalReason};
pub use escalation::{
    ClockTime, Escalation, EscalationDelivery, EscalationQueue, EscalationSettings, EscalationStep, EscalationTrigger,
    InboxEscalation, MailWindow, OnCallContact, OnCallMail, OnCallMailKind, QuietHours, TriggerChanges, TriggerSet,
};
pub use event::{Event, EventKind, EventPayload, NewEvent};
pub use extraction::{
    ExtractedText, Extraction, ExtractionError, ExtractionErrorCode, ExtractionMethod, ExtractionStatus, TextPage,
};
pub use file_link::{FileDirection, FileLinkToken};
pub use forwarding::{ForwardingAddress, ForwardingFacts, ForwardingFailure, PendingForward};
pub use gate::{DailyRecipients, LimitUsage, SendFacts, SendPurpose, StorageNeed};
pub use greylist::{GreylistDecision, GreylistRecord};
pub use id::*;
pub use identity::RequestDecision;
pub use identity::claims::{ClaimsAbout, TokenFacts};
pub use identity::client::{ClientSecret, IdentityClient, IdentityClientType, SubjectType};
pub use identity::oauth::{OAuthError, OAuthErrorCode, OAuthParameters};
pub use identity::scope::{IdentityScope, IdentityScopes};
pub use identity::{
    IdentityAccessToken, IdentityRequest, IdentityRequestState, IdentitySignIn, IdentitySignInEvent,
    IdentitySignInFlow, SignedInApp,
};
pub use inbox::{Inbox, InboxKind, TemporaryInboxUsage, Username};
pub use job::{DeadJob, JobOutcome, NewJob};
pub use job::{JobKind, JobReason, ScreeningChange};
pub use knowledge::{FullKnowledgeDocument, KnowledgeDocument, KnowledgeHit, KnowledgeVersion};
pub use label::LabelChange;
pub use list::{
    AuthorTrust, ListDirection, ListEntry, ListEntryMatches, ListKind, ListPattern, ListPatternKind, SenderClass,
};
pub use local_check::{FileReason, LocalCheck};
pub use local_delivery::{LocalDelivery, LocalOutcome, LocalRecipient, RequestedFields};
pub use mail_domain::{
    DkimKeyRecord, DkimSelector, DomainChanges, DomainCheck, DomainCheckStep, DomainStatus, ExpectedRecord, MailDomain,
    RetiringKey, ServerDnsSettings,
};
pub use message::ArrivalSummary;
pub use message::MessageReference;
pub use message::NewestMessage;
pub use message::RoleMail;
pub use message::{
    Attachment, Channel, DeliveryStatus, Direction, HoldReason, Message, MessageBodies, MessageIds, MessageKind,
    MessageRelease, MessageStatus, MessageVerification, RecipientDelivery, TlsParameters,
};
pub use metadata::Metadata;
pub use metrics::{Counters, Holdings, MetricsBound, MetricsBucket, MetricsSpan, MetricsSpanError};
pub use outbound_policy::{
    DraftHold, FindingKind, HeldForApproval, JudgedRecipient, OriginKind, OutboundFacts, OutboundFinding,
    OutboundPolicy, OutboundRisk, OutboundVerdict, RecipientOrigin,
};
pub use pacing::{DestinationLimits, MailboxProvider, ThrottleSignal, ThrottleState, ThrottleStatus};
pub use page::{CursorPosition, NamedCursorPosition, Page, PageParameters, PageRange, PageRequest};
pub use party::Party;
pub use plan::{Limit, Plan, PlanLimits, Plans};
pub use queue::{
    ClaimFilter, ClaimedMessage, Claims, ExtendedLease, LeaseOutcome, LeaseStatus, QueueEntry, QueueItem,
    QueueItemState, QueueState, ReturnedMessage,
};
pub use quoted_links::QuotedLinks;
pub use record::{ApprovalOfMessage, PromotionsFilter, Record, RecordView};
pub use reputation::{BlocklistCheck, BlocklistResult, BlocklistStatus};
pub use reserved_names::{LocalPartHolder, ReservedNames};
pub use rule::{
    Rule, RuleAction, RuleActionKind, RuleActions, RuleCondition, RuleConditions, RuleFacts, RuleField, RuleOutcome,
    RuleVerdict,
};
pub use search::{IndexedText, ParsedQuery, RankTier, SearchHit};
pub use send::{
    ForwardCommand, InvitationAnswer, MessageRecipients, NamedRecipient, NamedRecipients, OutgoingContent,
    OutgoingFile, ReplyCommand, ReplyFacts, SendCommand,
};
pub use sender::SenderFilter;
pub use service_mail::WrittenFor;
pub use service_mail::{MailBudget, MailBudgets, MailClass, ServiceMailKind};
pub use signing_key::StoredSigningKey;
pub use signing_key::{SigningKeyTimes, SigningPurpose};
pub use signup::Signup;
pub use stream::{StreamClose, StreamToken};
pub use suppression::{Suppression, SuppressionReason};
pub use suspension::SuspensionRecovery;
pub use suspension::{Incident, Suspension, SuspensionReason};
pub use thread::Thread;
pub use time::{DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS, Time};
pub use time_zone::NamedTimeZone;
pub use user::{Invitation, Member, Role, Session, SessionSecret, SignIn, SignInPurpose, User};
pub use webhook::PendingAttempt;
pub use webhook::{
    AttemptCounts, AttemptDetails, EventSubscription, StartedAttempt, Webhook, WebhookDelivery, WebhookDeliveryStatus,
    WebhookDetails, WebhookExchange, WebhookHost, WebhookUrlRules,
};
pub use workspace::{
    AiDisclosure, AiProcessing, ClaimStatus, DisclosureLine, Workspace, WorkspaceNotice, WorkspaceOrigin,
};
