//! Tables and properties of contacts.

use super::*;

#[test]
fn subject_is_visible_to_keys_that_can_access_its_inbox() {
    let inbox = |number| InboxId(uuid::Uuid::from_u128(number));
    let (stored, not_stored) = (Some(inbox(1)), None);
    for (of, scope, is_seen) in [
        (stored, Scope::Org, true),
        (stored, Scope::Workspace, true),
        (stored, Scope::Inbox(inbox(1)), true),
        (stored, Scope::Inbox(inbox(2)), false),
        (not_stored, Scope::Org, true),
        (not_stored, Scope::Inbox(inbox(1)), false),
    ] {
        let subject = LastSubject::new("Hi".to_owned(), of);
        assert_eq!(subject.visible_to(scope).is_some(), is_seen, "{of:?} {scope:?}");
    }
}

#[test]
fn participants_have_name_and_kind() {
    let table = [
        ("Ann <Ann@B.example>", ParticipantRole::Author, Some("Ann"), ContactKind::Unknown),
        ("\"ann@b.example\" <ann@b.example>", ParticipantRole::Author, None, ContactKind::Unknown),
        ("ann@b.example", ParticipantRole::Recipient, None, ContactKind::Person),
        ("Shop <No-Reply+7@b.example>", ParticipantRole::Author, Some("Shop"), ContactKind::Automated),
        ("noreply@b.example", ParticipantRole::CoRecipient, None, ContactKind::Unknown),
        ("Ann <ann@b.example>", ParticipantRole::AutomatedAuthor, Some("Ann"), ContactKind::Automated),
    ];
    for (text, part, name, kind) in table {
        let person = MessageParticipant::of(&Mailbox::parse(text).expect("a mailbox"), part);
        assert_eq!((person.name.as_deref(), person.kind), (name, kind), "{text}");
    }
    let tagged =
        MessageParticipant::of(&Mailbox::parse("A+x@B.example").expect("a mailbox"), ParticipantRole::CoRecipient);
    assert_eq!((&*tagged.address, &*tagged.untagged, &*tagged.domain), ("a+x@b.example", "a@b.example", "b.example"));
    let long = MessageParticipant::of(
        &Mailbox::parse(&format!("{} <a@b.example>", "ä".repeat(250))).expect("a mailbox"),
        ParticipantRole::CoRecipient,
    );
    assert_eq!(long.name.map(|name| name.chars().count()), Some(NAME_CHARS_MAX));
}

#[test]
fn free_mail_domains_are_sorted_and_in_lower_case() {
    assert!(FREE_MAIL_DOMAINS.is_sorted());
    assert!(FREE_MAIL_DOMAINS.iter().all(|domain| *domain == domain.to_lowercase()));
}
