//! Relations between the parts of an office document (ECMA-376 Part 2, Open Packaging Conventions).

use crate::{
    FileError,
    archive::Archive,
    xml::{self, XmlStep, XmlSteps},
};

/// Parts that one part refers to.
const PARTS_MAX: usize = 200;

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

/// Returns the parts that a part refers to, each once, with their names, in the order of their numbers.
pub(crate) fn related(archive: &mut Archive<'_>, part: &str) -> Result<Vec<(Relation, String)>, FileError> {
    let (folder, file) = part.rsplit_once('/').unwrap_or(("", part));
    let found = relations(archive, &format!("{folder}/_rels/{file}.rels"))?;
    let named = found.into_iter().take(PARTS_MAX).map(|relation| {
        let name = resolved(folder, &relation.target);
        (relation, name)
    });
    let mut parts: Vec<(Relation, String)> = named.collect();
    parts.sort_by(|(_, one), (_, other)| (one.len(), one).cmp(&(other.len(), other)));
    parts.dedup_by(|(one, name), (other, known)| name == known && one.kind == other.kind);
    Ok(parts)
}
