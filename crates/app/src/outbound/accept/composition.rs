//! Composes a message and parses it the way its recipients will. Pure, so it runs on the blocking pool.

use std::borrow::Cow;

use posthouse_domain::{
    AuthorClaims, AuthoredContent, Channel, DisclosureParties, IdGenerator, Inbox, Judged, OutboundFinding,
    OutboundPolicy, Refusal, Time, Workspace,
};
use posthouse_mail::{address::Address, address::Mailbox, smtp::client::normalise_line_ends};
use posthouse_store::{BlobStore, contents::RawLocation, contents::StoredRaw, local_deliveries::RequestedFields};

use super::{AcceptConfig, AcceptedMessage, CopySigning, judge};
use crate::mailbox::judge::Judge;
use crate::mailbox::parse::{BothSides, ParsedMail, Provenance, parse_both, parse_message};
use crate::outbound::compose::{self, OutgoingKind, OutgoingMessage};
use crate::outbound::{agent_content, local_delivery, send_context::SendContext};
use crate::{keyring::sealed_link, signing::agent_copy::CopySigner};

/// What a message is composed with.
pub(super) struct Composition {
    pub(super) context: SendContext,
    pub(super) config: AcceptConfig,
    /// The workspace of the sender.
    pub(super) workspace: Workspace,
    /// The inbox of the sender.
    pub(super) inbox: Inbox,
    pub(super) author: Mailbox,
    /// Whether a rule of the owner lets agents only draft answers to some mail of the inbox.
    pub(super) has_draft_only_mail: bool,
    /// What signatures of copies for recipients on this service need.
    pub(super) signing: Option<CopySigning>,
    /// What the search for secrets needs.
    pub(super) search: judge::SearchFacts,
    /// The name of this service in `Authentication-Results`.
    pub(super) hostname: String,
    pub(super) blobs: BlobStore,
    pub(super) judge: Judge,
    pub(super) ids: IdGenerator,
    pub(super) now: Time,
}

/// What a message says about its author.
struct Disclosed {
    /// Whether it says that an agent wrote it.
    by_agent: bool,
    /// Whether its bodies get the visible line of the workspace. The signature of an author wouldn't cover it.
    in_bodies: bool,
    parties: DisclosureParties,
}

/// What the recipients of a message get.
struct CopyNeeds {
    /// Whether some are on this service.
    needs_local_copy: bool,
    /// Whether some get ordinary mail. With agent messaging off, all do.
    needs_plain_mail: bool,
}

impl Composition {
    /// Returns the message, ready for the transaction, and its bytes.
    pub(super) fn compose(mut self, mut outgoing: OutgoingMessage) -> Result<(Box<AcceptedMessage>, Vec<u8>), Refusal> {
        let CopyNeeds { needs_local_copy, needs_plain_mail } = self.copy_needs(&outgoing);
        let author = self.authored(&mut outgoing);
        let parties = agent_content::parties(&self.workspace, &self.inbox, &self.config.own);
        let disclosed = Disclosed { by_agent: discloses(&outgoing), in_bodies: author.is_none(), parties };
        let is_composed = !matches!(outgoing.origin, OutgoingKind::Submitted(_));
        let may_be_held = self.may_be_held();
        let original = (may_be_held && is_composed).then(|| outgoing.content.clone());
        let mut findings = if is_composed { self.findings(&outgoing, &[]) } else { Vec::new() };
        let raw = self.raw(&mut outgoing, &disclosed, needs_plain_mail)?;
        if !is_composed {
            findings = self.findings(&outgoing, &raw);
        }
        let given = may_be_held.then(|| original.unwrap_or_else(|| judge::submitted_content(&raw)));
        let with_token = with_link_token(&outgoing, &raw);
        let requested = self.config.agent_messaging.then(|| requested_fields(&outgoing, needs_plain_mail)).flatten();
        let (sent, received) =
            self.parsed(&raw, with_token.as_deref(), needs_local_copy.then(|| is_request(&outgoing)));
        let mut received = received.map(|copy| self.received(&outgoing, copy, requested.as_ref()));
        let mut sent = with_requested_fields(&outgoing, sent);
        sent.set_disclosure_verified(disclosed.by_agent);
        let claims = author.as_ref().map(|(claims, _)| claims);
        let signing = self.signing.take().zip(received.as_ref());
        let copy_signer = signing.map(|(signing, copy)| self.copy_signer(signing, copy, &disclosed, claims));
        let copy_signer = copy_signer.transpose()?.flatten();
        if let Some(copy) = &mut received {
            copy.channel = if copy_signer.is_some() { Channel::Agent } else { Channel::Email };
            copy.set_disclosure_verified(disclosed.by_agent);
            self.judge.screen(copy);
            copy.judged = if is_request(&outgoing) { Judged::Unavailable } else { self.judge.judge(copy) };
        }
        let inline = |bytes: Vec<u8>| -> posthouse_store::Result<StoredRaw> {
            let location = RawLocation::Inline(self.blobs.compress(&bytes)?);
            Ok(StoredRaw { place: location, bytes: bytes.len() as u64 })
        };
        let local_raw = with_token.map(inline).transpose()?;
        // Boxed: it is large, and every step of a send would copy it.
        let accepted = Box::new(AcceptedMessage {
            context: self.context,
            config: self.config,
            message: outgoing,
            from: self.author.into_address(),
            sent,
            received,
            requested,
            local_raw,
            copy_signer,
            author,
            signed: None,
            findings,
            has_unread_files: self.search.has_unread_files(),
            given,
            hook: None,
            now: self.now,
        });
        Ok((accepted, raw))
    }

    /// Returns whether the message may become a draft.
    fn may_be_held(&self) -> bool {
        self.workspace.outbound_policy == OutboundPolicy::Hold || self.has_draft_only_mail
    }

    /// Returns the secrets in the message, if the policy of the workspace asks for them.
    fn findings(&self, outgoing: &OutgoingMessage, raw: &[u8]) -> Vec<OutboundFinding> {
        if self.workspace.outbound_policy == OutboundPolicy::Off {
            return Vec::new();
        }
        judge::findings(outgoing, &self.author, raw, &self.search)
    }

    /// Returns what the recipients get.
    fn copy_needs(&self, outgoing: &OutgoingMessage) -> CopyNeeds {
        let is_local = |address: &Address| local_delivery::is_served(address, &self.config.served);
        let all = outgoing.people.deliveries();
        let needs_plain_mail = !self.config.agent_messaging || all.iter().any(|address| !is_local(address));
        CopyNeeds { needs_local_copy: all.iter().any(|address| is_local(address)), needs_plain_mail }
    }

    /// Returns the signature of the author with what it must cover.
    fn authored(&self, outgoing: &mut OutgoingMessage) -> Option<(AuthorClaims, AuthoredContent)> {
        let claims = outgoing.author.take()?;
        let content = agent_content::authored(outgoing, &self.inbox, &claims, &self.config.issuer);
        Some((claims, content))
    }

    /// Returns the bytes to store and send.
    fn raw(
        &self,
        outgoing: &mut OutgoingMessage,
        disclosed: &Disclosed,
        needs_plain_mail: bool,
    ) -> Result<Vec<u8>, Refusal> {
        match outgoing.origin.raw() {
            Some(raw) if disclosed.by_agent => {
                Ok(compose::with_disclosure(&with_crlf(std::mem::take(raw)), &disclosed.parties))
            }
            Some(raw) => Ok(with_crlf(std::mem::take(raw))),
            None => {
                compose::complete(&mut outgoing.content, needs_plain_mail);
                if disclosed.in_bodies {
                    agent_content::add_visible_line(&mut outgoing.content, &self.workspace);
                }
                compose::raw(outgoing, &self.author, &disclosed.parties, self.now)
            }
        }
    }

    /// Parses the message as its sender has it and, if some are on this service, as its recipients get it: with a link in
    /// place, if the bytes contain a sealed one. `is_request` is `None` if none are.
    fn parsed(
        &self,
        raw: &[u8],
        with_token: Option<&[u8]>,
        is_request: Option<bool>,
    ) -> (ParsedMail, Option<ParsedMail>) {
        let Some(is_request) = is_request else { return (parse_message(raw, None), None) };
        let from = self.author.address();
        let results = local_delivery::own_results(from);
        let provenance =
            Provenance { mail_from: Some(from), results: &results, authserv_id: &self.hostname, is_request };
        let Some(with_token) = with_token else {
            let BothSides { sent, received } = parse_both(raw, provenance);
            return (sent, Some(received));
        };
        (parse_message(raw, None), Some(parse_message(with_token, Some(provenance))))
    }

    /// Returns a parsed copy as recipients on this service get it.
    fn received(
        &self,
        outgoing: &OutgoingMessage,
        copy: ParsedMail,
        requested: Option<&RequestedFields>,
    ) -> ParsedMail {
        let workspace = self.context.caller.workspace;
        let mut copy = with_requested_bodies(outgoing, local_delivery::received(copy, workspace, requested));
        if !is_request(outgoing) {
            copy.mask_requested();
        }
        copy
    }

    /// Returns the signer of the copies, which has signed those that are stored with the message; `None` if the copies
    /// are ordinary mail: no agent wrote it.
    fn copy_signer(
        &self,
        signing: CopySigning,
        copy: &ParsedMail,
        disclosed: &Disclosed,
        author: Option<&AuthorClaims>,
    ) -> posthouse_store::Result<Option<CopySigner>> {
        let content = agent_content::signed(copy, self.author.address(), &disclosed.parties, author);
        let Some(content) = content.filter(|_| disclosed.by_agent) else { return Ok(None) };
        let mut signer = CopySigner::new(signing.key, content);
        signer.sign_early(signing.sender, signing.recipients, &self.ids, self.now)?;
        Ok(Some(signer))
    }
}

/// Returns whether the service asks the recipient to confirm something.
fn is_request(outgoing: &OutgoingMessage) -> bool {
    matches!(&outgoing.origin, OutgoingKind::Submitted(submitted) if submitted.is_request)
}

/// Returns whether an agent wrote the message, so that it says so.
fn discloses(outgoing: &OutgoingMessage) -> bool {
    match &outgoing.origin {
        OutgoingKind::New | OutgoingKind::Reply(_) | OutgoingKind::Forward => true,
        OutgoingKind::Submitted(submitted) => submitted.is_by_agent,
        OutgoingKind::AutomaticForward(_) => false,
    }
}

/// Normalizes the line endings of a message composed elsewhere, so that the signed and shown bytes are those that SMTP
/// carries.
fn with_crlf(raw: Vec<u8>) -> Vec<u8> {
    match normalise_line_ends(&raw) {
        Cow::Borrowed(_) => raw,
        Cow::Owned(changed) => changed,
    }
}

/// Returns the bytes with the link's token inserted; `None` if the stored bytes contain no sealed link.
fn with_link_token(outgoing: &OutgoingMessage, raw: &[u8]) -> Option<Vec<u8>> {
    let OutgoingKind::Submitted(submitted) = &outgoing.origin else { return None };
    submitted.token.as_deref().and_then(|token| sealed_link::replaced(raw, token))
}

/// Replaces parsed fields with those of the request, so that the sender sees exactly what it sent. A message composed
/// elsewhere keeps its parsed fields; an automatic forward shows its recipients.
fn with_requested_fields(outgoing: &OutgoingMessage, mut mail: ParsedMail) -> ParsedMail {
    let shown = |list: &[Mailbox]| list.iter().map(ToString::to_string).collect();
    match outgoing.origin {
        OutgoingKind::Submitted(_) => return mail,
        OutgoingKind::AutomaticForward(_) => {
            (mail.to, mail.cc) = (shown(&outgoing.people.to), Vec::new());
            return mail;
        }
        OutgoingKind::New | OutgoingKind::Reply(_) | OutgoingKind::Forward => {}
    }
    let content = &outgoing.content;
    (mail.to, mail.cc) = (shown(&outgoing.people.to), shown(&outgoing.people.cc));
    mail.subject = Some(outgoing.subject.clone());
    mail.bodies.text = content.text.clone().or(mail.bodies.text);
    mail.bodies.html = content.html.clone().or(mail.bodies.html);
    mail.data = content.data_json.clone();
    mail.kind = content.kind;
    mail.labels = content.labels.clone();
    mail
}

/// Returns the fields of the request that local copies show; `None` for a message composed elsewhere.
fn requested_fields(outgoing: &OutgoingMessage, has_remote: bool) -> Option<RequestedFields> {
    match outgoing.origin {
        OutgoingKind::Submitted(_) | OutgoingKind::AutomaticForward(_) => None,
        OutgoingKind::New | OutgoingKind::Reply(_) | OutgoingKind::Forward => {
            let shown = |list: &[Mailbox]| list.iter().map(ToString::to_string).collect();
            Some(RequestedFields {
                to: shown(&outgoing.people.to),
                cc: shown(&outgoing.people.cc),
                subject: outgoing.subject.clone(),
                data: outgoing.content.data_json.clone(),
                kind: outgoing.content.kind.text().to_owned(),
                has_data_file: has_remote && outgoing.content.data_json.is_some(),
            })
        }
    }
}

/// Replaces parsed bodies of a local copy with those of the request.
fn with_requested_bodies(outgoing: &OutgoingMessage, mut mail: ParsedMail) -> ParsedMail {
    mail.bodies.text = outgoing.content.text.clone().or(mail.bodies.text);
    mail.bodies.html = outgoing.content.html.clone().or(mail.bodies.html);
    mail
}
