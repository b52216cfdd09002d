//! Control words of RTF that begin groups with a meaning of their own.

use crate::kinds::{parts::PartKind, symbols::SymbolFont};

/// Groups whose text is not of the document.
pub(super) const DESTINATIONS: [&str; 21] = [
    "colortbl",
    "stylesheet",
    "info",
    "pict",
    // The names and values of the properties of a shape, and its form for older programs.
    "sp",
    "shprslt",
    // What older programs show in place of a table in a table.
    "nonesttables",
    "listtable",
    "listoverridetable",
    "revtbl",
    "rsidtbl",
    "generator",
    "themedata",
    "colorschememapping",
    "latentstyles",
    "datastore",
    "xmlnstbl",
    "filetbl",
    "objclass",
    "objname",
    "objdata",
];
/// Groups with text, although writers mark them as if readers could leave them out.
pub(super) const KEPT: [&str; 6] = ["footnote", "annotation", "shpinst", "do", "dptxbxtext", "fldinst"];

/// Returns the kind of part that a control word begins.
pub(super) fn part(word: &str) -> Option<PartKind> {
    Some(match word {
        "header" | "headerl" | "headerr" | "headerf" => PartKind::Header,
        "footer" | "footerl" | "footerr" | "footerf" => PartKind::Footer,
        "footnote" => PartKind::Note,
        "annotation" => PartKind::Comment,
        "shptxt" | "dptxbxtext" => PartKind::Box,
        "fldinst" => PartKind::Instruction,
        _ => return None,
    })
}

/// Returns the sign of a field such as `SYMBOL 252 \f "Wingdings"`.
pub(super) fn sign_of(instruction: &str) -> Option<char> {
    let rest = instruction.trim().strip_prefix("SYMBOL")?;
    let code = rest.split_whitespace().next()?;
    let code = match code.strip_prefix("0x") {
        Some(digits) => u32::from_str_radix(digits, 16).ok()?,
        None => code.parse().ok()?,
    };
    let font = rest.split_once("\\f")?.1.trim_start().trim_start_matches('"').split('"').next()?;
    SymbolFont::named(font)?.sign(code)
}
