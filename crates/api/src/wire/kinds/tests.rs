//! Tables of values that bodies refuse.

use super::*;

#[test]
fn text_allows_only_tabs_and_breaks_as_control_characters() {
    assert_eq!(check_text("a\tb\r\nc\u{c}d\u{85}e", 1, 100), Ok(()));
    for control in ['\0', '\u{b}', '\u{1b}', '\u{7f}', '\u{80}'] {
        let problem = format!("must not contain the control character U+{:04X}", u32::from(control));
        assert_eq!(check_text(&format!("a{control}"), 1, 100), Err(problem));
    }
    assert!(check_line("a\u{c}", 1, 100).is_err());
}
