//! The reader of reports about sent mail (RFC 3464, RFC 5965, and notices without either): any bytes give a bounded answer.

use posthouse_mail::{
    parse::parse,
    report::{News, read},
};

/// Most recipients and most Message-IDs of one report.
const RECIPIENTS_MAX: usize = 100;
const IDS_MAX: usize = 6;

/// The input is a raw message that came with an empty return path, or with one.
pub fn run(data: &[u8]) {
    let parsed = parse(data);
    let (returned, written) = (read(&parsed, true), read(&parsed, false));
    assert_eq!(returned, read(&parsed, true), "one mail, one answer");
    // What a server says without an empty return path it says with one too.
    assert!(written.is_none() || returned.is_some());
    for report in returned.into_iter().chain(written) {
        assert!(report.original_ids.len() <= IDS_MAX);
        match report.news {
            News::Delivery(fates) => {
                assert!(!fates.is_empty() && fates.len() <= RECIPIENTS_MAX);
                for fate in fates {
                    assert!(fate.addresses.len() <= RECIPIENTS_MAX);
                    assert!(fate.diagnostic.is_none_or(|words| words.chars().count() <= 1_000));
                }
            }
            News::Complaint { recipients, .. } => assert!(recipients.len() <= RECIPIENTS_MAX),
        }
    }
}
