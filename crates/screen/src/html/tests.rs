//! Text of HTML, visible and hidden.

use super::*;

#[track_caller]
fn is_hidden(html: &str) {
    let html = format!("<p>Hello</p>{html}<p>Bye</p>");
    let parts = read(&html);
    assert!(parts.hidden.text.contains("secret words"), "{html}: {parts:?}");
    assert!(!parts.visible.text.contains("secret"), "{html}: {parts:?}");
    assert!(parts.visible.text.contains("Hello") && parts.visible.text.contains("Bye"), "{parts:?}");
    let at = position(parts.hidden.text.find("secret").unwrap_or_default());
    let source = parts.hidden.source(at) as usize;
    assert_eq!(html.get(source..source + 6), Some("secret"), "{html}");
}

#[test]
fn hidden_text_is_apart() {
    for style in [
        "display:none",
        "visibility:hidden",
        "font-size:0",
        "font-size:1px",
        "opacity:0",
        "opacity:.01",
        "color:#fff",
        "color:white",
        "color:transparent",
        "color:#fefefe;background:#ffffff",
        "position:absolute;left:-9999px",
        "text-indent:-9999px",
        "height:0;overflow:hidden",
        "max-height:0;overflow:hidden",
        "line-height:0",
        "transform:scale(0)",
        "DISPLAY : none !important",
        "color:rgba(0,0,0,0)",
        "background-color:black;color:#000",
        "clip:rect(0,0,0,0);position:absolute",
        "width:0;overflow:hidden",
        "color:rgb(255,255,255)",
        "margin-left:-5000px",
        "mso-hide:all;display:none",
        "filter:opacity(0)",
        "clip-path:inset(100%)",
    ] {
        is_hidden(&format!("<div style=\"{style}\">secret words</div>"));
        is_hidden(&format!("<span style='{style}'><b>secret words</b></span>"));
    }
    is_hidden("<!-- secret words -->");
    for comment in [
        "[if mso]>secret words<![endif]",
        "[if mso]><table><tr><td>secret words</td></tr></table><![endif]",
        "[if (gte mso 9)|(IE)]></td></tr></table><p>secret words<![endif]",
        "[if !mso]><!-- secret words <![endif]",
        "[if secret words]><![endif]",
        "[if mso]><style>p { display: none }</style><b>secret words</b><![endif]",
        "[if mso secret words",
        "[if IE]><!--[if mso]><i>secret words</i><![endif]",
        "[if mso]><img alt='secret words'><![endif]",
        "<![endif]secret words",
        "<![if mso]>secret words",
    ] {
        is_hidden(&format!("<!--{comment}-->"));
        is_hidden(&format!("<div><p>a<!--{comment}-->b</div>"));
    }
    is_hidden("<style>.x { color: red } .gone, p.y { display: none }</style><p class='a gone'>secret words</p>");
    is_hidden("<img src=a alt='secret words'>");
    is_hidden("<a href=x title=\"secret words\">link</a>");
    is_hidden("<title>secret words</title>");
    is_hidden("<span aria-label='secret words'></span>");
    is_hidden("<p hidden>secret words</p>");
    is_hidden("<font color='#FFFFFF'>secret words</font>");
}

#[test]
fn visible_text_is_not_hidden() {
    for html in [
        "<table bgcolor='#003366'><tr><td><span style='color:#fff'>shown words</span></td></tr></table>",
        "<a style='background:#06c;color:white'>shown words</a>",
        "<style>@media (max-width:600px) { .x { display:none } }</style><p class=x>shown words</p>",
        "<p style='display:none'>gone<p>shown words",
        "<p style='font-size:11px;color:#666'>shown words</p>",
        "<div><!--[if mso]></div><div style='display:none'><![endif]-->shown words</div>",
        "<!--[if !mso]><!--><p>shown words</p><!--<![endif]-->",
        "<!--[if mso]><style>p { display:none }</style><![endif]--><p>shown words</p>",
    ] {
        let parts = read(html);
        assert!(parts.visible.text.contains("shown words"), "{html}: {parts:?}");
    }
}
