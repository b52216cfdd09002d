//! Presentations of PowerPoint (ECMA-376 Part 1, PresentationML): a page for each slide, with its notes.

mod bullets;

use std::{
    collections::{HashMap, HashSet},
    rc::Rc,
};

use bullets::{SlideBullets, SlideStyles};

use crate::{
    FileError, FileText,
    archive::Archive,
    kinds::{docx, drawing},
    output::TextWriter,
    xml::{self, XmlStep, XmlSteps},
};

pub(crate) fn read(bytes: &[u8]) -> Result<FileText, FileError> {
    let mut archive = Archive::open(bytes)?;
    let presentation = archive.require("ppt/presentation.xml")?;
    let targets = relations(&mut archive, "ppt/_rels/presentation.xml.rels")?;
    let (mut out, mut used, mut is_damaged) = (TextWriter::default(), HashSet::new(), false);
    let mut styles = StylesCache::default();
    for id in slide_ids(&xml::decode(&presentation))? {
        let relation = targets.iter().find(|relation| relation.id == id);
        let name = relation.map(|relation| resolved("ppt/", &relation.target)).unwrap_or_default();
        let Some(slide) = archive.read(&name)? else {
            is_damaged = true;
            continue;
        };
        if !out.begin_page() {
            break;
        }
        let mut bullets = styles.bullets(&mut archive, &name)?;
        docx::write_labeled(&xml::decode(&slide), &mut out, &mut bullets)?;
        drawing::write_related(&mut archive, &name, &mut out)?;
        write_notes(&mut archive, &name, &mut out)?;
        write_background(&mut archive, &name, &mut used, &mut out)?;
        if out.is_full() {
            break;
        }
    }
    out.finish_parts(is_damaged)
}

/// The styles of layouts and masters by their names.
#[derive(Default)]
struct StylesCache(HashMap<String, Rc<SlideStyles>>);

impl StylesCache {
    /// Returns the bullets of a slide.
    fn bullets(&mut self, archive: &mut Archive<'_>, slide: &str) -> Result<SlideBullets, FileError> {
        let layout = background(archive, slide, "/slideLayout")?;
        let master = match &layout {
            Some(layout) => background(archive, layout, "/slideMaster")?,
            None => None,
        };
        Ok(SlideBullets::new(self.styles(archive, layout)?, self.styles(archive, master)?))
    }

    fn styles(&mut self, archive: &mut Archive<'_>, part: Option<String>) -> Result<Rc<SlideStyles>, FileError> {
        let Some(part) = part else { return Ok(Rc::default()) };
        if let Some(known) = self.0.get(&part) {
            return Ok(Rc::clone(known));
        }
        let bytes = archive.read(&part)?.unwrap_or_default();
        let styles = Rc::new(SlideStyles::parse(&xml::decode(&bytes))?);
        self.0.insert(part, Rc::clone(&styles));
        Ok(styles)
    }
}

/// Returns the name of the layout of a slide, or of the master of a layout.
fn background(archive: &mut Archive<'_>, part: &str, kind: &str) -> Result<Option<String>, FileError> {
    let related = drawing::related(archive, part)?;
    Ok(related.into_iter().find(|(relation, _)| relation.kind.ends_with(kind)).map(|(_, name)| name))
}

/// A relation of a part to another one.
pub(crate) struct Relation {
    pub(crate) id: String,
    pub(crate) target: String,
    pub(crate) kind: String,
}

/// Returns the relations of a part to other parts of the file. Relations to what is elsewhere are left out.
pub(crate) fn relations(archive: &mut Archive<'_>, name: &str) -> Result<Vec<Relation>, FileError> {
    let Some(bytes) = archive.read(name)? else { return Ok(Vec::new()) };
    let source = xml::decode(&bytes);
    let (mut steps, mut relations) = (XmlSteps::new(&source), Vec::new());
    while let Some(step) = steps.next()? {
        if let XmlStep::Open(tag) = step
            && tag.name() == "Relationship"
            && tag.attribute("TargetMode").as_deref() != Some("External")
            && let (Some(id), Some(target), Some(kind)) =
                (tag.attribute("Id"), tag.attribute("Target"), tag.attribute("Type"))
        {
            relations.push(Relation { id, target, kind });
        }
    }
    Ok(relations)
}

/// Returns the name of a part that another one names from its folder.
pub(crate) fn resolved(folder: &str, target: &str) -> String {
    if let Some(absolute) = target.strip_prefix('/') {
        return absolute.to_owned();
    }
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in target.split('/') {
        match part {
            ".." => drop(parts.pop()),
            "." | "" => {}
            part => parts.push(part),
        }
    }
    parts.join("/")
}

fn slide_ids(source: &str) -> Result<Vec<String>, FileError> {
    let (mut steps, mut ids) = (XmlSteps::new(source), Vec::new());
    while let Some(step) = steps.next()? {
        if let XmlStep::Open(tag) = step
            && tag.name() == "sldId"
        {
            ids.extend(tag.attribute_of("r", "id"));
        }
    }
    Ok(ids)
}

/// Writes what the layout and the master of a slide show on each slide, with the first one that has them.
fn write_background(
    archive: &mut Archive<'_>,
    slide: &str,
    used: &mut HashSet<String>,
    out: &mut TextWriter,
) -> Result<(), FileError> {
    let mut part = slide.to_owned();
    for kind in ["/slideLayout", "/slideMaster"] {
        let Some(name) = background(archive, &part, kind)? else { break };
        part = name;
        if !used.insert(part.clone()) {
            break;
        }
        let Some(bytes) = archive.read(&part)? else { break };
        out.end_line();
        drawing::write_fixed_shapes(&xml::decode(&bytes), out)?;
    }
    Ok(())
}

fn write_notes(archive: &mut Archive<'_>, slide: &str, out: &mut TextWriter) -> Result<(), FileError> {
    let Some((folder, file)) = slide.rsplit_once('/') else { return Ok(()) };
    let relations = relations(archive, &format!("{folder}/_rels/{file}.rels"))?;
    let Some(notes) = relations.iter().find(|relation| relation.kind.ends_with("/notesSlide")) else { return Ok(()) };
    let Some(bytes) = archive.read(&resolved(folder, &notes.target))? else { return Ok(()) };
    out.end_line();
    docx::write(&xml::decode(&bytes), out)
}
