//! The HTML of a message as a person sees it: without scripts, forms, style sheets and everything else that mail doesn't
//! need, with its own images in place of `cid:` links. The page that shows it has a policy against the same; this is
//! the second filter.

use std::{
    borrow::Cow,
    collections::{HashMap, HashSet},
};

use ammonia::Builder;
use base64::{Engine, engine::general_purpose::STANDARD};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use posthouse_domain::{error::Refusal, message::Attachment, record::Record};
use posthouse_mail::parse;
use posthouse_store::{Tx, contents};

use super::raw::{self, StoredContent};
use crate::app::App;

/// The page of the dashboard that shows the true target of a link, which is in the fragment, before it is followed.
const LEAVE_PATH: &str = "/leave";
/// Schemes of links that can be followed.
const LINK_SCHEMES: [&str; 4] = ["http:", "https:", "mailto:", "tel:"];
/// Largest image that is shown in place, in bytes.
const IMAGE_BYTES_MAX: u64 = 2 * 1024 * 1024;
/// Bytes of all images that are shown in place. Others stay links that load nothing.
const IMAGES_BYTES_MAX: u64 = 8 * 1024 * 1024;
/// The images that are shown in place. SVG can contain more than an image.
const IMAGE_TYPES: [&str; 5] = ["image/png", "image/jpeg", "image/gif", "image/webp", "image/bmp"];
/// Elements beyond those that the library allows, for the layout of mail.
const MORE_TAGS: [&str; 4] = ["font", "big", "main", "address"];
/// Attributes of every element, for the layout of mail.
const ATTRIBUTES: [&str; 16] = [
    "align",
    "alt",
    "background",
    "bgcolor",
    "border",
    "cellpadding",
    "cellspacing",
    "color",
    "dir",
    "face",
    "height",
    "size",
    "style",
    "title",
    "valign",
    "width",
];
/// Elements whose content is dropped with them.
const DROPPED: [&str; 7] = ["script", "style", "title", "svg", "math", "object", "template"];
/// Properties of inline styles. None of them moves an element out of its place.
const PROPERTIES: [&str; 62] = [
    "background",
    "background-color",
    "border",
    "border-bottom",
    "border-bottom-color",
    "border-bottom-style",
    "border-bottom-width",
    "border-collapse",
    "border-color",
    "border-left",
    "border-left-color",
    "border-left-style",
    "border-left-width",
    "border-radius",
    "border-right",
    "border-right-color",
    "border-right-style",
    "border-right-width",
    "border-spacing",
    "border-style",
    "border-top",
    "border-top-color",
    "border-top-style",
    "border-top-width",
    "border-width",
    "box-sizing",
    "clear",
    "color",
    "direction",
    "display",
    "float",
    "font",
    "font-family",
    "font-size",
    "font-style",
    "font-variant",
    "font-weight",
    "height",
    "letter-spacing",
    "line-height",
    "list-style",
    "list-style-type",
    "margin",
    "margin-bottom",
    "margin-left",
    "margin-right",
    "margin-top",
    "max-height",
    "max-width",
    "min-height",
    "min-width",
    "overflow-wrap",
    "padding",
    "padding-bottom",
    "padding-left",
    "padding-right",
    "padding-top",
    "table-layout",
    "text-align",
    "text-decoration",
    "vertical-align",
    "width",
];

/// Returns the HTML of a message for a person, or `None` if it has none.
///
/// # Errors
/// Returns `content_damaged` if the bytes of its images are missing or altered, or an error if a store call fails.
pub async fn shown(app: &App, record: Record) -> Result<Option<String>, Refusal> {
    let Some(html) = record.bodies.html else { return Ok(None) };
    let wanted = if html.contains("cid:") { images(&record.attachments) } else { Vec::new() };
    let images = if wanted.is_empty() {
        HashMap::new()
    } else {
        let (workspace, id) = (record.message.workspace, record.message.content);
        let read = move |tx: &mut Tx| Ok::<_, Refusal>(contents::raw(tx, workspace, id)?);
        match app.store.read_for(workspace, read).await? {
            Some(found) => {
                raw::content(app, StoredContent { id, raw: found }, move |raw| data_urls(&raw, &wanted)).await?
            }
            None => HashMap::new(),
        }
    };
    let bytes = html.len();
    app.blocking_pool.run_sized(bytes, move || sanitized(&html, &images)).await.map(Some)
}

/// Returns HTML for a person, as [`shown`] does for a message, without images of its own.
///
/// # Errors
/// Returns an error if the work can't be run.
pub async fn shown_text(app: &App, html: String) -> Result<String, Refusal> {
    let bytes = html.len();
    app.blocking_pool.run_sized(bytes, move || sanitized(&html, &HashMap::new())).await
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
fn data_urls(raw: &[u8], wanted: &[InlineImage]) -> HashMap<String, String> {
    let parsed = parse::parse(raw);
    let url = |image: &InlineImage| {
        let part = parsed.attachments.get(image.position)?;
        let text = format!("data:{};base64,{}", image.content_type, STANDARD.encode(&part.bytes));
        Some((image.content_id.clone(), text))
    };
    wanted.iter().filter_map(url).collect()
}

/// Returns the HTML with only what mail needs. Pure.
fn sanitized(html: &str, images: &HashMap<String, String>) -> String {
    let images = images.clone();
    let mut builder = Builder::default();
    builder
        .add_tags(MORE_TAGS)
        .clean_content_tags(HashSet::from(DROPPED))
        .add_generic_attributes(ATTRIBUTES)
        .filter_style_properties(HashSet::from(PROPERTIES))
        .set_tag_attribute_value("a", "target", "_blank")
        .url_schemes(HashSet::from(["http", "https", "mailto", "tel", "cid", "data"]))
        .attribute_filter(move |element, attribute, value| filtered(element, attribute, value, &images));
    builder.clean(html).to_string()
}

/// Returns the value of an attribute, or `None` to drop it.
fn filtered<'v>(
    element: &str,
    attribute: &str,
    value: &'v str,
    images: &HashMap<String, String>,
) -> Option<Cow<'v, str>> {
    match (element, attribute) {
        (_, "style") => Some(style(value).into()),
        ("img", "src") => image_source(value, images),
        (_, "href") => link(value).map(Cow::Owned),
        // Other attributes with a URL: a link names no data, and a background is an image from elsewhere.
        _ if scheme_is(value, "data:") || scheme_is(value, "cid:") => None,
        _ => Some(value.into()),
    }
}

/// Returns the address of the page that shows where a link goes; `None` if it can't be followed.
fn link(value: &str) -> Option<String> {
    let value = value.trim();
    let can_be_followed = LINK_SCHEMES.iter().any(|scheme| scheme_is(value, scheme));
    can_be_followed.then(|| format!("{LEAVE_PATH}#{}", utf8_percent_encode(value, NON_ALPHANUMERIC)))
}

fn image_source<'v>(value: &'v str, images: &HashMap<String, String>) -> Option<Cow<'v, str>> {
    let value = value.trim();
    if scheme_is(value, "cid:") {
        return images.get(&value["cid:".len()..].to_lowercase()).map(|url| url.clone().into());
    }
    let is_image = |kind: &str| scheme_is(value, &format!("data:{kind};base64,"));
    if scheme_is(value, "data:") && !IMAGE_TYPES.iter().any(|kind| is_image(kind)) {
        return None;
    }
    Some(value.into())
}

fn scheme_is(value: &str, scheme: &str) -> bool {
    value.trim_start().get(..scheme.len()).is_some_and(|start| start.eq_ignore_ascii_case(scheme))
}

/// Returns the declarations of an inline style that load nothing.
fn style(value: &str) -> String {
    let is_plain = |declaration: &&str| {
        let lower = declaration.to_ascii_lowercase();
        !["url", "expression", "@import", "\\", "/*"].iter().any(|part| lower.contains(part))
    };
    value.split(';').filter(is_plain).collect::<Vec<_>>().join(";")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clean(html: &str) -> String {
        let images = [("logo@x".to_owned(), "data:image/png;base64,AAAA".to_owned())];
        sanitized(html, &HashMap::from(images))
    }

    #[test]
    fn what_runs_sends_or_loads_is_dropped() {
        for hostile in [
            "<script>alert(1)</script>",
            "<style>p { background: url(https://x.example/?a) }</style>",
            "<svg onload=alert(1)><style>*{}</style></svg>",
            "<form action=\"https://x.example\"><input name=a></form>",
            "<iframe src=\"https://x.example\"></iframe>",
            "<meta http-equiv=refresh content=\"0;url=https://x.example\">",
            "<base href=\"https://x.example\">",
            "<link rel=stylesheet href=\"https://x.example\">",
            "<p onclick=\"alert(1)\" style=\"background:url(https://x.example)\">Hi</p>",
            "<a href=\"javascript:alert(1)\">Hi</a>",
            "<a href=\"data:text/html,x\">Hi</a>",
            "<img src=\"data:image/svg+xml;base64,AAAA\">",
            "<img src=\"cid:unknown@x\">",
            "<p style=\"position:fixed;top:0;width:100%\">Hi</p>",
            "<p style=\"color:red;background:u\\72l(https://x.example)\">Hi</p>",
            "<math><mtext><table><mglyph><style><!--</style><img title=\"--&gt;&lt;img src=1 onerror=alert(1)&gt;\">",
        ] {
            let clean = clean(hostile).to_lowercase();
            for part in ["alert", "x.example", "javascript", "position", "svg", "cid:", "<form", "<input", "text/html"]
            {
                assert!(!clean.contains(part), "{part} in {clean} of {hostile}");
            }
        }
    }

    #[test]
    fn what_mail_looks_like_stays() {
        for kept in [
            "<p style=\"color:red;font-size:14px\">Hi</p>",
            "<img src=\"https://x.example/a.png\" width=\"10\" alt=\"A\">",
            "<img src=\"data:image/png;base64,AAAA\">",
        ] {
            assert_eq!(clean(kept), kept);
        }
        let table =
            clean("<table width=600 bgcolor=#fff cellpadding=0><tr><td align=center valign=top>x</td></tr></table>");
        for part in ["width=\"600\"", "bgcolor=\"#fff\"", "cellpadding=\"0\"", "align=\"center\"", "valign=\"top\""] {
            assert!(table.contains(part), "{table}");
        }
        assert_eq!(clean("<img src=\"cid:Logo@x\">"), "<img src=\"data:image/png;base64,AAAA\">");
    }

    #[test]
    fn a_link_opens_a_page_that_shows_its_target() {
        let shown =
            clean("<a href=\"https://x.example/?a=1&amp;b=\u{202e}\" target=_top rel=opener>https://good.example</a>");
        assert!(shown.contains("href=\"/leave#https%3A%2F%2Fx%2Eexample%2F%3Fa%3D1%26b%3D%E2%80%AE\""), "{shown}");
        assert!(shown.contains("target=\"_blank\"") && shown.contains("rel=\"noopener noreferrer\""), "{shown}");
        assert!(!shown.contains("_top"), "{shown}");
        assert!(clean("<a href=\"mailto:a@x.example\">x</a>").contains("href=\"/leave#mailto%3A"));
        for dropped in ["/v1/account", "//x.example/a", "#part", "page.html", "java\nscript:alert(1)"] {
            let shown = clean(&format!("<a href=\"{dropped}\">x</a>"));
            assert!(!shown.contains("href"), "{shown}");
        }
    }
}
