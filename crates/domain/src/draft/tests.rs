//! Tests of the transition table, and of the effect of changes on schedule and approval.

use super::*;
use crate::{actor::ActorKind, id::IdGenerator};

const NOW: Time = Time::from_millis(1_800_000_000_000);

fn draft() -> Draft {
    let ids = IdGenerator::new(NOW, [3; 8]);
    let mut draft = Draft::new(ids.next(), ids.next(), ids.next(), DraftSource::Api, NOW);
    draft.content.to = vec!["Ada <ada@x.example>".to_owned()];
    draft.content.subject = Some("Plan".to_owned());
    draft.content.text = Some("Here it is.".to_owned());
    draft
}

fn actor(label: &str) -> Actor {
    Actor { kind: ActorKind::ApiKey, id: Some("k".to_owned()), label: label.to_owned() }
}

fn in_an_hour() -> Time {
    NOW.plus_ms(60 * MINUTE_MS)
}

fn scheduled() -> Draft {
    draft().scheduled(in_an_hour(), &actor("first"), NOW).expect("a draft can be scheduled")
}

#[test]
fn transitions_match_the_table() {
    use DraftStatus::{Cancelled, Draft, Failed, Scheduled, Sending, Sent};
    const ALL: [DraftStatus; 6] = [Draft, Scheduled, Sending, Sent, Failed, Cancelled];
    let none: [Option<DraftStatus>; 6] = [None; 6];
    // For each step, the state that follows each of ALL, in that order.
    let table: [(DraftStep, [Option<DraftStatus>; 6]); 14] = [
        (DraftStep::Edit, [Some(Draft), Some(Scheduled), None, None, None, None]),
        (DraftStep::Unschedule, [Some(Draft), Some(Draft), None, None, None, None]),
        (DraftStep::EditAndSchedule, [Some(Scheduled), Some(Scheduled), None, None, None, None]),
        (DraftStep::Schedule, [Some(Scheduled), Some(Scheduled), None, None, Some(Scheduled), None]),
        (DraftStep::Send, [Some(Sent), Some(Sent), None, None, Some(Sent), None]),
        (DraftStep::SendRefused, [Some(Draft), Some(Scheduled), None, None, Some(Failed), None]),
        (DraftStep::Due, [None, Some(Sent), None, None, None, None]),
        (DraftStep::DueRefused, [None, Some(Failed), None, None, None, None]),
        (DraftStep::DueHeld, [None, Some(Scheduled), None, None, None, None]),
        (DraftStep::Hold, [Some(Draft), Some(Draft), None, None, Some(Draft), None]),
        (DraftStep::SendBack, [Some(Draft), Some(Draft), None, None, Some(Draft), None]),
        (DraftStep::TakeBack, [Some(Draft), Some(Scheduled), None, None, Some(Failed), None]),
        (DraftStep::Cancel, [Some(Cancelled), Some(Cancelled), None, None, Some(Cancelled), None]),
        (DraftStep::Delete, [Some(Draft), Some(Scheduled), None, Some(Sent), Some(Failed), Some(Cancelled)]),
    ];
    for (step, expected) in table {
        assert_ne!(expected, none, "{step:?}");
        for (from, to) in ALL.into_iter().zip(expected) {
            assert_eq!(next(from, step), to, "{step:?} from {from:?}");
            let refused = apply(from, step).map_err(|refusal| refusal.code);
            assert_eq!(refused, to.ok_or(ErrorCode::DraftNotEditable), "{step:?} from {from:?}");
        }
    }
}

#[test]
fn send_at_must_be_a_minute_to_thirty_days_ahead() {
    let table = [
        (-1, false),
        (58_999, false),
        (59_000, true),
        (60_000, true),
        (30 * DAY_MS, true),
        (30 * DAY_MS + 1, false),
        (i64::MAX, false),
    ];
    for (ahead_ms, fine) in table {
        let judged = check_send_at(Time::from_millis(NOW.millis().saturating_add(ahead_ms)), NOW);
        assert_eq!(judged.is_ok(), fine, "{ahead_ms}");
        assert!(judged.is_ok() || judged.is_err_and(|refusal| refusal.code == ErrorCode::InvalidSendAt));
    }
}

#[test]
fn content_hash_covers_exactly_what_is_sent() {
    let ids = IdGenerator::new(NOW, [4; 8]);
    let file = DraftFile {
        id: ids.next(),
        filename: "a.txt".to_owned(),
        content_type: "text/plain".to_owned(),
        size_bytes: 1,
        sha256: [1; 32],
    };
    let mut base = draft();
    base.content.files = vec![file];
    type Alter = fn(&mut Draft);
    let alterations: [Alter; 13] = [
        |d| d.content.to.push("b@x.example".to_owned()),
        |d| d.content.cc.push("b@x.example".to_owned()),
        |d| d.content.bcc.push("b@x.example".to_owned()),
        |d| d.content.subject = None,
        |d| d.content.subject = Some(String::new()),
        |d| d.content.text = Some("Here it was.".to_owned()),
        |d| d.content.html = Some("<p>".to_owned()),
        |d| d.content.data_json = Some("{}".to_owned()),
        |d| d.content.kind = MessageKind::Task,
        |d| d.content.files.clear(),
        |d| d.content.files[0].filename.push('x'),
        |d| d.content.files[0].sha256 = [2; 32],
        |d| d.answers = Some(MessageId(uuid::Uuid::from_u128(1))),
    ];
    let mut seen = std::collections::HashSet::from([base.content_sha256()]);
    for (at, alter) in alterations.into_iter().enumerate() {
        let mut other = base.clone();
        alter(&mut other);
        assert!(seen.insert(other.content_sha256()), "alteration {at} changes the hash");
    }
    let mut other = base.clone();
    (other.labels, other.metadata_json) = (vec!["a".to_owned()], r#"{"a":1}"#.to_owned());
    other.content.files[0].id = ids.next();
    assert_eq!(other.content_sha256(), base.content_sha256());
}

#[test]
fn new_content_removes_the_schedule_unless_the_change_sets_a_time() {
    let before = scheduled();
    assert_eq!(before.approval.as_ref().map(|approval| approval.by.label.as_str()), Some("first"));
    let content = DraftChange { bcc: Some(vec!["eve@x.example".to_owned()]), ..DraftChange::default() };
    let after = before.changed(&content, &actor("second"), NOW).expect("editable").draft;
    assert_eq!((after.status, after.send_at, after.approval), (DraftStatus::Draft, None, None));

    let both = DraftChange { schedule: ScheduleChange::At(in_an_hour()), ..content };
    let after = before.changed(&both, &actor("second"), NOW).expect("editable").draft;
    assert_eq!((after.status, after.send_at), (DraftStatus::Scheduled, Some(in_an_hour())));
    let approval = after.approval.clone().expect("an approval");
    assert_eq!((approval.by.label.as_str(), approval.content_sha256), ("second", after.content_sha256()));

    let beside = DraftChange { labels: Some(vec!["a".to_owned()]), ..DraftChange::default() };
    let after = before.changed(&beside, &actor("second"), NOW).expect("editable").draft;
    assert_eq!((after.status, &after.approval), (DraftStatus::Scheduled, &before.approval));

    let same = DraftChange { text: Some(before.content.text.clone()), ..DraftChange::default() };
    let same = before.changed(&same, &actor("second"), NOW.plus_ms(1)).expect("editable");
    assert_eq!((same.changed, &same.draft), (false, &before));

    let clear = DraftChange { schedule: ScheduleChange::Clear, ..DraftChange::default() };
    let after = before.changed(&clear, &actor("second"), NOW).expect("editable").draft;
    assert_eq!((after.status, after.send_at, after.approval), (DraftStatus::Draft, None, None));
}

#[test]
fn recipients_of_all_fields_are_counted_together() {
    let many = |n: usize| Some((0..n).map(|i| format!("a{i}@x.example")).collect::<Vec<_>>());
    let change = DraftChange { to: many(30), cc: many(20), ..DraftChange::default() };
    assert!(draft().changed(&change, &actor("a"), NOW).is_ok());
    let change = DraftChange { bcc: many(1), ..change };
    let refusal = draft().changed(&change, &actor("a"), NOW).expect_err("51 recipients");
    assert_eq!(refusal.wire_details()["fields"][0]["path"], "to");
}

#[test]
fn rescheduling_a_failed_draft_clears_its_failure() {
    let failure = DraftFailure { code: "rate_limited".to_owned(), message: "Too many.".to_owned() };
    let failed = scheduled().transitioned(DraftStep::DueRefused, Some(failure), NOW).expect("it was due");
    assert_eq!(failed.status, DraftStatus::Failed);
    assert!(failed.changed(&DraftChange::default(), &actor("a"), NOW).is_err());
    let again = failed.scheduled(in_an_hour(), &actor("a"), NOW).expect("a failed draft can be scheduled");
    assert_eq!((again.status, again.failure), (DraftStatus::Scheduled, None));
}
