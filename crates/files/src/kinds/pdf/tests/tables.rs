//! Tables whose columns are close, and texts that only look like tables.

use std::fmt::Write;

use super::text_of;

/// How the cells of a column are aligned.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Align {
    Left,
    Right,
    Middle,
}

use Align::{Left, Middle, Right};

/// A column of a table.
#[derive(Clone, Copy)]
struct Column {
    align: Align,
    /// Its edge, or its middle, in units of the font size.
    at: f64,
}

/// Returns the width of a text whose letters are as wide as digits in Helvetica, in units of the font size.
fn width(text: &str) -> f64 {
    let of = |c: char| match c {
        ' ' | '.' | ',' | ':' => 0.278,
        '0'..='9' | 'a' | 'b' | 'd' | 'e' | 'g' | 'h' | 'n' | 'o' | 'p' | 'q' | 'u' => 0.556,
        other => panic!("the width of {other}"),
    };
    text.chars().map(of).sum()
}

/// Returns what draws a text.
pub(super) fn draw(text: &str, x: f64, y: f64, size: f64) -> String {
    format!("BT /F1 {size} Tf {x:.4} {y:.4} Td ({text}) Tj ET ")
}

/// Returns what draws the cells of a row.
fn row(cells: &[&str], columns: &[Column], y: f64, size: f64) -> String {
    let mut content = String::new();
    for (cell, column) in cells.iter().zip(columns).filter(|(cell, _)| !cell.is_empty()) {
        let before = match column.align {
            Left => 0.0,
            Right => width(cell),
            Middle => width(cell) / 2.0,
        };
        content.push_str(&draw(cell, 72.0 + (column.at - before) * size, y, size));
    }
    content
}

/// Returns the text of a table, after a paragraph.
fn table(rows: &[&[&str]], columns: &[Column], size: f64) -> String {
    let mut content = String::new();
    for (at, cells) in rows.iter().enumerate() {
        content.push_str(&row(cells, columns, 700.0 - at as f64 * size * 1.5, size));
    }
    text_of(&content)
}

fn expected(rows: &[&[&str]]) -> String {
    rows.iter().map(|cells| cells.join("\t").trim_end().to_owned()).collect::<Vec<_>>().join("\n")
}

const ROWS: [&[&str]; 5] = [
    &["bone huge", "9", "7.50", "67.50"],
    &["egg", "12", "0.25", "3.00"],
    &["a hen and a dog", "1", "120.00", "120.00"],
    &["heap", "100", "1.10", "110.00"],
    &["pond", "3", "2.20", "6.60"],
];

/// Columns with this much space between the widest cells.
fn columns(aligns: [Align; 4], gap: f64) -> Vec<Column> {
    let mut left = 0.0;
    let place = |(at, align): (usize, Align)| {
        let widest = ROWS.iter().map(|cells| width(cells[at])).fold(0.0, f64::max);
        let start = left;
        left += widest + gap;
        let offset = match align {
            Left => 0.0,
            Right => widest,
            Middle => widest / 2.0,
        };
        Column { align, at: start + offset }
    };
    aligns.into_iter().enumerate().map(place).collect()
}

#[test]
fn columns_that_are_close_are_separate() {
    let aligns = [
        [Left, Left, Left, Left],
        [Left, Right, Right, Right],
        [Left, Middle, Right, Right],
        [Left, Right, Left, Middle],
        [Middle, Middle, Middle, Middle],
    ];
    for aligns in aligns {
        for gap in [0.7, 0.9, 1.2, 1.7, 2.5] {
            for size in [7.0, 10.0, 12.0] {
                let found = table(&ROWS, &columns(aligns, gap), size);
                assert_eq!(found, expected(&ROWS), "{aligns:?} {gap} {size}");
            }
        }
    }
}

#[test]
fn an_empty_cell_keeps_the_others_in_their_columns() {
    let columns = columns([Left, Right, Right, Right], 1.2);
    for at in 0..ROWS.len() {
        for empty in 0..4 {
            let mut rows = ROWS.map(<[&str]>::to_vec);
            rows[at][empty] = "";
            let rows: Vec<&[&str]> = rows.iter().map(Vec::as_slice).collect();
            assert_eq!(table(&rows, &columns, 10.0), expected(&rows), "{at} {empty}");
        }
    }
    let total: [&[&str]; 6] = [ROWS[0], ROWS[1], ROWS[2], ROWS[3], ROWS[4], &["", "", "", "307.10"]];
    assert_eq!(table(&total, &columns, 10.0), expected(&total));
}

/// The label of a total may need more than its column.
#[test]
fn a_cell_that_is_wider_than_its_column_stays_in_it() {
    for gap in [0.7, 1.2, 2.0] {
        let columns = columns([Left, Right, Right, Right], gap);
        for label in ["e:", "bandage", "bone pond"] {
            let rows: [&[&str]; 6] = [ROWS[0], ROWS[1], ROWS[2], ROWS[3], ROWS[4], &["", "", label, "307.10"]];
            assert_eq!(table(&rows, &columns, 10.0), expected(&rows), "{gap} {label}");
        }
    }
}

#[test]
fn a_total_that_fills_its_column_is_a_cell() {
    let rows: [&[&str]; 5] = [
        &["bone", "7.50", "67.50"],
        &["egg", "0.25", "3.00"],
        &["hen", "1.10", "2.20"],
        &["pond", "3.00", "9.90"],
        &["hoop", "11111111.50", "66666666.50"],
    ];
    let columns =
        [Column { align: Left, at: 0.0 }, Column { align: Right, at: 8.6 }, Column { align: Right, at: 14.8 }];
    assert_eq!(table(&rows, &columns, 10.0), expected(&rows));
}

#[test]
fn two_rows_are_enough_where_the_gap_is_wide() {
    let rows: [&[&str]; 2] = [&["bob", "1.20"], &["eden egan", "7.50"]];
    for (gap, are_cells) in [(0.5, false), (0.8, false), (1.0, true), (1.4, true)] {
        for align in [Left, Right] {
            let before = if align == Right { width(rows[1][1]) } else { 0.0 };
            let columns = [Column { align: Left, at: 0.0 }, Column { align, at: width(rows[1][0]) + gap + before }];
            let found = table(&rows, &columns, 10.0);
            assert_eq!(found.ends_with("eden egan\t7.50"), are_cells, "{gap} {align:?}: {found}");
        }
    }
}

/// Returns the lines of a paragraph, each as wide as the column.
fn justified(words: &[&str], columns: f64, seed: usize) -> (String, String) {
    let (mut content, mut text) = (String::new(), String::new());
    let mut next = seed;
    for line in 0..12 {
        let mut of_line: Vec<&str> = Vec::new();
        while of_line.iter().map(|word| width(word) + 0.278).sum::<f64>() < columns - 3.0 {
            next = (next * 7 + 3) % 1009;
            of_line.push(words[next % words.len()]);
        }
        let free = columns - of_line.iter().map(|word| width(word)).sum::<f64>();
        // A wider gap is one between cells whatever is above it.
        let gap = (free / (of_line.len() - 1) as f64).clamp(0.3, 1.7);
        let mut x = 0.0;
        for word in &of_line {
            content.push_str(&draw(word, 72.0 + x * 10.0, 700.0 - f64::from(line) * 12.0, 10.0));
            x += width(word) + gap;
        }
        let _ = writeln!(text, "{}", of_line.join(" "));
    }
    (content, text.trim_end().to_owned())
}

#[test]
fn justified_text_has_no_columns() {
    let words = ["a", "on", "hen", "dog", "bone", "eden", "bandagebone", "bandage", "and", "100", "2"];
    for columns in [20, 24, 28, 34, 40] {
        for seed in 0..20 {
            let (content, text) = justified(&words, f64::from(columns), seed);
            let wide_gaps_apart = |text: &str| text.replace('\t', " ");
            let found = text_of(&content);
            assert_eq!(wide_gaps_apart(&found), text, "{columns} {seed}");
            let tabs = found.matches('\t').count();
            assert_eq!(tabs, 0, "{columns} {seed}: {found}");
        }
    }
}

#[test]
fn labels_of_a_list_are_no_column() {
    let labels = [
        ["1.", "2.", "3.", "4."],
        ["a)", "b)", "d)", "e)"],
        ["\\(i\\)", "\\(u\\)", "\\(o\\)", "\\(a\\)"],
        ["-", "-", "-", "-"],
        ["1", "2", "3", "4"],
    ];
    let texts = ["bone and egg", "a hen", "huge dog and hen", "eden"];
    for labels in labels {
        for gap in [0.3, 0.4, 0.45] {
            let mut content = String::new();
            for (at, (label, text)) in labels.iter().zip(texts).enumerate() {
                let y = 700.0 - at as f64 * 14.0;
                content.push_str(&draw(label, 72.0, y, 10.0));
                content.push_str(&draw(text, 72.0 + (1.3 + gap) * 10.0, y, 10.0));
            }
            assert_eq!(text_of(&content).matches('\t').count(), 0, "{labels:?} {gap}");
        }
    }
}

#[test]
fn a_number_of_a_row_is_a_column() {
    let rows: [&[&str]; 3] = [&["1", "bone", "7.50"], &["2", "egg", "0.25"], &["3", "hen and dog", "12.00"]];
    let columns = [Column { align: Left, at: 0.0 }, Column { align: Left, at: 1.5 }, Column { align: Right, at: 12.0 }];
    assert_eq!(table(&rows, &columns, 10.0), expected(&rows));
}

#[test]
fn words_of_a_font_with_one_width_are_no_columns() {
    let lines = ["let a = 1;", "let b = 2;", "let c = 3;", "let d = 4;"];
    let mut content = "BT /F3 10 Tf 72 700 Td 12 TL ".to_owned();
    lines.iter().for_each(|line| {
        let _ = write!(content, "({line}) Tj T* ");
    });
    assert_eq!(text_of(&format!("{content} ET")), lines.join("\n"));
}

#[test]
fn leaders_lead_to_one_cell() {
    let mut content = String::new();
    for (at, (title, page)) in [("bone", "1"), ("a huge hen", "12"), ("eden", "120")].into_iter().enumerate() {
        let y = 700.0 - at as f64 * 14.0;
        content.push_str(&draw(title, 72.0, y, 10.0));
        let mut x = width(title) + 1.0;
        while x < 20.0 {
            content.push_str(&draw(".", 72.0 + x * 10.0, y, 10.0));
            x += 0.8;
        }
        content.push_str(&draw(page, 72.0 + (22.5 - width(page)) * 10.0, y, 10.0));
    }
    for line in text_of(&content).lines() {
        assert_eq!(line.matches('\t').count(), 1, "{line}");
        assert!(line.split('\t').next_back().is_some_and(|page| page.chars().all(|c| c.is_ascii_digit())), "{line}");
    }
}

/// The first column of a table in Hebrew is at the right.
#[test]
fn a_table_in_hebrew_is_read_from_the_right() {
    let mut content = String::new();
    for (at, (sum, name)) in [("12.50", "CBA"), ("7.25", "GFED"), ("120.00", "IH")].into_iter().enumerate() {
        let y = 700.0 - at as f64 * 14.0;
        content.push_str(&draw(sum, 72.0 + (3.5 - width(sum)) * 10.0, y, 10.0));
        let _ = write!(content, "BT /F2 10 Tf 130 {y} Td ({name}) Tj ET ");
    }
    let lines = ["ABC\t12.50", "DEFG\t7.25", "HI\t120.00"].map(super::hebrew);
    assert_eq!(text_of(&content), lines.join("\n"));
}

#[test]
fn a_page_with_many_gaps_costs_little() {
    let mut content = String::new();
    for line in 0..400 {
        let _ = write!(content, "BT /F1 4 Tf 10 {} Td ", 840 - line * 2);
        (0..200).for_each(|_| content.push_str("(a) Tj 2.9 0 Td "));
        content.push_str("ET ");
    }
    assert_eq!(text_of(&content).matches('a').count(), 80_000);
}
