//! Tables whose cells have several lines, and texts beside each other that are no tables.

use super::{tables::draw, text_of};

/// Where the lines of a cell are in their row.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Vertical {
    Top,
    Middle,
    Bottom,
}

/// The left edges of columns, in units of the font size.
const COLUMNS: [f64; 4] = [0.0, 4.0, 16.0, 22.0];

/// Returns what draws a table cell by cell, as programs do.
fn table(rows: &[[&[&str]; 4]], vertical: Vertical, size: f64) -> String {
    let (mut content, mut y) = (String::new(), 760.0);
    for row in rows {
        let lines = row.iter().map(|cell| cell.len()).max().unwrap_or(1);
        for (cell, column) in row.iter().zip(COLUMNS) {
            let free = (lines - cell.len()) as f64;
            let down = match vertical {
                Vertical::Top => 0.0,
                Vertical::Middle => free / 2.0,
                Vertical::Bottom => free,
            };
            for (at, line) in cell.iter().enumerate() {
                content.push_str(&draw(line, 72.0 + column * size, y - (down + at as f64) * size * 1.2, size));
            }
        }
        y -= (lines as f64 * 1.2 + 0.8) * size;
    }
    content
}

fn expected(rows: &[[&[&str]; 4]]) -> String {
    let row =
        |row: &[&[&str]; 4]| row.iter().map(|cell| cell.join(" ")).collect::<Vec<_>>().join("\t").trim_end().to_owned();
    rows.iter().map(row).collect::<Vec<_>>().join("\n")
}

#[test]
fn the_lines_of_a_cell_are_one_cell() {
    let rows: [[&[&str]; 4]; 5] = [
        [&["no"], &["name"], &["one"], &["sum"]],
        [&["1"], &["huge bone and", "a dog and a hen", "on a pond"], &["egg"], &["7.50"]],
        [&["2"], &["hen"], &["egg"], &["0.25"]],
        [&["10"], &["bone and bone", "egg"], &["gap and", "hedge"], &["120.00"]],
        [&["11"], &["a huge pond", "gone"], &["do"], &["3.00"]],
    ];
    for vertical in [Vertical::Top, Vertical::Middle, Vertical::Bottom] {
        for size in [7.0, 10.0, 12.0] {
            for from in 0..3 {
                let rows = &rows[from..];
                assert_eq!(text_of(&table(rows, vertical, size)), expected(rows), "{vertical:?} {size} {from}");
            }
        }
    }
}

#[test]
fn a_last_cell_with_several_lines_is_one_cell() {
    let rows: [[&[&str]; 4]; 3] = [
        [&["no"], &["a"], &["be"], &["added"]],
        [&["1"], &["hen"], &["egg"], &["bone and", "pond and", "hen"]],
        [&["2"], &["dog"], &["gap"], &["do"]],
    ];
    assert_eq!(text_of(&table(&rows, Vertical::Top, 10.0)), expected(&rows));
}

/// Two columns of a page, each drawn after the other.
#[test]
fn columns_of_a_page_stay_apart() {
    for lines in [2, 5, 12, 40] {
        let mut content = String::new();
        for column in [0.0, 22.0] {
            for line in 0..lines {
                content.push_str(&draw(
                    "bone and egg and a huge hen",
                    40.0 + column * 10.0,
                    800.0 - f64::from(line) * 12.0,
                    10.0,
                ));
            }
        }
        let text = text_of(&content);
        assert_eq!((text.lines().count(), text.contains('\t')), (lines as usize * 2, false), "{text}");
    }
}

/// The address of a customer beside the date and the number.
#[test]
fn texts_beside_each_other_without_a_table_keep_their_lines() {
    let mut content = String::new();
    for (x, lines) in [(0.0, &["bob", "hedge and egg", "10100 pond"][..]), (30.0, &["on 10.10.2010"][..])] {
        for (at, line) in lines.iter().enumerate() {
            content.push_str(&draw(line, 72.0 + x * 10.0, 780.0 - at as f64 * 12.0, 10.0));
        }
    }
    content.push_str(&draw("a bone", 72.0, 700.0, 10.0));
    assert_eq!(text_of(&content), "bob\nhedge and egg\n10100 pond\non 10.10.2010\na bone");
}

#[test]
fn entries_of_a_list_keep_their_lines() {
    for label in ["-", "1.", "a)"] {
        let mut content = String::new();
        for entry in 0..4 {
            let y = 780.0 - f64::from(entry) * 40.0;
            content.push_str(&draw(label.replace(')', "\\)").as_str(), 72.0, y, 10.0));
            content.push_str(&draw("a huge hen and", 92.0, y, 10.0));
            content.push_str(&draw("a bone", 92.0, y - 12.0, 10.0));
        }
        assert_eq!(text_of(&content).lines().filter(|line| *line == "a bone").count(), 4, "{label}");
    }
}

/// A part of a line is below a cell, and the next one is where the cell above it is wider.
#[test]
fn no_part_of_a_line_is_lost() {
    for x in [6.0, 8.0, 10.0, 14.0, 20.0] {
        for gap in [12.0, 15.0, 17.0] {
            let mut content = String::new();
            for row in 0..3 {
                let y = 780.0 - f64::from(row) * 60.0;
                content.push_str(&draw("1", 72.0, y, 10.0));
                content.push_str(&draw("a huge hen and a dog", 102.0, y, 10.0));
                content.push_str(&draw("a", 102.0, y - gap, 10.0));
                content.push_str(&draw("bone", 102.0 + x * 10.0, y - gap, 10.0));
                content.push_str(&draw("egg", 292.0, y, 10.0));
            }
            let text = text_of(&content);
            for word in ["1", "hen", "bone", "egg"] {
                assert_eq!(
                    text.split_whitespace().filter(|found| *found == word).count(),
                    3,
                    "{word} {x} {gap}: {text}"
                );
            }
        }
    }
}

#[test]
fn a_line_of_many_cells_costs_little() {
    let mut content = "BT /F1 1 Tf 10 700 Td ".to_owned();
    (0..100_000).for_each(|_| content.push_str("(a) Tj 3 0 Td "));
    assert_eq!(text_of(&format!("{content} ET")).matches('a').count(), 100_000);
}

#[test]
fn many_rows_cost_little() {
    let row: [&[&str]; 4] = [&["1"], &["hen and", "egg"], &["a"], &["7.50"]];
    let rows = vec![row; 20];
    let content: String = (0..100).map(|_| table(&rows, Vertical::Top, 1.0)).collect();
    assert!(text_of(&content).contains("1\then and egg\ta\t7.50"));
}
