//! Texts that the structure of a file states for the marked content of its pages (ISO 32000-2 §14.7.5.4 and §14.9.4).

use std::collections::{HashMap, HashSet};

use hayro::hayro_interpret::hayro_syntax::{
    Pdf,
    object::{Array, Dict, MaybeRef, Object, ObjectIdentifier},
    page::Page,
    xref::XRef,
};

use super::replacement;

/// Nesting of the tree that has the elements of each page.
const TREE_DEPTH_MAX: usize = 16;
/// Nodes of that tree.
const TREE_NODES_MAX: usize = 10_000;
/// Marked contents of a page.
const CONTENTS_MAX: usize = 20_000;
/// Elements around a marked content whose text may replace it.
const ELEMENTS_MAX: usize = 4;

/// The structure of a file.
pub(super) struct Structure<'a> {
    xref: &'a XRef,
    /// The elements of the contents of each page, by its key.
    parents: HashMap<i64, MaybeRef<Object<'a>>>,
    /// The element that states a text for the content of an element.
    stating: HashMap<ObjectIdentifier, Option<ObjectIdentifier>>,
    /// Elements whose text is written: their other contents have none.
    written: HashSet<ObjectIdentifier>,
}

impl<'a> Structure<'a> {
    /// Returns the structure of a file, which is empty if it has none.
    pub(super) fn of(pdf: &'a Pdf) -> Self {
        let xref = pdf.xref();
        let mut structure = Self { xref, parents: HashMap::new(), stating: HashMap::new(), written: HashSet::new() };
        let catalog: Option<Dict<'a>> = xref.get(xref.root_id());
        let root = catalog.and_then(|catalog| catalog.get::<Dict<'a>>(b"StructTreeRoot"));
        if let Some(tree) = root.and_then(|root| root.get::<Dict<'a>>(b"ParentTree")) {
            let mut nodes_left = TREE_NODES_MAX;
            structure.add(&tree, 0, &mut nodes_left);
        }
        structure
    }

    /// Adds the entries of a node of the tree.
    fn add(&mut self, node: &Dict<'a>, depth: usize, nodes_left: &mut usize) {
        if depth > TREE_DEPTH_MAX || *nodes_left == 0 {
            return;
        }
        *nodes_left -= 1;
        if let Some(numbers) = node.get::<Array<'a>>(b"Nums") {
            let mut entries = numbers.raw_iter();
            while let (Some(key), Some(value)) = (entries.next(), entries.next()) {
                if let MaybeRef::NotRef(Object::Number(key)) = key {
                    self.parents.insert(key.as_i64(), value);
                }
            }
        }
        for kid in node.get::<Array<'a>>(b"Kids").into_iter().flat_map(|kids| kids.raw_iter()) {
            let kid: Option<Dict<'a>> = kid.as_obj_ref().and_then(|kid| self.xref.get(kid.into()));
            kid.into_iter().for_each(|kid| self.add(&kid, depth + 1, nodes_left));
        }
    }

    /// Returns the structure of a page. It has no elements if forms on the page number contents of their own.
    pub(super) fn of_page(&mut self, page: &Page<'a>) -> PageStructure<'_, 'a> {
        let elements = if self.parents.is_empty() { None } else { self.elements(page) };
        PageStructure { elements: elements.unwrap_or_default(), structure: self }
    }

    fn elements(&self, page: &Page<'a>) -> Option<Vec<Option<ObjectIdentifier>>> {
        let key: i64 = page.raw().get::<i32>(b"StructParents")?.into();
        let resources = page.resources();
        let is_numbered =
            |name| resources.get_x_object(&name).is_some_and(|form| form.dict().contains_key(b"StructParents"));
        if resources.x_objects.keys().any(is_numbered) {
            return None;
        }
        let elements: Array<'a> = match self.parents.get(&key)? {
            MaybeRef::Ref(id) => self.xref.get((*id).into())?,
            MaybeRef::NotRef(Object::Array(elements)) => elements.clone(),
            MaybeRef::NotRef(_) => return None,
        };
        let id = |element: MaybeRef<Object<'a>>| element.as_obj_ref().map(ObjectIdentifier::from);
        Some(elements.raw_iter().take(CONTENTS_MAX).map(id).collect())
    }

    /// Returns the element, or the one around it, that states a text.
    fn stating(&mut self, element: ObjectIdentifier) -> Option<ObjectIdentifier> {
        if let Some(known) = self.stating.get(&element) {
            return *known;
        }
        let mut next = Some(element);
        let mut found = None;
        for _ in 0..ELEMENTS_MAX {
            let Some(id) = next else { break };
            let Some(dict) = self.xref.get::<Dict<'a>>(id) else { break };
            if dict.contains_key(b"ActualText") {
                found = Some(id);
                break;
            }
            next = dict.get_ref(b"P").map(ObjectIdentifier::from);
        }
        self.stating.insert(element, found);
        found
    }
}

/// The text of marked content.
pub(super) enum StatedText {
    Of(String),
    /// That of an earlier content of the same element includes it.
    Before,
}

/// The structure of one page.
pub(super) struct PageStructure<'s, 'a> {
    structure: &'s mut Structure<'a>,
    /// The elements of the marked contents, by their numbers.
    elements: Vec<Option<ObjectIdentifier>>,
}

impl PageStructure<'_, '_> {
    /// Returns the text that the file states for marked content: its properties, or else its element.
    pub(super) fn stated_text(&mut self, properties: &Dict<'_>) -> Option<StatedText> {
        if let Some(text) = replacement::stated_text(properties) {
            return Some(StatedText::Of(text));
        }
        let number = usize::try_from(properties.get::<i32>(b"MCID")?).ok()?;
        let element = self.structure.stating((*self.elements.get(number)?)?)?;
        if !self.structure.written.insert(element) {
            return Some(StatedText::Before);
        }
        replacement::stated_text(&self.structure.xref.get::<Dict<'_>>(element)?).map(StatedText::Of)
    }
}
