//! Table tests of HTML to text, and tests with hostile input.

mod hiding;

use proptest::prelude::*;

use super::*;

#[test]
fn html_is_converted_to_readable_text() {
    let table: &[(&str, &str)] = &[
        ("", ""),
        ("plain", "plain"),
        ("<p>One</p><p>Two</p>", "One\n\nTwo"),
        ("<div>One</div><div>Two</div>", "One\nTwo"),
        ("One<br>Two<br/>\n<br />Three", "One\nTwo\n\nThree"),
        ("  a \n b\t c&nbsp;&nbsp;d ", "a b c d"),
        ("<b>Bo</b>ld <i>x</i>", "Bold x"),
        ("<ul><li>a</li><li>b<ul><li>c</ul></ul>d", "- a\n- b\n\n- c\n\nd"),
        ("<ol><li>a<li>b</ol>", "1. a\n2. b"),
        ("<h1>Title</h1>text<hr>end", "Title\n\ntext\n---\nend"),
        ("<table><tr><td>Total</td><td> 12.00 </td></tr><tr><td></td><td>x</td></tr></table>", "Total\t12.00\nx"),
        ("See <a href=\"https://x.example/?a=1&amp;b=2\">the page</a>.", "See the page <https://x.example/?a=1&b=2>."),
        ("<a href='https://x.example/'>https://x.example</a>", "https://x.example"),
        ("<a href=mailto:a@x.example>a@x.example</a>", "a@x.example"),
        ("<a href='https://x.example'><img src=x></a>", "<https://x.example>"),
        ("<a href='javascript:alert(1)'>x</a><a href='#top'>y</a>", "xy"),
        ("<img alt='Logo'> hi", "Logo hi"),
        ("<head><title>No</title><style>p{a:b}</style></head><body>Yes</body>", "Yes"),
        ("a<script>if (a<b) x</script>b<!-- c > d -->e", "abe"),
        ("a<!--[if mso]><p>no</p><![endif]-->b<![if !mso]>c<![endif]>", "abc"),
        ("&lt;tag&gt; &amp;amp; &copy; &#8217;&#x2019;&#146; &unknown; &amp", "<tag> &amp; © ’’’ &unknown; &"),
        ("a < b and c > d", "a < b and c > d"),
        (
            "<p>On Monday Dana wrote:</p><blockquote>old<br>older</blockquote><p>new</p>",
            "On Monday Dana wrote:\n\n> old\n> older\n\nnew",
        ),
        ("<pre>a  b\n  c</pre>", "a  b\n  c"),
        ("<img alt=\"a > b\" src=x>after", "a > bafter"),
        ("<p title=\"unclosed>text<p>more", "text\n\nmore"),
        ("<P CLASS=X>Upper</P>", "Upper"),
        ("soft\u{ad}hyphen", "softhyphen"),
    ];
    for (html, text) in table {
        assert_eq!(to_text(html), *text, "{html}");
    }
}

#[test]
fn hidden_text_is_returned_separately() {
    let hidden = |html: &str| {
        let extracted = extract(html);
        (extracted.visible, extracted.hidden)
    };
    let pair = |visible: &str, hidden: &str| (visible.to_owned(), hidden.to_owned());
    let table = [
        (
            "<div style=\"display: none; max-height:0\">Peek<div>in</div>side</div><p>Shown</p>",
            pair("Shown", "Peek in side"),
        ),
        ("<span style='DISPLAY:NONE !important'>x</span>y", pair("y", "x")),
        ("<p hidden>x</p>y", pair("y", "x")),
        ("<div style='display:block'>x</div>", pair("x", "")),
        ("<div style='display:none'>never closed <p>text", pair("never closed\n\ntext", "")),
    ];
    for (html, expected) in table {
        assert_eq!(hidden(html), expected, "{html}");
    }
    let preheader = format!("<div>{}</div><p>Hi</p>", "&zwnj;&nbsp;".repeat(100));
    assert_eq!(to_text(&preheader), "Hi");
}

/// Styles and attributes that hide an element, and those of elements that are shown.
pub(crate) const HIDING: [&str; 46] = [
    "style='position:absolute;left:-9999px'",
    "style=\"position: fixed; top: -10000px;\"",
    "style='POSITION:ABSOLUTE; LEFT:-5000px !important'",
    "style='position:absolute;left:-9999em'",
    "style='height:0;overflow:hidden'",
    "style='overflow:hidden;height:0px;line-height:0'",
    "style='width:0;height:0;overflow:hidden'",
    "style='width:0px; overflow: hidden'",
    "style='max-height:0'",
    "style='max-height:0px;overflow:hidden'",
    "style='max-height:0.0px'",
    "style='max-width:0%'",
    "style='mso-hide:all'",
    "style='mso-hide: all;'",
    "style='opacity:0'",
    "style='opacity:0.00'",
    "style='opacity:.0'",
    "style='opacity:0%'",
    "style='color:#fff;background:#ffffff'",
    "style='background-color:white;color:#FFF'",
    "style='color: rgb(255, 255, 255); background-color: white'",
    "bgcolor=#FFFFFF style='color:#ffffff'",
    "style='color:transparent'",
    "style='font-size:0'",
    "style='font-size:0em'",
    "style='font-size:1px;color:#eee'",
    "style='text-indent:-9999px'",
    "style='margin-left:-9999px'",
    "style='position:absolute;clip:rect(0,0,0,0)'",
    "style='clip: rect(1px, 1px, 1px, 1px)'",
    "style='transform:scale(0)'",
    "style='transform: translate(0, 0) scaleY(0)'",
    "style='transform:scale(0, 1)'",
    "style='scale:0'",
    "style='zoom:0'",
    "style='clip-path:circle(0)'",
    "style='clip-path: circle(0px at 50% 50%)'",
    "style='clip-path:inset(50%)'",
    "style='clip-path: inset(100%)'",
    "style='transform:scale3d(0,0,0)'",
    "style='visibility:hidden'",
    "style='visibility:collapse'",
    "style='display:none!important'",
    "style='display : none'",
    "hidden",
    "hidden=''",
];
const SHOWING: [&str; 29] = [
    "style='position:absolute;left:0'",
    "style='left:-9999px'",
    "style='position:absolute;left:-20px'",
    "style='height:0'",
    "style='height:10px;overflow:hidden'",
    "style='overflow:hidden'",
    "style='max-height:100px'",
    "style='max-width:600px'",
    "style='opacity:0.5'",
    "style='opacity:1'",
    "style='color:#fff;background:#000'",
    "style='color:#fff'",
    "style='color:#ffffff;background-color:#0055ff'",
    "style='font-size:14px'",
    "style='font-size:0.9em'",
    "style='text-indent:-10px'",
    "style='clip:rect(0,100px,50px,0)'",
    "style='mso-hide:all;padding:10px 20px;background-color:#0055ff;color:#fff'",
    "style='display:block'",
    "style='visibility:visible'",
    "style='transform:scale(1)'",
    "style='transform:scale(0.5, 2)'",
    "style='transform:rotate(0deg)'",
    "style='clip-path:inset(10%)'",
    "style='clip-path:inset(0 0 50% 0)'",
    "style='clip-path:circle(40%)'",
    "style='zoom:1'",
    "style='min-height:0;width:100%'",
    "class='hidden'",
];

#[test]
fn text_of_hidden_elements_is_no_text() {
    for name in ["div", "span", "p", "td", "h1"] {
        for attributes in HIDING {
            let html = format!("<p>Shown</p><{name} {attributes}>Secret</{name}><p>Also</p>");
            let extracted = extract(&html);
            assert!(!extracted.visible.contains("Secret") && extracted.hidden.contains("Secret"), "{html}");
            assert!(extracted.visible.contains("Also"), "{html}");
            let new = crate::extract::new_text(None, Some(&html)).expect("text").text;
            assert_eq!(new.split_whitespace().collect::<Vec<_>>(), ["Shown", "Also"], "{html}");
        }
        for attributes in SHOWING {
            let html = format!("<p>Shown</p><{name} {attributes}>Secret</{name}><p>Also</p>");
            assert!(to_text(&html).contains("Secret"), "{html}");
            assert!(crate::extract::new_text(None, Some(&html)).expect("text").text.contains("Secret"), "{html}");
        }
    }
    let button = "<a href='https://x.example/c' style='mso-hide:all'>Confirm</a>";
    assert_eq!(to_text(button), "Confirm <https://x.example/c>");
}

#[test]
fn hidden_elements_that_never_close_and_elements_without_text_hide_nothing() {
    let mut variants = 0;
    for attributes in HIDING {
        for html in [
            format!("<html><head><style type=text/css {attributes}> P {{margin:0}} </style></head><body><p>Hi</p>"),
            format!("<script {attributes}>x</script><p>Hi</p>"),
            format!("<title {attributes}>x</title><p>Hi</p>"),
            format!("<img {attributes} src=x><br {attributes}><p>Hi</p>"),
            format!("<div {attributes}><p>Hi</p>"),
            format!("<p {attributes}><div>Hi</div>"),
            format!("<div {attributes}><div></div><p>Hi</p>"),
        ] {
            assert_eq!(to_text(&html), "Hi", "{html}");
            assert_eq!(crate::extract::new_text(None, Some(&html)).expect("text").text, "Hi", "{html}");
            variants += 1;
        }
    }
    assert!(variants >= 20);
}

#[test]
fn fillers_of_preheaders_are_no_text() {
    let fillers = ["&zwnj;", "&#8199;", "&#847;", "&shy;", "&#8203;", "\u{feff}", "&#x2800;", "&nbsp;", " "];
    for (at, first) in fillers.iter().enumerate() {
        for second in &fillers[at..] {
            let run = format!("{first}{second}").repeat(60);
            let html = format!("<div>Peek {run}</div><div>{run}</div><p>Hi</p>");
            let shown = to_text(&html);
            assert_eq!(shown.split_whitespace().collect::<Vec<_>>(), ["Peek", "Hi"], "{html}");
            let new = crate::extract::new_text(None, Some(&html)).expect("text").text;
            assert!(new.chars().all(|c| c.is_alphabetic() || c == '\n'), "{new:?}");
        }
    }
}

/// Each input would cost a parser with lookahead quadratic time, or a recursive parser its stack.
#[test]
fn hostile_html_is_converted_in_linear_time() {
    let pieces = [
        "<",
        "<a ",
        "<a href=\"",
        "<!--",
        "<!",
        "<div>",
        "</div>",
        "<blockquote>",
        "<div style=display:none>",
        "<script",
        "<style>",
        "<title>",
        "<svg>",
        "&",
        "&#",
        "&amp",
        "<a href=http://x>",
        "<td>",
        "<pre>\n",
        " ",
        "<p",
        "</",
        "<template>",
        "x=\"",
        "<li>",
        "<ol>",
    ];
    for piece in pieces {
        let html = piece.repeat(300_000 / piece.len());
        let extracted = extract(&html);
        assert!(extracted.visible.len() <= 8 * html.len(), "{piece}");
        let mixed = format!("{}<p>x", piece.repeat(1_000));
        to_text(&mixed);
    }
}

#[test]
fn the_text_of_html_is_at_most_a_few_times_its_size() {
    let quotes = "<blockquote>".repeat(20_000);
    for html in [
        format!("{quotes}<pre>{}", "\n".repeat(200_000)),
        format!("{quotes}<pre>{}", "x\n".repeat(200_000)),
        format!("{quotes}{}", "<li>".repeat(100_000)),
        "<blockquote>x\n".repeat(20_000),
        format!("{}x{}", quotes, "</blockquote>x".repeat(20_000)),
    ] {
        let extracted = extract(&html);
        let bytes = extracted.visible.len() + extracted.hidden.len();
        assert!(bytes <= 4 * html.len(), "{bytes} bytes of {}", html.len());
    }
}

proptest! {
    #[test]
    fn arbitrary_html_never_panics_and_stays_bounded(words in proptest::collection::vec(
        prop_oneof![
            prop::sample::select(vec![
                "<", ">", "</", "<a href='", "'", "\"", "=", "<!--", "-->", "<div", "<div style='display:none'>", "</div>", "<blockquote>", "<pre>",
                "</pre>", "<li>", "<ol start=9>", "</ol>", "<br>", "&", ";", "&#", "x", "é", "\u{200c}", " ", "\n", "<script>", "</script>", "<img alt=",
            ]).prop_map(str::to_owned),
            "\\PC{0,6}",
        ], 0..80)) {
        let html = words.concat();
        let extracted = extract(&html);
        prop_assert!(extracted.visible.len() + extracted.hidden.len() <= 8 * html.len() + 64);
        prop_assert!(!extracted.visible.contains('\r'));
    }

    #[test]
    fn escaped_text_is_converted_back(text in "[a-z<>&\"';# ]{0,40}") {
        let mut html = String::new();
        push_escaped(&mut html, &text);
        let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        prop_assert_eq!(words(&to_text(&html)), words(&text));
    }
}
