//! Pages of lists: every list is rendered here, item by item, until its budget of bytes is used.

use posthouse_domain::page::Page;
use schemars::JsonSchema;
use serde::Serialize;

/// One page of a list.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "{T}Page")]
pub struct PageView<T> {
    /// Records of this page.
    pub data: Vec<T>,
    /// Value of `cursor` for the next page; null on the last page.
    pub next_cursor: Option<String>,
}

/// What precedes the items in the JSON of a page.
const HEAD: &[u8] = b"{\"data\":[";

/// The rendered items of a page.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RenderedPage {
    /// [`HEAD`] and the items as JSON, separated by commas.
    json: Vec<u8>,
    /// Where each item ends.
    ends: Vec<usize>,
    /// The cursor after the last item; `None` at the end of the list.
    pub next_cursor: Option<String>,
}

impl RenderedPage {
    /// Renders the items of a page until the next one would exceed `bytes_max`, but at least one.
    ///
    /// # Errors
    /// Returns an error if a view can't be serialized.
    pub fn of<'a, T, V: Serialize>(
        page: &'a Page<T>,
        bytes_max: u64,
        view: impl Fn(&'a T) -> V,
    ) -> Result<Self, serde_json::Error> {
        let bytes_max = usize::try_from(bytes_max).unwrap_or(usize::MAX);
        let (mut json, mut ends, mut count) = (HEAD.to_vec(), Vec::new(), 0);
        for row in page.rows() {
            if let Some(row) = row {
                let (before, is_first) = (json.len(), ends.is_empty());
                if !is_first {
                    json.push(b',');
                }
                serde_json::to_writer(&mut json, &view(row))?;
                if !is_first && json.len() - HEAD.len() > bytes_max {
                    json.truncate(before);
                    break;
                }
                ends.push(json.len());
            }
            count += 1;
        }
        Ok(Self { json, ends, next_cursor: page.cursor_after(count) })
    }

    /// Returns the response: the JSON of a [`PageView`].
    #[must_use]
    pub fn into_json(self) -> Vec<u8> {
        let cursor = self.next_cursor.map_or_else(|| "null".to_owned(), |cursor| format!("\"{cursor}\""));
        let mut json = self.json;
        json.extend_from_slice(format!("],\"next_cursor\":{cursor}}}").as_bytes());
        // An unread response holds its memory for a while.
        json.shrink_to_fit();
        json
    }

    /// Returns each item as JSON.
    pub fn items(&self) -> impl Iterator<Item = &str> {
        let begins = std::iter::once(HEAD.len()).chain(self.ends.iter().map(|end| end + 1));
        // Serialized JSON is UTF-8.
        begins.zip(&self.ends).map(|(begin, end)| std::str::from_utf8(&self.json[begin..*end]).unwrap_or_default())
    }

    /// Returns the number of items.
    #[must_use]
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Returns whether the page has no items.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use posthouse_domain::page::{CursorPosition, PageRequest};
    use uuid::Uuid;

    use super::*;

    fn page(rows: Vec<String>, limit: u32) -> Page<String> {
        let paging = PageRequest::new("list".to_owned(), None, limit).expect("no cursor");
        paging.page_of(rows, |row| CursorPosition { sort: row.len() as i64, id: Uuid::nil() })
    }

    #[test]
    fn a_rendered_page_is_the_json_of_its_view() {
        for count in 0..4 {
            let rows: Vec<String> = (0..count).map(|at| format!("item {at}")).collect();
            let page = page(rows.clone(), 2);
            let rendered = RenderedPage::of(&page, 1_000, |row| row).expect("text can be rendered");
            let data: Vec<&String> = rows.iter().take(2).collect();
            let view = PageView { data, next_cursor: page.cursor_after(2) };
            assert_eq!(rendered.len(), count.min(2));
            let items: Vec<String> = rows.iter().take(2).map(|row| format!("{row:?}")).collect();
            assert_eq!(rendered.items().collect::<Vec<_>>(), items);
            assert_eq!(rendered.into_json(), serde_json::to_vec(&view).expect("a view can be rendered"));
        }
    }

    #[test]
    fn a_page_ends_before_the_item_that_exceeds_its_bytes_and_has_at_least_one() {
        let page = page(vec!["x".repeat(98); 10], 10);
        // Each item has 100 bytes with its quotes, and a comma before it.
        for (bytes_max, items) in [(0, 1), (100, 1), (200, 1), (201, 2), (504, 5), (1_009, 10)] {
            let rendered = RenderedPage::of(&page, bytes_max, |row| row).expect("text can be rendered");
            assert_eq!(rendered.len(), items, "{bytes_max}");
            assert_eq!(rendered.next_cursor.is_some(), items < 10, "{bytes_max}");
        }
    }
}
