//! A study as a picture: right notes and abstention against others shown, threshold by threshold.

use std::fmt::Write as _;

use super::Studied;
use super::curve::Point;

/// Width and height of one chart, in pixels.
const SIZE: (f64, f64) = (420.0, 300.0);
/// Room for the labels: left, top, right, bottom.
const MARGIN: (f64, f64, f64, f64) = (48.0, 44.0, 52.0, 40.0);

/// One chart for each language: the share of right notes shown and of questions rightly left without an answer (left scale,
/// 0 to 1), and others shown a question (right scale), over the threshold. A vertical line marks the chosen one.
#[must_use]
pub fn svg(studied: &Studied) -> String {
    let count = studied.languages.len() as f64;
    let (width, height) = (SIZE.0 * count.min(2.0), SIZE.1 * (count / 2.0).ceil());
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" font-family=\"sans-serif\" font-size=\"11\">\n\
         <rect width=\"{width}\" height=\"{height}\" fill=\"#ffffff\"/>\n"
    );
    for (place, one) in studied.languages.iter().enumerate() {
        let (column, row) = ((place % 2) as f64, (place / 2) as f64);
        _ = writeln!(svg, "<g transform=\"translate({} {})\">", column * SIZE.0, row * SIZE.1);
        let title = match one.asked == one.notes_in {
            true => format!("{}: asked and kept in {}", studied.model, one.asked),
            false => format!("{}: asked in {}, kept in {}", studied.model, one.asked, one.notes_in),
        };
        panel(&mut svg, &escaped(&title), &one.curve, one.chosen.threshold);
        svg.push_str("</g>\n");
    }
    svg.push_str("</svg>\n");
    svg
}

/// One line of a chart.
struct Series {
    name: &'static str,
    colour: &'static str,
    value: fn(&Point) -> f64,
    /// What stands at the top of its scale.
    most: f64,
}

fn panel(svg: &mut String, title: &str, curve: &[Point], chosen: f64) {
    let (left, top, right, bottom) = MARGIN;
    let (wide, high) = (SIZE.0 - left - right, SIZE.1 - top - bottom);
    let most = curve.iter().map(|point| point.others).fold(1.0, f64::max).ceil();
    let x = |threshold: f64| left + wide * threshold;
    let y = |share: f64| top + high * (1.0 - share);
    _ = writeln!(svg, "<text x=\"{left}\" y=\"16\" font-weight=\"bold\">{title}</text>");
    for step in 0..=4 {
        let share = f64::from(step) / 4.0;
        let (line, end) = (y(share), left + wide);
        _ = writeln!(
            svg,
            "<line x1=\"{left}\" y1=\"{line:.1}\" x2=\"{end:.1}\" y2=\"{line:.1}\" stroke=\"#dddddd\"/>\
             <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{share}</text>\
             <text x=\"{:.1}\" y=\"{:.1}\" fill=\"#b3452c\">{}</text>\
             <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{share}</text>",
            left - 6.0,
            line + 4.0,
            end + 6.0,
            line + 4.0,
            share * most,
            x(share),
            top + high + 16.0,
        );
    }
    _ = writeln!(
        svg,
        "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">threshold</text>",
        left + wide / 2.0,
        SIZE.1 - 8.0
    );
    _ = writeln!(
        svg,
        "<line x1=\"{0:.1}\" y1=\"{top}\" x2=\"{0:.1}\" y2=\"{1:.1}\" stroke=\"#555555\" stroke-dasharray=\"3 3\"/>",
        x(chosen),
        top + high
    );
    let series = [
        Series { name: "right note shown", colour: "#1c5fa8", value: |point| point.right, most: 1.0 },
        Series {
            name: "abstained where there is none",
            colour: "#3b8132",
            value: |point| point.abstained,
            most: 1.0,
        },
        Series { name: "others shown", colour: "#b3452c", value: |point| point.others, most },
    ];
    let mut legend = left;
    for Series { name, colour, value, most } in series {
        let points: Vec<String> = curve
            .iter()
            .map(|point| format!("{:.1},{:.1}", x(point.threshold), y(value(point) / most)))
            .collect();
        _ = writeln!(
            svg,
            "<polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"1.6\"/>\
             <text x=\"{legend:.1}\" y=\"32\" fill=\"{colour}\">{name}</text>",
            points.join(" ")
        );
        legend += 12.0 + 5.6 * name.len() as f64;
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
