//! Tables for people: columns as wide as their content, shortened to the width of the terminal.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use super::visible::{Lines, visible};

/// Blanks between two columns.
const GAP: usize = 2;
/// The least width of a column that is shortened.
const COLUMN_WIDTH_MIN: usize = 8;

/// The longest address that is never shortened.
const ADDRESS_WIDTH_MAX: usize = 40;
/// Blanks before a cell that has a line of its own.
const INDENT: usize = 4;

/// Returns the lines of a table, the head first. `width` is that of the terminal, or `None` for no limit.
///
/// If the columns don't fit, the last one goes to a line of its own below each row if its cells must be whole: the
/// terminal would break every line somewhere else.
pub(crate) fn lines(titles: &[String], rows: &[Vec<String>], width: Option<usize>) -> Vec<String> {
    let clean = |cells: &[String]| cells.iter().map(|cell| visible(cell, Lines::One)).collect::<Vec<_>>();
    let all: Vec<Vec<String>> = std::iter::once(clean(titles)).chain(rows.iter().map(|row| clean(row))).collect();
    let Some(width) = width else {
        let widths = natural_widths(&all, titles.len());
        return all.iter().map(|row| line(row, &widths)).collect();
    };
    let is_whole = |column: &usize| rows.iter().filter_map(|row| row.get(*column)).any(|cell| is_key(cell));
    let columns = titles.len();
    let widths = fitted(&all, columns, is_whole, width);
    if total(&widths) <= width || columns < 2 || !is_whole(&(columns - 1)) {
        return all.iter().map(|row| line(row, &widths)).collect();
    }
    let widths = fitted(&all, columns - 1, is_whole, width);
    let rows = all.iter().flat_map(|row| {
        let last = row.last().map_or("", String::as_str);
        [line(row, &widths), format!("{:INDENT$}{last}", "")]
    });
    rows.collect()
}

/// Returns the width of a table whose cells are all whole.
pub(crate) fn natural_width(titles: &[String], rows: &[Vec<String>]) -> usize {
    let clean = |cells: &[String]| cells.iter().map(|cell| visible(cell, Lines::One)).collect::<Vec<_>>();
    let all: Vec<Vec<String>> = std::iter::once(clean(titles)).chain(rows.iter().map(|row| clean(row))).collect();
    total(&natural_widths(&all, titles.len()))
}

fn natural_widths(all: &[Vec<String>], columns: usize) -> Vec<usize> {
    let natural = |column: usize| all.iter().filter_map(|row| row.get(column)).map(|cell| cell.width()).max();
    (0..columns).map(|column| natural(column).unwrap_or(0)).collect()
}

/// Returns the widths of the first columns, as narrow as the terminal wants and the cells allow.
fn fitted(all: &[Vec<String>], columns: usize, is_whole: impl Fn(&usize) -> bool, width: usize) -> Vec<usize> {
    let mut widths = natural_widths(all, columns);
    let whole: Vec<usize> = (0..columns).filter(is_whole).collect();
    shrink(&mut widths, &whole, width);
    widths
}

/// Returns the width of a line with columns of these widths.
fn total(widths: &[usize]) -> usize {
    widths.iter().sum::<usize>() + GAP * widths.len().saturating_sub(1)
}

/// Returns whether a cell is of no use unless it is whole: an id, a time or an address that isn't too long.
fn is_key(cell: &str) -> bool {
    if cell.len() <= ADDRESS_WIDTH_MAX && cell.contains('@') && !cell.contains([' ', ',']) {
        return true;
    }
    let marks = |at: &[usize], mark: u8| at.iter().all(|at| cell.as_bytes().get(*at) == Some(&mark));
    (cell.len() == 36 && marks(&[8, 13, 18, 23], b'-'))
        || (cell.len() == 20 && marks(&[4, 7], b'-') && marks(&[19], b'Z'))
}

/// Narrows the widest columns until the table fits, except those that must be whole.
fn shrink(widths: &mut [usize], whole: &[usize], width: usize) {
    while total(widths) > width {
        let others = widths.iter_mut().enumerate().filter(|(column, _)| !whole.contains(column));
        let Some((_, widest)) = others.max_by_key(|(_, width)| **width) else { return };
        if *widest <= COLUMN_WIDTH_MIN {
            return;
        }
        *widest -= 1;
    }
}

fn line(cells: &[String], widths: &[usize]) -> String {
    let mut out = String::new();
    for (at, (cell, width)) in cells.iter().zip(widths).enumerate() {
        let shown = fit(cell, *width);
        let blanks = width.saturating_sub(shown.width()) + GAP;
        out.push_str(&shown);
        if at + 1 < cells.len() {
            out.push_str(&" ".repeat(blanks));
        }
    }
    out.truncate(out.trim_end().len());
    out
}

/// Shortens a text to a width, with an ellipsis.
fn fit(text: &str, width: usize) -> String {
    if text.width() <= width {
        return text.to_owned();
    }
    let mut shown = String::new();
    let mut used = 1;
    for character in text.chars() {
        used += character.width().unwrap_or(0);
        if used > width {
            break;
        }
        shown.push(character);
    }
    shown + "…"
}

/// Breaks a text between words into lines of at most this width; a longer word has a line of its own.
pub(crate) fn wrap_words(text: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split(' ') {
        match lines.last_mut() {
            Some(line) if line.width() + 1 + word.width() <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

/// Breaks a text into lines of at most this width, so that the terminal breaks none itself.
pub(crate) fn wrap(line: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    let mut used = 0;
    for character in line.chars() {
        let cells = if character == '\t' { 8 - used % 8 } else { character.width().unwrap_or(0) };
        if used + cells > width.max(2) {
            lines.push(String::new());
            used = 0;
        }
        // A tab would count from the edge of the terminal.
        let last = lines.last_mut().expect("there is always a line");
        if character == '\t' {
            last.push_str(&" ".repeat(cells));
        } else {
            last.push(character);
        }
        used += cells;
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cells(row: &[&str]) -> Vec<String> {
        row.iter().map(|cell| (*cell).to_owned()).collect()
    }

    #[test]
    fn columns_are_aligned_by_the_width_that_a_terminal_shows() {
        let rows = [cells(&["日本", "b"]), cells(&["a", "long text"])];
        assert_eq!(lines(&cells(&["NAME", "TEXT"]), &rows, None), ["NAME  TEXT", "日本  b", "a     long text"]);
    }

    #[test]
    fn wide_columns_are_shortened_and_controls_are_visible() {
        let rows = [cells(&["id-1", "a very long subject \u{1b}[31m"])];
        let table = lines(&cells(&["ID", "SUBJECT"]), &rows, Some(20));
        assert_eq!(table[1], "id-1  a very long s…");
        let id = "01890a5d-ac96-774b-bcce-b302099a8057";
        let table = lines(&cells(&["ID", "SUBJECT"]), &[cells(&[id, "a very long subject"])], Some(50));
        assert_eq!(table[1], format!("{id}  a very long…"), "an id stays whole");
        assert!(lines(&cells(&["ID"]), &[cells(&["a\u{1b}b\nc"])], None)[1].ends_with("a\\x1bb\\nc"));
    }

    #[test]
    fn an_id_that_does_not_fit_has_a_line_of_its_own() {
        let id = "01890a5d-ac96-774b-bcce-b302099a8057";
        let row = cells(&["2026-01-01 00:00:00Z", "mail.agents.example.com", "verified", id]);
        let table = lines(&cells(&["CHECKED", "DOMAIN", "STATUS", "ID"]), &[row], Some(60));
        let wanted = [
            "CHECKED               DOMAIN                   STATUS",
            "    ID",
            "2026-01-01 00:00:00Z  mail.agents.example.com  verified",
            "    01890a5d-ac96-774b-bcce-b302099a8057",
        ];
        assert_eq!(table, wanted);
        assert!(table.iter().all(|line| line.width() <= 60), "{table:?}");
    }

    #[test]
    fn lines_break_at_the_width() {
        assert_eq!(wrap("abcdef", 4), ["abcd", "ef"]);
        assert_eq!(wrap("日本語", 4), ["日本", "語"]);
        assert_eq!(wrap("", 4), [""]);
        assert_eq!(wrap("a\tb", 20), ["a       b"]);
    }

    #[test]
    fn addresses_stay_whole() {
        let titles = ["ADDRESS", "NAME", "STATUS", "ID"].map(str::to_owned);
        let id = "01890a5d-ac96-774b-bcce-b302099a8057";
        let row = ["support@agents.example", "Support of every customer", "active", id].map(str::to_owned);
        let shown = lines(&titles, &[row.to_vec()], Some(80));
        assert!(shown.iter().any(|line| line.contains("support@agents.example")), "{shown:?}");
        assert!(shown.iter().all(|line| line.width() <= 80), "{shown:?}");
    }

    #[test]
    fn words_stay_whole() {
        assert_eq!(wrap_words("one two three", 7), ["one two", "three"]);
        assert_eq!(wrap_words("immeasurable x", 5), ["immeasurable", "x"]);
        assert_eq!(wrap_words("", 5), [""]);
    }
}
