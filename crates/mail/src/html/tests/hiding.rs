//! Text that an element inside shows again, or that nothing can show again.

use crate::{
    extract::new_text,
    html::to_text,
    verification::{VerificationInput, detect},
};

/// Returns whether the readers of text, replies and codes see the text of an element inside another one.
fn readers(outer: &str, inner: &str) -> [bool; 3] {
    let text = format!(
        "<p>Hello</p><table><tr><td {outer}> <div {inner}>Your verification code is 482913.</div> </td></tr></table><p>Bye</p>"
    );
    let spans =
        format!("<p>Hello</p><div {outer}><span {inner}>Your verification code is 482913.</span></div><p>Bye</p>");
    let mut all = [text, spans].map(|html| {
        let visible = to_text(&html);
        assert!(visible.contains("Hello") && visible.contains("Bye"), "{html}");
        let reply = new_text(None, Some(&html)).expect("text").text;
        assert!(reply.contains("Hello") && reply.contains("Bye"), "{html} {reply}");
        let input = VerificationInput { subject: "Acme", html: Some(&html), ..VerificationInput::default() };
        let code = detect(&input).and_then(|found| found.code);
        [visible.contains("482913"), reply.contains("482913"), code.as_deref() == Some("482913")]
    });
    all.sort_unstable();
    assert_eq!(all[0], all[1], "{outer} {inner}");
    all[0]
}

fn check(outer: &[&str], inner: &[&str], is_shown: bool) -> usize {
    for outer in outer {
        for inner in inner {
            let (outer, inner) = (format!("style='{outer}'"), format!("style='{inner}'"));
            assert_eq!(readers(&outer, &inner), [is_shown; 3], "{outer} {inner}");
        }
    }
    outer.len() * inner.len()
}

const TINY: [&str; 14] = [
    "font-size:0",
    "font-size:0px",
    "font-size: 0pt",
    "font-size:0em",
    "font-size:0rem;padding:20px 0",
    "font-size:0%",
    "font-size:1px",
    "font-size:0 !important",
    "font:0/0 a",
    "font: 0 / 0 Arial",
    "font:italic bold 0px/20px Arial, sans-serif",
    "font: 400 0 Arial",
    "direction:ltr;font-size:0px;padding:20px 0;text-align:center",
    "line-height:0;font-size:0",
];

#[test]
fn letters_of_an_own_size_are_shown_in_wrappers_without_size() {
    const SIZES: [&str; 18] = [
        "font-size:13px",
        "font-size:10pt",
        "font-size: 1rem",
        "font-size:4vw",
        "font-size:0.5cm",
        "font-size:medium",
        "font-size:x-large",
        "FONT-SIZE : SMALL",
        "font-size:initial",
        "font-size:calc(1px + 1rem)",
        "font:14px/20px Arial",
        "font:bold 14px Arial",
        "font: italic small-caps 400 1rem/1.5 \"Open Sans\", sans-serif",
        "font:600 12pt Arial",
        "font:large serif",
        "font:menu",
        "font-size:0;font-size:16px",
        "font-family:Ubuntu, Helvetica, Arial, sans-serif;font-size:13px;line-height:1;text-align:left;color:#000000",
    ];
    let shown = check(&TINY, &SIZES, true);
    for outer in TINY {
        for size in ["3", "+1", "5"] {
            let html = format!("<div style='{outer}'><font size={size}>Shown</font></div>");
            assert_eq!(to_text(&html), "Shown", "{html}");
        }
    }
    assert!(shown >= 200);
}

#[test]
fn sizes_that_depend_on_none_stay_none() {
    const RELATIVE: [&str; 14] = [
        "font-size:2em",
        "font-size:100%",
        "font-size: 150 %",
        "font-size:2ex",
        "font-size:1ch",
        "font-size:larger",
        "font-size:smaller",
        "font-size:inherit",
        "font-size:unset",
        "font:inherit",
        "font-weight:bold",
        "font:bold 2em Arial",
        "font-size:0px",
        "color:red;line-height:20px",
    ];
    assert!(check(&TINY, &RELATIVE, false) >= 150);
}

#[test]
fn visibility_color_lines_and_the_mark_of_outlook_are_undone() {
    let pairs: [(&[&str], &[&str]); 4] = [
        (
            &["visibility:hidden", "visibility:collapse", "VISIBILITY: hidden !important"],
            &["visibility:visible", "visibility: initial", "visibility:visible;color:red"],
        ),
        (
            &["color:#fff;background:#fff", "color:white;background-color:#ffffff", "background:#abc;color:#aabbcc"],
            &["color:#333", "color:rgb(0, 0, 0)", "background:#0055ff;padding:10px", "color:#123456;font-size:12px"],
        ),
        (
            &["line-height:0;overflow:hidden", "font:14px/0 Arial;overflow:hidden"],
            &["line-height:20px", "line-height:1.5", "line-height:normal", "font:14px Arial", "font:14px/20px Arial"],
        ),
        (&["mso-hide:all", "mso-hide: all"], &["mso-hide:none", "mso-hide: screen"]),
    ];
    let mut undone = 0;
    for (outer, inner) in pairs {
        undone += check(outer, inner, true);
        // What another property decides doesn't undo it.
        let others: Vec<&str> = pairs.iter().filter(|(other, _)| *other != outer).map(|(_, inner)| inner[0]).collect();
        let others: Vec<&str> = others.into_iter().filter(|other| !other.contains("color")).collect();
        undone += check(outer, &others, false);
    }
    let transparent = ["color:transparent", "color: transparent;background:#fff"];
    undone += check(&transparent, &["color:#333", "color:white;background:blue"], true);
    undone += check(&transparent, &["background:#0055ff", "color:transparent;background:blue"], false);
    undone += check(&["color:#fff;background:#fff"], &["color:#FFFFFF", "color:white;font-size:20px"], false);
    assert!(undone >= 50);
}

#[test]
fn lines_without_height_are_only_hidden_where_they_are_cut() {
    let shown = check(&["line-height:0", "line-height:0px;margin:0", "font:14px/0 Arial"], &["color:red", ""], true);
    let hidden =
        check(&["line-height:0;overflow:hidden", "overflow:hidden;line-height:0px"], &["color:red", ""], false);
    assert_eq!(shown + hidden, 10);
}

#[test]
fn nothing_inside_undoes_the_other_properties() {
    const REMOVING: [&str; 14] = [
        "display:none",
        "opacity:0",
        "max-height:0",
        "max-width:0",
        "height:0;overflow:hidden",
        "position:absolute;left:-9999px",
        "text-indent:-9999px",
        "transform:scale(0)",
        "zoom:0",
        "scale:0",
        "clip-path:circle(0)",
        "clip:rect(0,0,0,0)",
        "display:none;font-size:0",
        "opacity:0;visibility:hidden",
    ];
    const INNER: [&str; 5] = [
        "display:block",
        "opacity:1;visibility:visible",
        "font-size:14px;line-height:20px",
        "color:#333;background:#fff;mso-hide:none",
        "max-height:none;height:100px;overflow:visible",
    ];
    assert!(check(&REMOVING, &INNER, false) >= 50);
}

#[test]
fn nested_wrappers_of_builders_show_their_text_links_and_images() {
    let wrapper = "<table style='width:100%'><tbody><tr><td style='direction:ltr;font-size:0px;padding:20px 0'>\
        <div class='mj-column-per-100' style='font-size:0px;text-align:left;display:inline-block'>\
        <table><tr><td style='font-size:0px;padding:10px 25px'>";
    let end = "</td></tr></table></div></td></tr></tbody></table>";
    let text = "<div style='font-size:13px'>Hello</div>";
    let button = "<a href='https://a.example/go'><span style='font-size:13px'>Go</span></a>";
    let empty = "<a href='https://a.example/no'> </a>";
    let image = "<a href='https://a.example/img'><img alt='Logo' style='font-size:13px' src=x></a>";
    for depth in 1..=6 {
        let html = format!("{}{text}{button}{empty}{image}{}<p>Bye</p>", wrapper.repeat(depth), end.repeat(depth));
        let visible = to_text(&html);
        assert_eq!(
            visible.split_whitespace().collect::<Vec<_>>(),
            ["Hello", "Go", "<https://a.example/go>", "Logo", "<https://a.example/img>", "Bye"],
            "{html}"
        );
        let reply = new_text(None, Some(&html)).expect("text").text;
        assert!(reply.contains("Hello") && reply.contains("Go") && reply.contains("Bye"), "{html} {reply}");
    }
    let list = "<ul style='font-size:0'><li style='font-size:14px'>One</li><li style='font-size:14px'>Two</li></ul>";
    assert_eq!(to_text(list), "- One\n- Two");
    let columns = "<div style='font-size:0'><a style='font-size:9px'>One</a> <b style='font-size:9px'>Two</b></div>";
    assert_eq!(to_text(columns), "One Two");
}

#[test]
fn hidden_rulers_and_links_leave_nothing() {
    let hidden = "<div style='visibility:hidden'><hr><a href='https://a.example'>No</a><img alt=No></div>";
    assert_eq!(to_text(&format!("<p>Hello</p>{hidden}<p>Bye</p>")), "Hello\n\nBye");
}
