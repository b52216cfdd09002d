//! Detects login codes and verification links in a message by patterns.
//!
//! Links are never followed. A message without any sign of verification has neither a code nor a link. Pure functions,
//! linear in the input, which is bounded. The result is `ai.verification` of a message in the API; its confidence is at
//! most [`CONFIDENCE_MAX`].

mod code;
mod columns;
mod cue;
mod element;
mod label;
mod link;
mod near;
mod page;
mod plain;
mod row;
mod sentence;
mod shape;
mod topic;
mod url;
mod visible;
mod words;

#[cfg(test)]
mod tests;

pub use link::is_of_author;
use page::VerificationPage;

/// Maximum confidence of a detection by patterns.
pub const CONFIDENCE_MAX: f64 = 0.7;
/// Maximum confidence if the link belongs to another domain than the author's, as those of mailing services do.
pub const FOREIGN_CONFIDENCE_MAX: f64 = 0.4;

/// Maximum confidence if another code of the message is as likely.
pub const AMBIGUOUS_CONFIDENCE_MAX: f64 = 0.3;

/// The parts of a message that detection uses.
#[derive(Debug, Clone, Copy, Default)]
pub struct VerificationInput<'a> {
    /// Decoded `Subject`; empty if missing.
    pub subject: &'a str,
    /// Decoded plain text.
    pub text: Option<&'a str>,
    /// Decoded HTML.
    pub html: Option<&'a str>,
    /// Address or header form of the sender; empty if missing.
    pub from: &'a str,
}

/// The detected code and link of a message. At least one of them is present.
#[derive(Debug, Clone, PartialEq)]
pub struct DetectedVerification {
    /// 4 to 10 letters and digits, or up to 18 in two or three groups, or three to five words with hyphens, as written
    /// in the message: inner hyphens are kept, spaces are removed. Digits of other scripts are returned as ASCII digits, which sign-in forms accept.
    pub code: Option<String>,
    /// The verification, magic link, confirmation or reset URL as written. Tracking redirects aren't resolved.
    pub link: Option<String>,
    /// Confidence from 0 to [`CONFIDENCE_MAX`].
    pub confidence: f64,
    /// What shows the code, or the link if that is clearer.
    pub reason: VerificationReason,
}

/// What shows that a code or a link is for verification.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VerificationReason {
    /// A line of the mail binds the code to a host.
    CodeBound,
    /// The sentence around the code names it.
    CodeNamed,
    /// The layout shows the code, and the words near it or the topic of the mail fit.
    CodeShown,
    /// The link is one answer to a question that another link refuses.
    LinkAnswer,
    /// The label of the link names what it does.
    LinkLabel,
    /// The URL names what it does.
    LinkUrl,
    /// The text above the link names what it does, or it is the only personal link of a mail about an account.
    LinkText,
}

impl VerificationReason {
    /// Every reason.
    pub const ALL: [Self; 7] = [
        Self::CodeBound,
        Self::CodeNamed,
        Self::CodeShown,
        Self::LinkAnswer,
        Self::LinkLabel,
        Self::LinkUrl,
        Self::LinkText,
    ];

    /// Parses the name that [`VerificationReason::text`] returns.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|reason| reason.text() == text)
    }

    /// Returns the name of the reason.
    #[must_use]
    pub const fn text(self) -> &'static str {
        match self {
            Self::CodeBound => "code_bound",
            Self::CodeNamed => "code_named",
            Self::CodeShown => "code_shown",
            Self::LinkAnswer => "link_answer",
            Self::LinkLabel => "link_label",
            Self::LinkUrl => "link_url",
            Self::LinkText => "link_text",
        }
    }
}

/// Detects the code and the link of a message. Returns `None` if it has neither.
///
/// The code and the link are those with the highest score in the plain text and in the visible text of the HTML. If the
/// link belongs to another domain than the author's, the confidence is at most [`FOREIGN_CONFIDENCE_MAX`]; if two codes
/// are equally likely, at most [`AMBIGUOUS_CONFIDENCE_MAX`]. The sender isn't authenticated here.
#[must_use]
pub fn detect(input: &VerificationInput<'_>) -> Option<DetectedVerification> {
    let text =
        input.text.filter(|text| !text.trim().is_empty()).map(|text| VerificationPage::of_text(input.subject, text));
    let html =
        input.html.filter(|html| !html.trim().is_empty()).map(|html| VerificationPage::of_html(input.subject, html));
    // A message without body can still have a code in its subject.
    let pages: Vec<VerificationPage<'_>> = match (text, html) {
        (None, None) => vec![VerificationPage::of_text(input.subject, "")],
        (text, html) => text.into_iter().chain(html).collect(),
    };
    let codes = pages.iter().filter_map(code::find);
    let code = codes.reduce(|best, next| if next.score > best.score { next } else { best });
    let links = pages.iter().filter_map(|page| link::find(page, input.from));
    let link = links.reduce(|best, next| if next.score > best.score { next } else { best });
    let of_code = code.as_ref().map(|code| (code.score, code.reason));
    let of_link = link.as_ref().map(|link| (link.score, link.reason));
    let (score, reason) =
        of_code.into_iter().chain(of_link).reduce(|one, two| if two.0 > one.0 { two } else { one })?;
    let is_foreign = link.as_ref().is_some_and(|link| !link::is_of_author(&link.url, input.from));
    let most = match code.as_ref().is_some_and(|code| code.is_ambiguous) {
        true => AMBIGUOUS_CONFIDENCE_MAX,
        false if is_foreign => FOREIGN_CONFIDENCE_MAX,
        false => CONFIDENCE_MAX,
    };
    Some(DetectedVerification {
        code: code.map(|code| code.code),
        link: link.map(|link| link.url),
        confidence: confidence(score).min(most),
        reason,
    })
}

/// The score of a code that its sentence announces, such as "Your code is 482913".
const CLEAR_SCORE: f64 = 60.0;

/// Converts a score to a confidence, at most [`CONFIDENCE_MAX`].
fn confidence(score: i32) -> f64 {
    (f64::from(score) / CLEAR_SCORE * CONFIDENCE_MAX).clamp(0.3, CONFIDENCE_MAX)
}
