//! Fuzzes the parser of reports about sent mail (RFC 3464, RFC 5965 and free-form notices): any bytes give a bounded
//! result.

use posthouse_mail::{
    parse::parse,
    report::{ReportContent, read},
};

/// The maximum number of recipients and Message-IDs in one report.
const RECIPIENTS_MAX: usize = 100;
const IDS_MAX: usize = 6;

/// Parses the input as a message that arrived with an empty return path, and with a non-empty one.
pub fn run(data: &[u8]) {
    let parsed = parse(data);
    let (returned, written) = (read(&parsed, true), read(&parsed, false));
    assert_eq!(returned, read(&parsed, true), "parsing is deterministic");
    // A report accepted with a non-empty return path must also be accepted with an empty one.
    assert!(written.is_none() || returned.is_some());
    for report in returned.into_iter().chain(written) {
        assert!(report.original_ids.len() <= IDS_MAX);
        match report.content {
            ReportContent::Delivery(fates) => {
                assert!(!fates.is_empty() && fates.len() <= RECIPIENTS_MAX);
                for fate in fates {
                    assert!(fate.addresses.len() <= RECIPIENTS_MAX);
                    assert!(fate.diagnostic.is_none_or(|words| words.chars().count() <= 1_000));
                }
            }
            ReportContent::Complaint { recipients, .. } => assert!(recipients.len() <= RECIPIENTS_MAX),
        }
    }
}
