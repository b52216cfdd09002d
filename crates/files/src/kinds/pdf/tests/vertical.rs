//! Lines that run down, as in Japanese.

use super::text_of;

fn chinese(text: &str) -> String {
    let letter = |c: char| char::from_u32(0x4e00 + u32::from(c) - u32::from('A')).unwrap_or(c);
    text.chars().map(|c| if c.is_ascii_uppercase() { letter(c) } else { c }).collect()
}

/// Returns what draws a line that runs down from a place. Latin words are turned.
fn column(text: &str, x: f64, mut y: f64, size: f64, pitch: f64) -> String {
    let (mut content, mut rest) = (String::new(), text);
    while let Some(first) = rest.chars().next() {
        let words = rest.chars().take_while(|c| !c.is_ascii_uppercase()).count();
        if words == 0 {
            content.push_str(&format!("BT /F4 {size} Tf {x} {} Td ({first}) Tj ET ", y - size * 0.88));
            (rest, y) = (&rest[1..], y - size * pitch);
        } else {
            let word = &rest[..words];
            content.push_str(&format!("BT /F4 {size} Tf 0 -1 1 0 {} {y} Tm ({word}) Tj ET ", x + size * 0.2));
            // The digits of Helvetica.
            (rest, y) = (&rest[words..], y - size * 0.556 * words as f64);
        }
    }
    content
}

#[test]
fn lines_that_run_down_are_lines() {
    let columns = [
        ["ABCDEFG", "HIJKLM", "NOP"],
        ["AB2026CD", "1234ABC", "A12B34C5"],
        ["A2026", "2026", "AB"],
        ["ABCDEF", "A", "BCD"],
    ];
    for columns in columns {
        for size in [8.0, 10.5, 14.0] {
            for pitch in [1.0, 1.1, 1.25] {
                let draw =
                    |(at, text): (usize, &&str)| column(text, 500.0 - at as f64 * size * 1.8, 780.0, size, pitch);
                let content: String = columns.iter().enumerate().map(draw).collect();
                assert_eq!(text_of(&content), chinese(&columns.join("\n")), "{size} {pitch}");
            }
        }
    }
}

/// Lines from left to right whose first letters are below each other.
#[test]
fn lines_from_left_to_right_stay_lines() {
    for pitch in [1.0, 1.2, 1.5] {
        let lines = ["ABC", "DE", "FGHI"];
        let draw = |(at, line): (usize, &&str)| {
            format!("BT /F4 10 Tf 72 {} Td ({line}) Tj ET ", 700.0 - at as f64 * 10.0 * pitch)
        };
        let content: String = lines.iter().enumerate().map(draw).collect();
        assert_eq!(text_of(&content), chinese(&lines.join("\n")), "{pitch}");
    }
    // Rows of a table, which are further apart.
    let content: String = (0..4).map(|at| format!("BT /F4 10 Tf 72 {} Td (A) Tj ET ", 700 - at * 16)).collect();
    assert_eq!(text_of(&content), chinese("A\nA\nA\nA"));
    // Latin letters below each other.
    let content: String = (0..4).map(|at| format!("BT /F1 10 Tf 72 {} Td (a) Tj ET ", 700 - at * 11)).collect();
    assert_eq!(text_of(&content), "a\na\na\na");
}
