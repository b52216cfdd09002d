//! The module graph of each crate: no import circles, and one direction between the folders of the app crate.

use std::collections::{BTreeMap, BTreeSet};

use super::{paths::named_paths, source::SourceFile, sources};

/// The folders of the app crate, lowest first. A folder may only import the root files and the folders before it.
/// `keyring`, `limits`, `memory`, `throttle` and `tls` belong to the root: they define parts of `Service`.
const APP_FOLDERS: &[&str] = &[
    "signing",
    "access",
    "agent_keys",
    "inboxes",
    "escalation::record",
    "messages",
    "events",
    "contacts",
    "knowledge",
    "workspaces",
    "domains",
    "agents",
    "extraction",
    "mailbox",
    "analysis",
    "inbound",
    "outbound",
    "people",
    "drafts",
    "reply_drafts",
    "forwarding",
    "escalation",
    "signup",
    "sign_in_with",
    "connectors",
    "webhooks",
    "jobs",
];

/// A module path: the crate and the segments below it.
type Module = Vec<String>;

/// The imports of each module of a crate's production code.
struct ModuleGraph(BTreeMap<Module, BTreeSet<Module>>);

impl ModuleGraph {
    /// Reads the graph of one crate from its sources.
    fn read(name: &str, sources: &[SourceFile]) -> Self {
        let root = format!("crates/{name}/src/");
        let own: Vec<(Module, &SourceFile)> =
            sources.iter().filter_map(|source| Some((module(source.path.strip_prefix(&root)?), source))).collect();
        let known = KnownModules::of(&own);
        let imports = |module: &Module, source: &SourceFile| {
            let paths = named_paths(source).into_iter().filter(|path| !path.in_test);
            let targets = paths.filter_map(|path| known.target(module, &path.path));
            // A module shares names with the modules around it.
            targets.filter(|target| !module.starts_with(target)).collect()
        };
        Self(own.iter().map(|(module, source)| (module.clone(), imports(module, source))).collect())
    }

    /// Returns the modules that `from` imports, directly or not.
    fn reachable(&self, from: &Module) -> BTreeSet<Module> {
        let mut reached = BTreeSet::new();
        let mut open: Vec<&Module> = self.0.get(from).into_iter().flatten().collect();
        while let Some(next) = open.pop() {
            if reached.insert(next.clone()) {
                open.extend(self.0.get(next).into_iter().flatten());
            }
        }
        reached
    }

    /// Returns the imports that are part of circles.
    fn circles(&self) -> Vec<String> {
        let reachable: BTreeMap<&Module, BTreeSet<Module>> =
            self.0.keys().map(|module| (module, self.reachable(module))).collect();
        let arrows = self.0.iter().flat_map(|(from, imports)| imports.iter().map(move |to| (from, to)));
        let is_in_a_circle = |arrow: &(&Module, &Module)| reachable[arrow.1].contains(arrow.0);
        arrows.filter(is_in_a_circle).map(|(from, to)| format!("{} -> {}", from.join("::"), to.join("::"))).collect()
    }
}

/// Returns the module of a file, given its path below `src`.
fn module(path: &str) -> Module {
    match path.trim_end_matches(".rs") {
        "lib" | "main" => Vec::new(),
        path => path.split('/').map(str::to_owned).collect(),
    }
}

/// Where paths of a crate can lead.
struct KnownModules<'a> {
    modules: BTreeSet<&'a Module>,
    /// The names that the root of the crate re-exports, and the modules that they are from.
    exported: BTreeMap<String, Module>,
}

impl<'a> KnownModules<'a> {
    fn of(files: &'a [(Module, &SourceFile)]) -> Self {
        let modules: BTreeSet<&Module> = files.iter().map(|(module, _)| module).collect();
        let mut known = Self { modules, exported: BTreeMap::new() };
        let root = files.iter().find(|(module, _)| module.is_empty());
        let paths = root.into_iter().flat_map(|(_, source)| named_paths(source)).filter(|path| !path.in_test);
        for path in paths {
            let Some((home, name)) = path.path.rsplit_once("::") else { continue };
            let Some(module) = known.target(&Vec::new(), &path.path) else { continue };
            if name == "*" {
                let inner =
                    known.modules.iter().filter(|other| other.len() > module.len() && other.starts_with(&module));
                let inner: Vec<(String, Module)> =
                    inner.map(|other| (other[module.len()].clone(), other[..=module.len()].to_vec())).collect();
                known.exported.extend(inner);
            } else if home != "crate" {
                known.exported.insert(name.to_owned(), module);
            }
        }
        known
    }

    /// Returns the module that a path in `from` leads to, if it is another one of this crate.
    fn target(&self, from: &Module, path: &str) -> Option<Module> {
        let segments: Vec<&str> = path.split("::").collect();
        let up = segments.iter().take_while(|segment| **segment == "super").count();
        let mut whole: Module = match segments[0] {
            "crate" => Vec::new(),
            "super" => from[..from.len().checked_sub(up)?].to_vec(),
            "self" => from.clone(),
            child => {
                let below: Module = from.iter().map(String::as_str).chain([child]).map(str::to_owned).collect();
                if !self.modules.contains(&below) {
                    return None;
                }
                from.clone()
            }
        };
        let first = if ["crate", "self"].contains(&segments[0]) { 1 } else { up };
        whole.extend(segments[first..].iter().map(|segment| (*segment).to_owned()));
        let exported = whole.first().and_then(|name| self.exported.get(name));
        while !self.modules.contains(&whole) {
            whole.pop()?;
        }
        let whole = if whole.is_empty() { exported?.clone() } else { whole };
        (!whole.is_empty() && whole != *from).then_some(whole)
    }
}

fn graphs() -> BTreeMap<String, ModuleGraph> {
    let sources = sources();
    let name = |source: &SourceFile| source.path.strip_prefix("crates/")?.split_once("/src/").map(|at| at.0.to_owned());
    let names: BTreeSet<String> = sources.iter().filter_map(name).collect();
    names.into_iter().map(|name| (name.clone(), ModuleGraph::read(&name, &sources))).collect()
}

#[test]
fn no_module_is_part_of_an_import_circle() {
    let graphs = graphs();
    assert!(["app", "domain", "screen", "store"].iter().all(|name| graphs.contains_key(*name)));
    let circles: Vec<String> = graphs
        .iter()
        .flat_map(|(name, graph)| graph.circles().into_iter().map(move |arrow| format!("crates/{name}: {arrow}")))
        .collect();
    assert!(circles.is_empty(), "imports in circles, move what is shared to a lower file:\n{}", circles.join("\n"));
}

#[test]
fn folders_of_the_app_crate_import_in_one_direction() {
    let graph = graphs().remove("app").expect("there is an app crate");
    let folder = |module: &Module| {
        let inner = module.iter().take(2).cloned().collect::<Vec<String>>().join("::");
        if APP_FOLDERS.contains(&inner.as_str()) { Some(inner) } else { module.first().cloned() }
    };
    let rank = |module: &Module| APP_FOLDERS.iter().position(|one| folder(module).as_deref() == Some(*one));
    for (module, imports) in &graph.0 {
        // The root of the crate re-exports.
        if module.is_empty() {
            continue;
        }
        for import in imports.iter().filter(|import| folder(import) != folder(module)) {
            let is_downward = rank(import).is_none_or(|to| rank(module).is_some_and(|from| to < from));
            assert!(is_downward, "{} imports {}: move shared code down", module.join("::"), import.join("::"));
        }
    }
}

#[test]
fn a_circle_is_found() {
    let read = |path: &str, text: &str| SourceFile::read(path, text).unwrap();
    let graph = |third: &str| {
        ModuleGraph::read(
            "app",
            &[
                read("crates/app/src/a.rs", "use crate::b::B;"),
                read("crates/app/src/b.rs", "mod c; use c::C;"),
                read("crates/app/src/b/c.rs", third),
            ],
        )
    };
    let a = module("a.rs");
    assert!(!graph("use super::B;").reachable(&a).contains(&a));
    let circle = graph("use crate::a::A;");
    assert!(circle.reachable(&module("b/c.rs")).contains(&a));
    assert_eq!(circle.circles(), ["a -> b", "b -> b::c", "b::c -> a"]);
    assert_eq!(graph("use crate::c::A;").circles(), [""; 0]);
}

#[test]
fn a_circle_through_names_that_the_root_exports_is_found() {
    let read = |path: &str, text: &str| SourceFile::read(path, text).unwrap();
    let graph = |root: &str| {
        ModuleGraph::read(
            "app",
            &[
                read("crates/app/src/lib.rs", root),
                read("crates/app/src/a.rs", "mod inner; use crate::b::B;"),
                read("crates/app/src/a/inner.rs", "use crate::b::B;"),
                read("crates/app/src/b.rs", "use crate::{A, inner::I};"),
            ],
        )
    };
    assert_eq!(graph("mod a; mod b; pub use b::B;").circles(), [""; 0]);
    assert_eq!(graph("mod a; mod b; pub use a::A;").circles(), ["a -> b", "b -> a"]);
    assert_eq!(graph("mod a; mod b; pub use a::*;").circles(), ["a::inner -> b", "b -> a::inner"]);
}
