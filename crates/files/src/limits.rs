//! Bounds of what is read from one file. A file beyond them is cut or refused.

/// Bytes of a file.
pub const INPUT_BYTES_MAX: usize = 32 * 1024 * 1024;
/// Characters of the text of a file. The rest is left out.
pub const CHARS_MAX: usize = 2_000_000;
/// Pages of a file. The rest is left out.
pub const PAGES_MAX: usize = 2_000;
/// Entries of an archive.
pub const ARCHIVE_ENTRIES_MAX: usize = 10_000;
/// Unpacked bytes of one entry of an archive.
pub const ENTRY_BYTES_MAX: u64 = 48 * 1024 * 1024;
/// Unpacked bytes of all entries of an archive that are read.
pub const ARCHIVE_BYTES_MAX: u64 = 96 * 1024 * 1024;
/// Nesting of XML elements.
pub const XML_DEPTH_MAX: usize = 256;
/// Cells of one row of a table.
pub const ROW_CELLS_MAX: usize = 1_024;
/// Repetitions of a cell or a row that a table states once.
pub const REPEATS_MAX: usize = 100;
/// Bytes of all shared strings of a workbook.
pub const SHARED_STRINGS_BYTES_MAX: usize = 32 * 1024 * 1024;
/// Levels of mail inside of mail.
pub const MAIL_DEPTH_MAX: usize = 3;
/// Nesting of groups of RTF.
pub const RTF_DEPTH_MAX: usize = 256;
/// Glyphs of one page.
pub const PAGE_GLYPHS_MAX: usize = 200_000;
/// Forms that one page draws, each time that it draws them.
pub const PAGE_FORMS_MAX: usize = 10_000;
/// Pages that are rasterized for OCR.
pub const OCR_PAGES_MAX: usize = 20;
/// Pixels of one rasterized page.
pub const OCR_PIXELS_MAX: u64 = 6_000_000;
/// Pixels of a page that is rasterized for a person.
pub const VIEW_PIXELS_MAX: u64 = 2_500_000;
/// Pixels of an image.
pub const IMAGE_PIXELS_MAX: u64 = 40_000_000;
/// Bytes of an embedded font, CMap or stream of a mail in a compound file.
pub const STREAM_BYTES_MAX: u64 = 16 * 1024 * 1024;
