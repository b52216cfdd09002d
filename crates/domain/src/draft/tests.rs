//! The table of transitions, and what changes do to schedule and approval.

use super::*;
use crate::{actor::ActorKind, id::Ids};

const NOW: Time = Time::from_millis(1_800_000_000_000);

fn draft() -> Draft {
    let ids = Ids::new(NOW, [3; 8]);
    let mut draft = Draft::new((ids.next(), ids.next(), ids.next()), Source::Api, NOW);
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
fn every_transition_of_the_contract_and_no_other() {
    use Status::{Cancelled, Draft, Failed, Scheduled, Sending, Sent};
    const ALL: [Status; 6] = [Draft, Scheduled, Sending, Sent, Failed, Cancelled];
    let none: [Option<Status>; 6] = [None; 6];
    // For each step the state that follows each of ALL, in that order.
    let table: [(Step, [Option<Status>; 6]); 11] = [
        (Step::Edit, [Some(Draft), Some(Scheduled), None, None, None, None]),
        (Step::Unschedule, [Some(Draft), Some(Draft), None, None, None, None]),
        (Step::EditAndSchedule, [Some(Scheduled), Some(Scheduled), None, None, None, None]),
        (Step::Schedule, [Some(Scheduled), Some(Scheduled), None, None, Some(Scheduled), None]),
        (Step::Send, [Some(Sent), Some(Sent), None, None, Some(Sent), None]),
        (Step::SendRefused, [Some(Draft), Some(Scheduled), None, None, Some(Failed), None]),
        (Step::Due, [None, Some(Sent), None, None, None, None]),
        (Step::DueRefused, [None, Some(Failed), None, None, None, None]),
        (Step::DueHeld, [None, Some(Scheduled), None, None, None, None]),
        (Step::Cancel, [Some(Cancelled), Some(Cancelled), None, None, Some(Cancelled), None]),
        (Step::Delete, [Some(Draft), Some(Scheduled), None, Some(Sent), Some(Failed), Some(Cancelled)]),
    ];
    for (step, expected) in table {
        assert_ne!(expected, none, "{step:?}");
        for (from, to) in ALL.into_iter().zip(expected) {
            assert_eq!(next(from, step), to, "{step:?} from {from:?}");
            let refused = take(from, step).map_err(|refusal| refusal.code);
            assert_eq!(refused, to.ok_or(Code::DraftNotEditable), "{step:?} from {from:?}");
        }
    }
}

#[test]
fn times_are_a_minute_to_thirty_days_ahead() {
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
        assert!(judged.is_ok() || judged.is_err_and(|refusal| refusal.code == Code::InvalidSendAt));
    }
}

#[test]
fn the_hash_is_of_what_leaves_and_of_nothing_else() {
    let ids = Ids::new(NOW, [4; 8]);
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
    let leaves: [Alter; 13] = [
        |d| d.content.to.push("b@x.example".to_owned()),
        |d| d.content.cc.push("b@x.example".to_owned()),
        |d| d.content.bcc.push("b@x.example".to_owned()),
        |d| d.content.subject = None,
        |d| d.content.subject = Some(String::new()),
        |d| d.content.text = Some("Here it was.".to_owned()),
        |d| d.content.html = Some("<p>".to_owned()),
        |d| d.content.data_json = Some("{}".to_owned()),
        |d| d.content.kind = Kind::Task,
        |d| d.content.files.clear(),
        |d| d.content.files[0].filename.push('x'),
        |d| d.content.files[0].sha256 = [2; 32],
        |d| d.answers = Some(MessageId(uuid::Uuid::from_u128(1))),
    ];
    let mut seen = std::collections::HashSet::from([base.content_sha256()]);
    for (at, alter) in leaves.into_iter().enumerate() {
        let mut other = base.clone();
        alter(&mut other);
        assert!(seen.insert(other.content_sha256()), "{at} changes what leaves");
    }
    let mut other = base.clone();
    (other.labels, other.metadata_json) = (vec!["a".to_owned()], r#"{"a":1}"#.to_owned());
    other.content.files[0].id = ids.next();
    assert_eq!(other.content_sha256(), base.content_sha256());
}

#[test]
fn new_content_ends_the_schedule_unless_its_author_sets_a_time() {
    let before = scheduled();
    assert_eq!(before.approval.as_ref().map(|approval| approval.by.label.as_str()), Some("first"));
    let content = Change { bcc: Some(vec!["eve@x.example".to_owned()]), ..Change::default() };
    let after = before.changed(&content, &actor("second"), NOW).expect("editable").draft;
    assert_eq!((after.status, after.send_at, after.approval), (Status::Draft, None, None));

    let both = Change { schedule: Schedule::At(in_an_hour()), ..content };
    let after = before.changed(&both, &actor("second"), NOW).expect("editable").draft;
    assert_eq!((after.status, after.send_at), (Status::Scheduled, Some(in_an_hour())));
    let approval = after.approval.clone().expect("somebody vouches");
    assert_eq!((approval.by.label.as_str(), approval.content_sha256), ("second", after.content_sha256()));

    let beside = Change { labels: Some(vec!["a".to_owned()]), ..Change::default() };
    let after = before.changed(&beside, &actor("second"), NOW).expect("editable").draft;
    assert_eq!((after.status, &after.approval), (Status::Scheduled, &before.approval));

    let same = Change { text: Some(before.content.text.clone()), ..Change::default() };
    let same = before.changed(&same, &actor("second"), NOW.plus_ms(1)).expect("editable");
    assert_eq!((same.changed, &same.draft), (false, &before));

    let clear = Change { schedule: Schedule::Clear, ..Change::default() };
    let after = before.changed(&clear, &actor("second"), NOW).expect("editable").draft;
    assert_eq!((after.status, after.send_at, after.approval), (Status::Draft, None, None));
}

#[test]
fn recipients_are_counted_together() {
    let many = |n: usize| Some((0..n).map(|i| format!("a{i}@x.example")).collect::<Vec<_>>());
    let change = Change { to: many(30), cc: many(20), ..Change::default() };
    assert!(draft().changed(&change, &actor("a"), NOW).is_ok());
    let change = Change { bcc: many(1), ..change };
    let refusal = draft().changed(&change, &actor("a"), NOW).expect_err("51 recipients");
    assert_eq!(refusal.details["fields"][0]["path"], "to");
}

#[test]
fn a_failed_draft_is_scheduled_anew_without_its_failure() {
    let failure = Failure { code: "rate_limited".to_owned(), message: "Too many.".to_owned() };
    let failed = scheduled().ended(Step::DueRefused, Some(failure), NOW).expect("it was due");
    assert_eq!(failed.status, Status::Failed);
    assert!(failed.changed(&Change::default(), &actor("a"), NOW).is_err());
    let again = failed.scheduled(in_an_hour(), &actor("a"), NOW).expect("a failed draft can be scheduled");
    assert_eq!((again.status, again.failure), (Status::Scheduled, None));
}
