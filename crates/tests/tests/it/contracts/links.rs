//! Links between pages resolve: the file exists, and its heading too if the link has a fragment. The index of decisions
//! is complete, and sources cite decisions that exist.

use std::{
    collections::{HashMap, HashSet},
    path::{Path, PathBuf},
};

fn root() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    root.canonicalize().expect("the repository is where it was compiled")
}

/// Adds the pages of a folder and, except for the root, of its folders.
fn pages_of(folder: &Path, pages: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("a folder of pages") {
        let path = entry.expect("a folder can be listed").path();
        if path.is_dir() && folder != root() {
            pages_of(&path, pages);
        } else if path.extension().is_some_and(|ending| ending == "md") {
            pages.push(path);
        }
    }
}

/// Returns the lines outside code blocks.
fn prose(text: &str) -> impl Iterator<Item = &str> {
    let mut in_code = false;
    text.lines().filter(move |line| {
        let is_fence = line.trim_start().starts_with("```");
        in_code ^= is_fence;
        !in_code && !is_fence
    })
}

/// Returns the fragments of a page's headings, as GitHub makes them: lower case, hyphens for blanks, no punctuation, and
/// a number after a repeated one.
fn fragments(text: &str) -> HashSet<String> {
    let mut counts: HashMap<String, usize> = HashMap::new();
    let mut fragments = HashSet::new();
    for line in prose(text).filter(|line| line.starts_with('#')) {
        let title = line.trim_start_matches('#').trim().to_lowercase();
        let kept = title.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
        let fragment: String = kept.map(|c| if c == ' ' { '-' } else { c }).collect();
        let count = counts.entry(fragment.clone()).or_default();
        fragments.insert(if *count == 0 { fragment } else { format!("{fragment}-{count}") });
        *count += 1;
    }
    fragments
}

/// Returns the targets of a page's links and images, without those in code.
fn targets(text: &str) -> Vec<String> {
    let mut targets = Vec::new();
    for line in prose(text) {
        let outside_code: String = line.split('`').step_by(2).collect();
        let links = outside_code.split("](").skip(1).filter_map(|rest| rest.split(')').next());
        targets.extend(links.map(str::to_owned));
    }
    targets
}

/// Returns why a link of a page is broken, or `None` if it resolves or leaves the repository.
fn problem(page: &Path, target: &str) -> Option<String> {
    if target.contains("://") || target.starts_with("mailto:") {
        return None;
    }
    let (file, fragment) = target.split_once('#').unwrap_or((target, ""));
    let path = if file.is_empty() { page.to_path_buf() } else { page.with_file_name(file) };
    if !path.exists() {
        return Some(format!("{}: {target}: no such file", page.display()));
    }
    if fragment.is_empty() {
        return None;
    }
    let text = std::fs::read_to_string(&path).expect("a page with headings");
    let is_heading = fragments(&text).contains(fragment);
    (!is_heading).then(|| format!("{}: {target}: no such heading", page.display()))
}

#[test]
fn links_between_documents_resolve() {
    let mut pages = Vec::new();
    pages_of(&root(), &mut pages);
    pages_of(&root().join("docs"), &mut pages);
    for folder in ["docs/guides", "docs/reference", "docs/decisions"] {
        assert!(pages.iter().any(|page| page.starts_with(root().join(folder))), "no pages found in {folder}");
    }
    let mut links = 0;
    let mut broken = Vec::new();
    for page in &pages {
        let text = std::fs::read_to_string(page).expect("a page can be read");
        let targets = targets(&text);
        links += targets.len();
        broken.extend(targets.iter().filter_map(|target| problem(page, target)));
    }
    assert!(links > 100, "the search for links finds too few: {links}");
    assert!(broken.is_empty(), "{} broken links:\n{}", broken.len(), broken.join("\n"));
}

#[test]
fn the_index_lists_every_decision() {
    let folder = root().join("docs/decisions");
    let index = std::fs::read_to_string(folder.join("README.md")).expect("an index");
    let mut pages = Vec::new();
    pages_of(&folder, &mut pages);
    let mut numbers = HashSet::new();
    for page in pages.iter().filter(|page| !page.ends_with("README.md")) {
        let text = std::fs::read_to_string(page).expect("a chapter");
        let file = page.file_name().and_then(|name| name.to_str()).expect("a name");
        for title in text.lines().filter_map(|line| line.strip_prefix("## ")) {
            let number = title.split(' ').next().unwrap_or_default();
            assert!(number.len() == 4 && number.parse::<u16>().is_ok(), "{file}: {title} begins with no number");
            assert!(numbers.insert(number.to_owned()), "{file}: {number} is used twice");
            let fragment = fragments(&format!("## {title}")).into_iter().next().unwrap_or_default();
            let entry = format!("[{number}]({file}#{fragment})");
            assert_eq!(index.matches(&entry).count(), 1, "docs/decisions/README.md needs {entry} once");
        }
    }
    let entries = targets(&index).iter().filter(|target| target.contains('#')).count();
    assert_eq!(entries, numbers.len(), "docs/decisions/README.md lists a decision that doesn't exist");
    assert!(numbers.len() >= 92, "a decision is lost: {}", numbers.len());
}

/// Adds the references to decisions in the sources of a folder.
fn cited_decisions(folder: &Path, cited: &mut Vec<(PathBuf, String)>) {
    for entry in std::fs::read_dir(folder).expect("a folder of sources") {
        let path = entry.expect("a folder can be listed").path();
        if path.is_dir() {
            cited_decisions(&path, cited);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            let text = std::fs::read_to_string(&path).expect("a source can be read");
            for (at, _) in text.match_indices("docs/decisions/") {
                let is_end = |c: char| !c.is_ascii_alphanumeric() && !"/.#-_".contains(c);
                let reference = text[at..].split(is_end).next().unwrap_or_default();
                cited.push((path.clone(), reference.trim_end_matches('.').to_owned()));
            }
        }
    }
}

#[test]
fn decisions_that_sources_cite_exist() {
    let mut cited = Vec::new();
    cited_decisions(&root().join("crates"), &mut cited);
    assert!(cited.len() > 40, "the search for decisions finds too few: {}", cited.len());
    let page = root().join("README.md");
    let broken: Vec<String> = cited
        .iter()
        .filter_map(|(path, reference)| Some(format!("{}: {}", path.display(), problem(&page, reference)?)))
        .collect();
    assert!(broken.is_empty(), "{} broken references:\n{}", broken.len(), broken.join("\n"));
}

#[test]
fn missing_files_and_headings_are_found() {
    let readme = root().join("README.md");
    let broken = |target: &str| problem(&readme, target).is_some();
    assert!(!broken("docs/tutorial.md") && !broken("#license") && !broken("https://example.com/#none"));
    assert!(broken("docs/none.md") && broken("#none") && broken("docs/GLOSSARY.md#none"));

    let page = "# A `code` — title, twice\n```sh\n# not a heading, [not](a-link.md)\n```\n## Same\n## Same\n";
    let expected = ["a-code--title-twice", "same", "same-1"].map(str::to_owned);
    assert_eq!(fragments(page), HashSet::from(expected));
    assert_eq!(targets("[a](b.md#c), `[not](this.md)`, ![d](e.svg)\n"), ["b.md#c", "e.svg"]);
}
