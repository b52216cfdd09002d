//! Charts, diagrams and shapes of office documents (ECMA-376 Part 1, DrawingML): they are parts of their own, to which slides,
//! sheets and documents refer.

use super::{numbers::general, paragraphs, relations::related};
use crate::{
    FileError,
    archive::Archive,
    output::TextWriter,
    xml::{self, XmlStep, XmlSteps},
};

/// Series of a chart.
const SERIES_MAX: usize = 100;
/// Points of a series.
const POINTS_MAX: usize = 1_000;

/// Writes the text of the charts and diagrams that a part refers to.
pub(crate) fn write_related(archive: &mut Archive<'_>, part: &str, out: &mut TextWriter) -> Result<(), FileError> {
    for (relation, name) in related(archive, part)? {
        let is_chart = relation.kind.ends_with("/chart");
        if !is_chart && !relation.kind.ends_with("/diagramData") {
            continue;
        }
        let Some(bytes) = archive.read(&name)? else { continue };
        out.end_line();
        if is_chart {
            write_chart(&xml::decode(&bytes), out)?
        } else {
            paragraphs::write(&xml::decode(&bytes), out)?
        }
        out.end_line();
        if out.is_full() {
            break;
        }
    }
    Ok(())
}

/// Writes the text of the shapes that aren't places for the text of slides.
pub(crate) fn write_fixed_shapes(source: &str, out: &mut TextWriter) -> Result<(), FileError> {
    let mut steps = XmlSteps::new(source);
    let (mut text, mut is_text, mut is_place) = (String::new(), false, false);
    while let Some(step) = steps.next()? {
        match step {
            XmlStep::Open(tag) => match &*tag.name() {
                "sp" => (text, is_place) = (String::new(), false),
                "ph" => is_place = true,
                "t" => is_text = true,
                _ => {}
            },
            XmlStep::Close(name) => match &*name {
                "t" => is_text = false,
                "p" => text.push('\n'),
                "sp" => {
                    if !is_place && !text.trim().is_empty() {
                        out.push(text.trim());
                        out.end_line();
                    }
                    (text, is_place) = (String::new(), false);
                }
                _ => {}
            },
            XmlStep::Text(piece) if is_text => text.push_str(&piece),
            XmlStep::Text(_) => {}
        }
        if out.is_full() {
            break;
        }
    }
    Ok(())
}

/// A series of a chart.
#[derive(Default)]
struct Series {
    name: String,
    categories: Vec<String>,
    values: Vec<String>,
}

/// The part of a series that values belong to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum SeriesPart {
    Name,
    Categories,
    Values,
}

/// Writes the titles of a chart as lines, and its values as a table.
fn write_chart(source: &str, out: &mut TextWriter) -> Result<(), FileError> {
    let mut steps = XmlSteps::new(source);
    let (mut all, mut series, mut of) = (Vec::new(), None::<Series>, None::<SeriesPart>);
    let (mut is_title, mut value) = (false, None::<String>);
    while let Some(step) = steps.next()? {
        match step {
            XmlStep::Open(tag) => match &*tag.name() {
                "ser" => series = Some(Series::default()),
                "tx" => of = of.or(Some(SeriesPart::Name)),
                "cat" | "xVal" => of = Some(SeriesPart::Categories),
                "val" | "yVal" => of = Some(SeriesPart::Values),
                "t" => is_title = true,
                "v" => value = Some(String::new()),
                _ => {}
            },
            XmlStep::Close(name) => match &*name {
                "ser" if all.len() < SERIES_MAX => all.extend(series.take()),
                "tx" if of == Some(SeriesPart::Name) => of = None,
                "cat" | "xVal" | "val" | "yVal" => of = None,
                "t" => is_title = false,
                "v" => {
                    if let (Some(series), Some(of), Some(value)) = (&mut series, of, value.take()) {
                        series.add(of, &value);
                    }
                }
                "p" => out.end_line(),
                _ => {}
            },
            XmlStep::Text(text) if is_title => out.push(&text),
            XmlStep::Text(text) => {
                if let Some(value) = &mut value {
                    value.push_str(&text);
                }
            }
        }
    }
    out.end_line();
    write_table(&all, out);
    Ok(())
}

impl Series {
    fn add(&mut self, of: SeriesPart, text: &str) {
        let points = match of {
            SeriesPart::Name => return self.name.push_str(text),
            SeriesPart::Categories => &mut self.categories,
            SeriesPart::Values => &mut self.values,
        };
        if points.len() < POINTS_MAX {
            points.push(text.parse().map_or_else(|_| text.to_owned(), |number| general(text, number).into_owned()));
        }
    }
}

/// Writes a row for each category, with a column for each series.
fn write_table(all: &[Series], out: &mut TextWriter) {
    let Some(first) = all.first() else { return };
    if all.iter().any(|series| !series.name.is_empty()) {
        out.cell("");
        all.iter().for_each(|series| out.cell(&series.name));
        out.end_line();
    }
    let rows = all.iter().map(|series| series.values.len()).max().unwrap_or_default().max(first.categories.len());
    for row in 0..rows {
        let cell = |points: &[String]| points.get(row).cloned().unwrap_or_default();
        out.cell(&cell(&first.categories));
        all.iter().for_each(|series| out.cell(&cell(&series.values)));
        out.end_line();
        if out.is_full() {
            return;
        }
    }
}
