//! Presentations of PowerPoint (ECMA-376 Part 1, PresentationML): a page for each slide, with its notes.

mod bullets;

use std::{collections::HashMap, rc::Rc};

use bullets::{SlideBullets, SlideStyles};

use crate::{
    FileError, FileText,
    archive::Archive,
    kinds::{
        drawing,
        embedded::EmbeddedFiles,
        paragraphs,
        relations::{related, relations, resolved},
    },
    output::TextWriter,
    xml::{self, XmlStep, XmlSteps},
};

pub(crate) fn read(bytes: &[u8], depth: usize) -> Result<FileText, FileError> {
    let mut archive = Archive::open(bytes)?;
    let presentation = archive.require("ppt/presentation.xml")?;
    let targets = relations(&mut archive, "ppt/_rels/presentation.xml.rels")?;
    let (mut out, mut is_damaged) = (TextWriter::default(), false);
    let mut backgrounds = Backgrounds::default();
    let mut embedded = EmbeddedFiles::new(depth);
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
        let slide = xml::decode(&slide);
        let behind = backgrounds.of(&mut archive, &name)?;
        paragraphs::write_labeled(&slide, &mut out, &mut behind.bullets())?;
        drawing::write_related(&mut archive, &name, &mut out)?;
        write_notes(&mut archive, &name, &mut out)?;
        out.end_line();
        behind.write(&slide, &mut out);
        embedded.write(&mut archive, &name, &mut out)?;
        if out.is_full() {
            break;
        }
    }
    out.finish_parts(is_damaged)
}

/// A layout or a master of slides.
#[derive(Default)]
struct Background {
    styles: Rc<SlideStyles>,
    /// The text that it shows on each slide.
    text: String,
    /// Whether it hides what is behind it.
    is_alone: bool,
}

impl Background {
    fn parse(source: &str) -> Result<Self, FileError> {
        let mut shapes = TextWriter::default();
        drawing::write_fixed_shapes(source, &mut shapes)?;
        let text = shapes.finish().pages.concat();
        Ok(Self { styles: Rc::new(SlideStyles::parse(source)?), text, is_alone: hides_master(source)? })
    }
}

/// What is behind a slide.
struct SlideBackground {
    layout: Rc<Background>,
    master: Rc<Background>,
}

impl SlideBackground {
    fn bullets(&self) -> SlideBullets {
        SlideBullets::new(Rc::clone(&self.layout.styles), Rc::clone(&self.master.styles))
    }

    /// Writes the text that a slide shows of what is behind it.
    fn write(&self, slide: &str, out: &mut TextWriter) {
        if hides_master(slide).unwrap_or_default() {
            return;
        }
        let master = Some(&self.master).filter(|_| !self.layout.is_alone);
        for one in [Some(&self.layout), master].into_iter().flatten().filter(|one| !one.text.is_empty()) {
            out.push(&one.text);
            out.end_line();
        }
    }
}

/// Returns whether a slide or a layout doesn't show the shapes behind it.
fn hides_master(source: &str) -> Result<bool, FileError> {
    let mut steps = XmlSteps::new(source);
    while let Some(step) = steps.next()? {
        if let XmlStep::Open(root) = step {
            return Ok(root.attribute("showMasterSp").is_some_and(|shows| matches!(&*shows, "0" | "false")));
        }
    }
    Ok(false)
}

/// The layouts and masters of a presentation by their names.
#[derive(Default)]
struct Backgrounds(HashMap<String, Rc<Background>>);

impl Backgrounds {
    fn of(&mut self, archive: &mut Archive<'_>, slide: &str) -> Result<SlideBackground, FileError> {
        let layout = background(archive, slide, "/slideLayout")?;
        let master = match &layout {
            Some(layout) => background(archive, layout, "/slideMaster")?,
            None => None,
        };
        Ok(SlideBackground { layout: self.part(archive, layout)?, master: self.part(archive, master)? })
    }

    fn part(&mut self, archive: &mut Archive<'_>, part: Option<String>) -> Result<Rc<Background>, FileError> {
        let Some(part) = part else { return Ok(Rc::default()) };
        if let Some(known) = self.0.get(&part) {
            return Ok(Rc::clone(known));
        }
        let bytes = archive.read(&part)?.unwrap_or_default();
        let parsed = Rc::new(Background::parse(&xml::decode(&bytes))?);
        self.0.insert(part, Rc::clone(&parsed));
        Ok(parsed)
    }
}

/// Returns the name of the layout of a slide, or of the master of a layout.
fn background(archive: &mut Archive<'_>, part: &str, kind: &str) -> Result<Option<String>, FileError> {
    let parts = related(archive, part)?;
    Ok(parts.into_iter().find(|(relation, _)| relation.kind.ends_with(kind)).map(|(_, name)| name))
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

fn write_notes(archive: &mut Archive<'_>, slide: &str, out: &mut TextWriter) -> Result<(), FileError> {
    let Some((folder, file)) = slide.rsplit_once('/') else { return Ok(()) };
    let relations = relations(archive, &format!("{folder}/_rels/{file}.rels"))?;
    let Some(notes) = relations.iter().find(|relation| relation.kind.ends_with("/notesSlide")) else { return Ok(()) };
    let Some(bytes) = archive.read(&resolved(folder, &notes.target))? else { return Ok(()) };
    out.end_line();
    paragraphs::write(&xml::decode(&bytes), out)
}
