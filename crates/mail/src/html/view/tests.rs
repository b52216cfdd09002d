//! Tests of what is shown, and of the bounds.

use super::*;
use crate::html::bound::DEPTH_MAX;

fn shown_with(html: &str, images: &HashMap<String, String>) -> Result<String, HtmlViewError> {
    let policy = HtmlViewPolicy { leave_path: "/leave", images, image_bytes_max: 100 };
    view(html, &policy, &|| false)
}

fn result(html: &str) -> Result<String, HtmlViewError> {
    let images = [("logo@x".to_owned(), "data:image/png;base64,AAAA".to_owned())];
    shown_with(html, &HashMap::from(images))
}

fn clean(html: &str) -> String {
    result(html).expect("within the bounds")
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
        "<p style=\"background:image-set('https://x.example' 1x)\">Hi</p>",
        "<a href=\"javascript:alert(1)\">Hi</a>",
        "<a href=\"&#106;avascript:alert(1)\">Hi</a>",
        "<a href=\"data:text/html,x\">Hi</a>",
        "<img src=\"data:image/svg+xml;base64,AAAA\">",
        "<img src=\"cid:unknown@x\">",
        "<img src=\"/v1/alert\">",
        "<p style=\"position:fixed;top:0;width:100%\">Hi</p>",
        "<p style=\"color:red;background:u\\72l(https://x.example)\">Hi</p>",
        "<td background=\"data:text/html,x\">",
    ] {
        let clean = clean(hostile).to_lowercase();
        for part in ["alert", "x.example", "javascript", "position", "svg", "cid:", "<form", "<input", "text/html"] {
            assert!(!clean.contains(part), "{part} in {clean} of {hostile}");
        }
    }
}

/// Inputs that other filters let through because a browser reads the result in another way.
#[test]
fn nothing_but_allowed_tags_is_written_whatever_the_input_is() {
    for hostile in [
        "<math><mtext><table><mglyph><style><!--</style><img title=\"--&gt;&lt;img src=1 onerror=alert(1)&gt;\">",
        "<svg></p><style><a id=\"</style><img src=1 onerror=alert(1)>\">",
        "<noscript><p title=\"</noscript><img src=x onerror=alert(1)>\">",
        "<textarea><p title='</textarea><img src=x onerror=alert(1)>'>",
        "<p title='\"><img src=x onerror=alert(1)>'>",
        "<p title=&quot;&gt;&lt;img&#32;onerror=alert(1)&gt;>",
        "<<img src=x onerror=alert(1)>>",
        "<img/src=x/onerror=alert(1)>",
        "<a href='https://x.example/\" onclick=\"alert(1)'>x</a>",
        "<p style=\"color:red&quot; onclick=&quot;alert(1)\">",
        "<!--><img src=x onerror=alert(1)>-->",
        "&lt;img src=x onerror=alert(1)&gt;",
        "<xmp><p title=\"</xmp><img src=x onerror=alert(1)>\">",
    ] {
        let shown = clean(hostile);
        let mut rest = &*shown;
        while let Some(at) = rest.find('<') {
            let end = at + rest[at..].find('>').expect("a whole tag");
            let tag = &rest[at..=end];
            let outside: String = tag.split('"').step_by(2).collect();
            assert!(!outside.contains("onerror") && !outside.contains("onclick"), "{tag} in {shown} of {hostile}");
            rest = &rest[end + 1..];
        }
    }
}

#[test]
fn what_mail_looks_like_stays() {
    for kept in [
        "<p style=\"color:red;font-size:14px\">Hi</p>",
        "<img src=\"https://x.example/a.png\" width=\"10\" alt=\"A\">",
        "<img src=\"data:image/png;base64,AAAA\">",
        "<table><tbody><tr><td colspan=\"2\">a</td></tr></tbody></table>",
        "<ul><li>a<li>b</ul>",
        "<p>a &amp; b &lt; c</p>",
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
    assert!(clean("<a href=\"https://x.example/?a=1&copy=2\">x</a>").contains("%26copy%3D2"));
    for dropped in ["/v1/account", "//x.example/a", "#part", "page.html", "java\nscript:alert(1)"] {
        let shown = clean(&format!("<a href=\"{dropped}\">x</a>"));
        assert!(!shown.contains("href"), "{shown}");
    }
}

#[test]
fn html_over_a_bound_is_refused_with_that_bound() {
    let bound = |html: &str| match result(html) {
        Err(HtmlViewError::Bound(bound)) => Some(bound),
        Ok(_) => None,
        Err(HtmlViewError::Stopped) => panic!("nobody stops it"),
    };
    for tag in ["<div>", "<blockquote>", "<ul><li>", "<span>", "<font>", "<table><tr><td>", "<a><div>"] {
        assert_eq!(bound(&tag.repeat(DEPTH_MAX + 1)), Some(HtmlBound::Depth), "{tag}");
    }
    for part in ["<br>", "x<br>", "<i>x</i>", "<p>x", "<foo>", "<li>x", "<td>"] {
        assert_eq!(bound(&part.repeat(1_000)), None, "{part}");
        assert_eq!(bound(&part.repeat(NODES_MAX + 1)), Some(HtmlBound::Nodes), "{part}");
    }
    let again: String = (0..400).map(|at| format!("<p><font size={at}>x")).collect();
    assert_eq!(bound(&again), Some(HtmlBound::Nodes), "formatting elements that each paragraph creates again");
    let equal = "<p><font size=1>x".repeat(400);
    assert_eq!(bound(&equal), None, "equal formatting elements are created three times");
    let many: String = (0..300).map(|at| format!(" a{at}")).collect();
    assert_eq!(bound(&format!("<p{many}>")), Some(HtmlBound::Attributes));
    assert_eq!(bound(&"<p a b c d e f g h i j k l m n o p q r s>".repeat(10_000)), Some(HtmlBound::Attributes));
    assert_eq!(bound(&format!("<p title=\"{}\">", "x".repeat(ATTRIBUTE_BYTES_MAX))), Some(HtmlBound::Attributes));
    assert_eq!(bound(&"x".repeat(OUTPUT_BYTES_MAX + 1)), Some(HtmlBound::Output));
    assert_eq!(bound(&"&amp;".repeat(OUTPUT_BYTES_MAX / 5)), None);
}

/// Each end tag was compared with all open elements: 800 kB took seconds.
#[test]
fn end_tags_without_a_start_were_looked_for_without_a_bound() {
    let around = ["<div>", "<span>", "<i><table><tr><td><div>", "<p><b>", "<li><ul>"];
    let ends = ["</b>", "</i>", "</p>", "</td>", "</caption>", "</br>", "</unknown>", "</a>"];
    for (start, end) in around.iter().flat_map(|start| ends.map(|end| (start, end))) {
        let depth = DEPTH_MAX / start.matches('<').count() - 1;
        let bound = result(&format!("{}{}", start.repeat(depth), end.repeat(NODES_MAX + DEPTH_MAX)));
        assert_eq!(bound, Err(HtmlViewError::Bound(HtmlBound::Nodes)), "{start} {end}");
    }
    assert_eq!(clean("<div>x</b></i></div></div>y"), "<div>x</div>y");
    assert_eq!(clean("<i>x<p>y</i>z</p></i>"), "<i>x<p>y</i>z</p>");
}

#[test]
fn images_of_the_message_have_a_budget_that_repetition_uses_up() {
    let images = HashMap::from([("a".to_owned(), format!("data:image/png;base64,{}", "A".repeat(18)))]);
    let shown = shown_with(&"<img src=cid:a>".repeat(10), &images).expect("within the bounds");
    assert_eq!((shown.matches("<img").count(), shown.matches("base64").count()), (10, 2));
}

#[test]
fn the_work_ends_when_its_caller_stops_it() {
    let policy = HtmlViewPolicy { leave_path: "/leave", images: &HashMap::new(), image_bytes_max: 0 };
    let checks = std::cell::Cell::new(0);
    let stop = || {
        checks.set(checks.get() + 1);
        checks.get() > 3
    };
    assert_eq!(view(&"<br>".repeat(40_000), &policy, &stop), Err(HtmlViewError::Stopped));
    assert_eq!(checks.get(), 4);
}
