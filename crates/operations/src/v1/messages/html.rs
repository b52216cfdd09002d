//! The HTML of a message as a page for a sandboxed frame. The policy of the page, not the page that
//! embeds it, keeps scripts, forms, navigation and remote content off, so that opening it alone is safe too. Links open
//! in a tab of their own.

use posthouse_app::messages::mail_html;
use posthouse_call::prelude::*;
use posthouse_domain::MessageId;

use crate::v1::fields::ScreeningQuery;

/// Nothing runs, nothing is sent, nothing is loaded; inline styles and embedded images are shown.
const CLOSED: &str = "sandbox allow-popups allow-popups-to-escape-sandbox; default-src 'none'; style-src 'unsafe-inline'; \
    img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'self'";
/// As [`CLOSED`], with images from other servers.
const WITH_IMAGES: &str = "sandbox allow-popups allow-popups-to-escape-sandbox; default-src 'none'; style-src 'unsafe-inline'; \
    img-src data: https: http:; base-uri 'none'; form-action 'none'; frame-ancestors 'self'";

pub(super) fn operation() -> Operation {
    Operation::new(Method::Get, "/v1/messages/{id}/html", "getMessageHtml", Permission::MessagesRead)
        .summary("Shows the HTML of a message as a page without scripts, forms and, by default, remote images.")
        .responds_with(200, Some("text/html; charset=utf-8"))
        .errors(&[ErrorCode::NotFound, ErrorCode::MessageWithheld])
        .handle(read)
}

choice! {
    /// Whether remote images are loaded.
    pub(in crate::v1) enum RemoteImages {
        Off = "off",
        On = "on",
    }
}

query! {
    /// How the HTML is shown.
    struct HtmlQuery {
        /// Whether to load remote images, which shows the sender that the mail was read. Default: off.
        remote: Option<RemoteImages>,
    }
    with screening: ScreeningQuery;
}

async fn read(service: Arc<Service>, input: Input<HtmlQuery>) -> Result<Outcome, Refusal> {
    let id: MessageId = input.path.id("id", "message")?;
    let html = mail_html::of_message(&service, input.caller, id, input.query.screening.opt_ins()).await?;
    Ok(page(html, input.query.remote == Some(RemoteImages::On)))
}

/// Returns a page with the HTML of a message or draft.
pub(in crate::v1) fn page(html: String, with_images: bool) -> Outcome {
    let fields = [
        ("content-security-policy", if with_images { WITH_IMAGES } else { CLOSED }),
        ("x-content-type-options", "nosniff"),
        ("referrer-policy", "no-referrer"),
        ("cache-control", "private, no-store"),
        ("cross-origin-resource-policy", "same-origin"),
    ];
    let page = Outcome::typed(200, "text/html; charset=utf-8", html);
    fields.into_iter().fold(page, |page, (name, value)| page.with(name, value))
}
