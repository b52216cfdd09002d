//! Tables of states and labels of messages.

use super::*;

#[test]
fn message_has_the_status_of_its_most_severe_delivery() {
    use DeliveryStatus::*;
    let table: [(&[DeliveryStatus], MessageStatus); 6] = [
        (&[Delivered, Delivered], MessageStatus::Delivered),
        (&[Delivered, Sent], MessageStatus::Sent),
        (&[Delivered, Queued], MessageStatus::Queued),
        (&[Queued, Bounced], MessageStatus::Bounced),
        (&[Bounced, Complained], MessageStatus::Complained),
        (&[], MessageStatus::Queued),
    ];
    for (entries, status) in table {
        assert_eq!(overall_status(entries.iter().copied()), status, "{entries:?}");
    }
}
