//! Charts of what the lane found, as SVG: no script, no font of their own, readable in light and dark, and each tells in
//! words what it shows.

use std::fmt::Write as _;

use ledger::shadow::{DURATION_BOUNDS_MICROS, PolicyName, Rollup};

/// A chart and the numbers it draws.
#[derive(Clone, PartialEq, Debug)]
pub struct Chart {
    /// A name fit for a file: `agreement-turn-2-turn-3`.
    pub name: String,
    /// What it is about.
    pub title: String,
    /// What it shows, for those who do not see it.
    pub description: String,
    /// What the numbers are.
    pub unit: &'static str,
    /// Where on the axis across each number stands.
    pub across: Vec<String>,
    /// The rows of numbers, as many as there are places across.
    pub series: Vec<Series>,
    /// How it is drawn.
    pub form: Form,
}

/// One row of numbers.
#[derive(Clone, PartialEq, Debug)]
pub struct Series {
    /// What they are.
    pub name: &'static str,
    /// The numbers, none negative.
    pub values: Vec<f64>,
}

/// How a chart is drawn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Form {
    /// Points joined by lines.
    Lines,
    /// Bars side by side.
    Bars,
}

/// The charts of every pair of policies: agreement over days, what was added and removed over days, and durations.
///
/// `rollups` may come in any order.
#[must_use]
pub fn charts(rollups: &[Rollup]) -> Vec<Chart> {
    let mut sorted = rollups.to_vec();
    sorted.sort_by_key(|one| (one.standing, one.candidate, one.day));
    sorted
        .chunk_by(|one, next| (one.standing, one.candidate) == (next.standing, next.candidate))
        .filter_map(|days| days.first().map(|first| (first.standing, first.candidate, days)))
        .flat_map(|(standing, candidate, days)| {
            [
                agreement(standing, candidate, days),
                changes(standing, candidate, days),
                durations(standing, candidate, days),
            ]
        })
        .collect()
}

fn agreement(standing: PolicyName, candidate: PolicyName, days: &[Rollup]) -> Chart {
    let percent = |of: fn(&Rollup) -> f64| days.iter().map(|day| 100.0 * of(day)).collect();
    let unchanged = |day: &Rollup| match day.compared {
        0 => 1.0,
        compared => 1.0 - day.changed as f64 / compared as f64,
    };
    Chart {
        name: name("agreement", standing, candidate),
        title: format!("Overlap of {candidate} with {standing}"),
        description: format!(
            "Day by day, how much of what either policy chose both chose, and how many turns came out the same; {}.",
            span(days)
        ),
        unit: "%",
        across: dates(days),
        series: vec![
            Series { name: "memories both chose", values: percent(Rollup::agreement) },
            Series { name: "turns that came out the same", values: percent(unchanged) },
        ],
        form: Form::Lines,
    }
}

fn changes(standing: PolicyName, candidate: PolicyName, days: &[Rollup]) -> Chart {
    let per_turn =
        |of: fn(&Rollup) -> u64| days.iter().map(|day| of(day) as f64 / day.compared.max(1) as f64).collect();
    Chart {
        name: name("changes", standing, candidate),
        title: format!("What {candidate} would add and remove"),
        description: format!(
            "Day by day, memories a turn that only {candidate} chose and that only {standing} chose; {}.",
            span(days)
        ),
        unit: "memories a turn",
        across: dates(days),
        series: vec![
            Series { name: "added", values: per_turn(|day| day.added) },
            Series { name: "removed", values: per_turn(|day| day.removed) },
        ],
        form: Form::Bars,
    }
}

fn durations(standing: PolicyName, candidate: PolicyName, days: &[Rollup]) -> Chart {
    let told = |micros: &u32| match micros {
        0..1_000 => format!("{micros} µs"),
        _ => format!("{} ms", micros / 1_000),
    };
    let mut across: Vec<String> =
        DURATION_BOUNDS_MICROS.iter().map(|bound| format!("≤ {}", told(bound))).collect();
    across.push(DURATION_BOUNDS_MICROS.last().map_or_else(String::new, |bound| format!("> {}", told(bound))));
    let values =
        (0..across.len()).map(|bucket| days.iter().map(|day| day.durations[bucket]).sum::<u64>() as f64);
    Chart {
        name: name("durations", standing, candidate),
        title: format!("How long {candidate} took"),
        description: format!("How many comparisons took how long; {}.", span(days)),
        unit: "comparisons",
        series: vec![Series { name: "comparisons", values: values.collect() }],
        across,
        form: Form::Bars,
    }
}

fn name(what: &str, standing: PolicyName, candidate: PolicyName) -> String {
    format!("{what}-turn-{}-turn-{}", standing.0, candidate.0)
}

fn dates(days: &[Rollup]) -> Vec<String> {
    days.iter().map(|day| day.day.to_string()).collect()
}

fn span(days: &[Rollup]) -> String {
    let compared: u64 = days.iter().map(|day| day.compared).sum();
    match (days.first(), days.last()) {
        (Some(first), Some(last)) => format!("{compared} comparisons from {} to {}", first.day, last.day),
        _ => "no comparisons".to_owned(),
    }
}

const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 340.0;
const LEFT: f64 = 64.0;
const RIGHT: f64 = 16.0;
const TOP: f64 = 64.0;
const BOTTOM: f64 = 56.0;

/// How many labels the axis across has room for.
const LABELS_MAX: usize = 10;

/// Colours, dashes and hatches differ, so that a chart is read without telling colours apart.
const STYLE: &str = "\
svg{font:13px system-ui,sans-serif;color:#1b1f24}text{fill:currentColor}.title{font-size:16px;font-weight:600}\
.axis,.grid{stroke:currentColor;fill:none}.grid{opacity:.15}.line{fill:none;stroke-width:2}\
.s0{stroke:#0b5cad}.s1{stroke:#a83a00}.b0{fill:#0b5cad}.b1{fill:#a83a00;fill-opacity:.35;stroke:#a83a00}.l1{stroke-dasharray:6 4}\
@media(prefers-color-scheme:dark){svg{color:#e6edf3}.s0{stroke:#6cb6ff}.s1{stroke:#ffa36b}.b0{fill:#6cb6ff}.b1{fill:#ffa36b;stroke:#ffa36b}}";

impl Chart {
    /// The chart as one SVG element, complete by itself.
    #[must_use]
    pub fn svg(&self) -> String {
        let most = self.series.iter().flat_map(|series| &series.values).copied().fold(0.0, f64::max);
        let top = if self.unit == "%" { 100.0 } else { round_up(most) };
        let (name, bottom) = (escape(&self.name), HEIGHT - BOTTOM);
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" \
             aria-labelledby=\"{name}-title {name}-desc\"><title id=\"{name}-title\">{}</title><desc id=\"{name}-desc\">{}</desc>\
             <style>{STYLE}</style><text class=\"title\" x=\"{LEFT}\" y=\"24\">{}</text>",
            escape(&self.title),
            escape(&self.description),
            escape(&self.title)
        );
        for step in 0..=4 {
            let value = top * f64::from(step) / 4.0;
            let y = height_of(value, top);
            _ = write!(
                svg,
                "<path class=\"grid\" d=\"M{LEFT} {y:.1}H{:.1}\"/><text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
                WIDTH - RIGHT,
                LEFT - 8.0,
                y + 4.0,
                number(value)
            );
        }
        _ = write!(svg, "<path class=\"axis\" d=\"M{LEFT} {TOP}V{bottom}H{:.1}\"/>", WIDTH - RIGHT);
        let step = self.across.len().div_ceil(LABELS_MAX).max(1);
        for (place, label) in self.across.iter().enumerate().filter(|(place, _)| place % step == 0) {
            _ = write!(
                svg,
                "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\" font-size=\"11\">{}</text>",
                self.middle(place),
                bottom + 18.0,
                escape(label)
            );
        }
        for (row, series) in self.series.iter().enumerate() {
            let style = row % 2;
            let at = LEFT + 250.0 * row as f64;
            match self.form {
                Form::Lines => {
                    self.line(&mut svg, style, series, top);
                    _ = write!(svg, "<path class=\"line s{style} l{style}\" d=\"M{at:.1} 44h22\"/>");
                }
                Form::Bars => {
                    self.bars(&mut svg, row, style, series, top);
                    _ = write!(
                        svg,
                        "<rect class=\"b{style}\" x=\"{at:.1}\" y=\"37\" width=\"22\" height=\"12\"/>"
                    );
                }
            }
            _ = write!(svg, "<text x=\"{:.1}\" y=\"48\">{}</text>", at + 28.0, escape(series.name));
        }
        _ = write!(
            svg,
            "<text x=\"{LEFT}\" y=\"{:.1}\" font-size=\"11\">{}</text></svg>",
            HEIGHT - 12.0,
            escape(self.unit)
        );
        svg
    }

    fn line(&self, svg: &mut String, style: usize, series: &Series, top: f64) {
        let points: Vec<(f64, f64)> = series
            .values
            .iter()
            .enumerate()
            .map(|(place, value)| (self.middle(place), height_of(*value, top)))
            .collect();
        let path: Vec<String> = points.iter().map(|(x, y)| format!("{x:.1} {y:.1}")).collect();
        if !path.is_empty() {
            _ = write!(svg, "<path class=\"line s{style} l{style}\" d=\"M{}\"/>", path.join("L"));
        }
        for (x, y) in points {
            _ = write!(svg, "<circle class=\"b{style}\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3\"/>");
        }
    }

    fn bars(&self, svg: &mut String, row: usize, style: usize, series: &Series, top: f64) {
        let slot = self.slot();
        let width = (slot * 0.8 / self.series.len().max(1) as f64).clamp(1.0, 60.0);
        let begin = self.series.len() as f64 * width / -2.0 + width * row as f64;
        for (place, value) in series.values.iter().enumerate() {
            let y = height_of(*value, top);
            _ = write!(
                svg,
                "<rect class=\"b{style}\" x=\"{:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{:.1}\"/>",
                self.middle(place) + begin,
                (HEIGHT - BOTTOM - y).max(0.0)
            );
        }
    }

    /// How wide one place across is.
    fn slot(&self) -> f64 {
        (WIDTH - LEFT - RIGHT) / self.across.len().max(1) as f64
    }

    fn middle(&self, place: usize) -> f64 {
        LEFT + self.slot() * (place as f64 + 0.5)
    }
}

/// Where a value stands on the page.
fn height_of(value: f64, top: f64) -> f64 {
    HEIGHT - BOTTOM - (HEIGHT - BOTTOM - TOP) * (value / top).clamp(0.0, 1.0)
}

/// The next number above `most` that four steps divide well.
fn round_up(most: f64) -> f64 {
    if most <= 0.0 {
        return 1.0;
    }
    let power = 10_f64.powf(most.log10().floor());
    [1.0, 2.0, 4.0, 8.0, 10.0].into_iter().map(|step| step * power).find(|top| *top >= most).unwrap_or(most)
}

fn number(value: f64) -> String {
    match value {
        whole if whole.fract().abs() < 1e-9 => format!("{whole:.0}"),
        small if small < 1.0 => format!("{small:.3}"),
        other => format!("{other:.1}"),
    }
}

/// Text as it may stand in SVG and HTML.
#[must_use]
pub fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use ledger::shadow::Day;

    use super::*;

    fn day(number: i32, candidate: u16, added: u64) -> Rollup {
        let mut durations = [0; 10];
        durations[2] = 7;
        Rollup {
            compared: 10,
            changed: added.min(10),
            overlap: 40,
            added,
            removed: added / 2,
            durations,
            ..Rollup::new(PolicyName(2), PolicyName(candidate), Day(20_000 + number))
        }
    }

    #[test]
    fn every_pair_has_three_charts_in_order_of_days() {
        let rollups = [day(2, 3, 4), day(0, 3, 0), day(1, 1, 9), day(1, 3, 2)];
        let all = charts(&rollups);
        let names: Vec<&str> = all.iter().map(|chart| chart.name.as_str()).collect();
        let expected = ["agreement", "changes", "durations"];
        let expected: Vec<String> =
            [1, 3].iter().flat_map(|of| expected.map(|what| format!("{what}-turn-2-turn-{of}"))).collect();
        assert_eq!(names, expected);
        assert_eq!(all[3].across, ["2024-10-04", "2024-10-05", "2024-10-06"]);
        assert_eq!(all[4].series[0].values, [0.0, 0.2, 0.4]);
        assert_eq!(all[5].series[0].values[2], 21.0);
        assert!(charts(&[]).is_empty());
    }

    #[test]
    fn an_svg_is_whole_and_tells_itself() {
        let many: Vec<Rollup> = (0..400).map(|number| day(number, 3, number as u64 % 5)).collect();
        for chart in charts(&many).iter().chain(&charts(&[day(0, 3, 0)])) {
            let svg = chart.svg();
            assert!(svg.starts_with("<svg ") && svg.ends_with("</svg>"), "{svg}");
            assert!(
                !svg.contains("script")
                    && !svg.contains("href")
                    && !svg.contains("NaN")
                    && !svg.contains("inf")
            );
            assert!(svg.contains("role=\"img\"") && svg.contains("<title id=") && svg.contains("<desc id="));
            assert!(svg.contains("prefers-color-scheme:dark"));
            // Every element that is opened is closed: each `<` begins one that ends itself or has its end.
            let opened = svg.matches('<').count();
            let ended = svg.matches("/>").count() + 2 * svg.matches("</").count();
            assert_eq!(opened, ended, "{svg}");
            // As many labels as there is room for.
            let drawn = svg.matches("font-size=\"11\"").count() - 1;
            assert!(drawn <= 2 * LABELS_MAX && drawn > 0, "{drawn}");
        }
    }

    #[test]
    fn scales_and_texts_are_fit_to_draw() {
        assert_eq!([0.0, 0.3, 1.0, 1.1, 5.0, 81.0].map(round_up), [1.0, 0.4, 1.0, 2.0, 8.0, 100.0]);
        assert_eq!([0.0, 25.0, 0.125, 2.5].map(number), ["0", "25", "0.125", "2.5"]);
        assert_eq!(escape("<a & \"b\">"), "&lt;a &amp; &quot;b&quot;&gt;");
    }
}
