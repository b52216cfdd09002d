//! The HTML of a message as a person sees it: without scripts, forms, style sheets and everything else that mail doesn't
//! need, with its own images in place of `cid:` links. The page that shows it has a policy against the same; this is
//! the second filter. HTML over a bound is shown as text.

use std::collections::HashMap;

use base64::{Engine, engine::general_purpose::STANDARD};
use posthouse_domain::{Attachment, Caller, MessageId, OptIns, Refusal, WorkspaceId, quoted_links};
use posthouse_mail::html;
use posthouse_mail::html::bound::{HtmlBound, OUTPUT_BYTES_MAX};
use posthouse_mail::html::view::{self, HtmlViewError, HtmlViewPolicy, IMAGE_TYPES};
use posthouse_mail::parse;
use posthouse_store::{Tx, contents};

use super::raw::{self, StoredContent};
use super::read;
use crate::limits::blocking_pool::{WorkClass, WorkOwner, WorkStop, WorkStopped};
use crate::{access::visible, service::Service};

/// The page of the dashboard that shows the true target of a link, which is in the fragment, before it is followed.
const LEAVE_PATH: &str = "/leave";
/// Largest image that is shown in place, in bytes.
const IMAGE_BYTES_MAX: u64 = 2 * 1024 * 1024;
/// Bytes of all images that are shown in place. Others stay links that load nothing.
const IMAGES_BYTES_MAX: u64 = 8 * 1024 * 1024;
/// Bytes of all images in the page, in base64, each time that one is shown.
const SHOWN_IMAGES_BYTES_MAX: usize = 12 * 1024 * 1024;
/// Bytes of the sentence before the text that is shown in place of HTML over a bound, at most.
const SENTENCE_BYTES_MAX: usize = 1024;

/// The HTML that a person views, and who views it.
struct ViewedHtml {
    workspace: WorkspaceId,
    html: String,
    /// The text that is shown if the HTML is over a bound; otherwise the text of the HTML.
    text: Option<String>,
    images: HashMap<String, String>,
}

/// Returns the HTML of a message for a person.
///
/// # Errors
/// Returns `insufficient_permissions` if the caller may not see held mail, `not_found` if the message is missing, invisible
/// or withheld or has no HTML, `content_damaged` if the bytes of its images are missing or altered, or `rate_limited` or
/// `unavailable` at the limits of [`WorkClass::View`].
pub async fn of_message(service: &Service, caller: Caller, id: MessageId, opt_ins: OptIns) -> Result<String, Refusal> {
    let workspace = caller.workspace;
    let record = read::get(service, caller, id, opt_ins, Ok).await?;
    if record.withheld {
        return Err(visible::withheld(record.message.held));
    }
    let html = record.bodies.html.ok_or_else(no_html)?;
    let wanted = if html.contains("cid:") { images(&record.attachments) } else { Vec::new() };
    let images = if wanted.is_empty() {
        HashMap::new()
    } else {
        let id = record.message.content;
        let read = move |tx: &mut Tx| Ok::<_, Refusal>(contents::raw(tx, workspace, id)?);
        match service.read(workspace, read).await? {
            Some(found) => {
                let stored = StoredContent { workspace, id, raw: found };
                raw::content(service, stored, move |raw, stop| data_urls(&raw, &wanted, stop)).await?
            }
            None => HashMap::new(),
        }
    };
    page(service, ViewedHtml { workspace, html, text: record.bodies.text, images }).await
}

/// Returns the refusal of content without HTML.
pub(crate) fn no_html() -> Refusal {
    Refusal::not_found("HTML body")
}

/// Returns HTML for a person, as [`of_message`] does, without images of its own.
///
/// # Errors
/// Returns the refusals of [`WorkClass::View`].
pub(crate) async fn of_text(service: &Service, workspace: WorkspaceId, html: String) -> Result<String, Refusal> {
    page(service, ViewedHtml { workspace, html, text: None, images: HashMap::new() }).await
}

async fn page(service: &Service, viewed: ViewedHtml) -> Result<String, Refusal> {
    let owner = WorkOwner { class: WorkClass::View, workspace: viewed.workspace };
    let bytes = viewed.html.len();
    service.blocking_pool.run_for(owner, bytes, move |stop: &WorkStop| rendered(&viewed, stop)).await
}

/// Returns the HTML, or the text if it is over a bound.
fn rendered(viewed: &ViewedHtml, stop: &WorkStop) -> String {
    let policy =
        HtmlViewPolicy { leave_path: LEAVE_PATH, images: &viewed.images, image_bytes_max: SHOWN_IMAGES_BYTES_MAX };
    match view::view(&viewed.html, &policy, &|| stop.is_stopped()) {
        Ok(page) => page,
        Err(HtmlViewError::Bound(bound)) => as_text(viewed, bound),
        // Nobody waits for the result.
        Err(HtmlViewError::Stopped) => String::new(),
    }
}

/// Returns the text of a message, after a sentence that names the bound that its HTML is over.
fn as_text(viewed: &ViewedHtml, bound: HtmlBound) -> String {
    let text = viewed.text.clone().unwrap_or_else(|| html::to_text(&viewed.html));
    let mut shown = String::new();
    let is_whole = html::push_escaped_up_to(&mut shown, &text, OUTPUT_BYTES_MAX - SENTENCE_BYTES_MAX);
    let rest = if is_whole { "" } else { " This is the start of the text; the raw mail has all of it." };
    let page = format!(
        "<p><strong>This mail is shown as text because its HTML has {}.</strong> The raw mail has the HTML.{rest}</p>\n",
        bound.text()
    );
    page + &shown
}

/// An image of a message.
struct InlineImage {
    position: usize,
    /// Its `Content-ID`, without angle brackets, in lower case.
    content_id: String,
    content_type: &'static str,
}

/// Returns the images that are shown in place, within the limits.
fn images(attachments: &[Attachment]) -> Vec<InlineImage> {
    let (mut found, mut sum) = (Vec::new(), 0);
    for file in attachments {
        let content_type = IMAGE_TYPES.into_iter().find(|name| file.content_type.eq_ignore_ascii_case(name));
        let (Some(content_id), Some(content_type)) = (&file.content_id, content_type) else { continue };
        if file.size_bytes > IMAGE_BYTES_MAX || sum + file.size_bytes > IMAGES_BYTES_MAX {
            continue;
        }
        sum += file.size_bytes;
        let content_id = content_id.trim_matches(['<', '>']).to_lowercase();
        found.push(InlineImage { position: file.position as usize, content_id, content_type });
    }
    found
}

/// Returns the images of a raw mail as `data:` URLs, by `Content-ID`.
fn data_urls(raw: &[u8], wanted: &[InlineImage], stop: &WorkStop) -> Result<HashMap<String, String>, WorkStopped> {
    let parsed = parse::parse(raw);
    let url = |image: &InlineImage| {
        // A file with a link of the service is no picture, whatever it says.
        let part = parsed.attachments.get(image.position);
        let part = part.filter(|part| !quoted_links::is_in_file(&part.content_type, &part.bytes))?;
        let text = format!("data:{};base64,{}", image.content_type, STANDARD.encode(&part.bytes));
        Some((image.content_id.clone(), text))
    };
    let mut urls = HashMap::new();
    for image in wanted {
        stop.check()?;
        urls.extend(url(image));
    }
    Ok(urls)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text_of(html: &str, text: Option<&str>) -> String {
        let workspace = uuid::Uuid::from_u128(1).into();
        let viewed =
            ViewedHtml { workspace, html: html.to_owned(), text: text.map(str::to_owned), images: HashMap::new() };
        rendered(&viewed, &WorkStop::default())
    }

    #[test]
    fn html_over_a_bound_is_shown_as_escaped_text_with_the_bound() {
        let deep = format!("{}<p>5 &lt; 6 <b>x</b>", "<div>".repeat(600));
        let shown = text_of(&deep, None);
        assert!(shown.contains("more than 512 nested elements") && shown.contains("5 &lt; 6 x"), "{shown}");
        assert!(!shown.contains("<b>") && shown.matches("<div").count() == 1, "{shown}");
        let own = text_of(&deep, Some("<script>alert(1)</script>"));
        assert!(own.contains("&lt;script&gt;") && !own.contains("<script"), "{own}");
        assert_eq!(text_of("<p>Hi</p>", Some("text")), "<p>Hi</p>");
    }

    #[test]
    fn text_in_place_of_html_was_larger_than_any_page() {
        let deep = "<div>".repeat(600);
        for c in ['x', '\u{e9}', '\u{1f600}', '&', '<', '>', '"', '\n'] {
            let text = c.to_string().repeat(OUTPUT_BYTES_MAX / c.len_utf8());
            let long = text_of(&deep, Some(&text));
            assert!(long.len() <= OUTPUT_BYTES_MAX && long.len() > OUTPUT_BYTES_MAX - 2 * SENTENCE_BYTES_MAX, "{c}");
            assert!(long.contains("the raw mail has all of it") && !long.ends_with("&am"), "{c}");
            let short = text_of(&deep, Some(&text[..text.len() / 8]));
            assert!(short.len() <= OUTPUT_BYTES_MAX && !short.contains("has all of it"), "{c}");
        }
    }
}
