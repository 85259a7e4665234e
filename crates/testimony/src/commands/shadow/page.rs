//! The report as one page: charts, the same numbers as tables, and the lanes of evaluation beside them. No script, and
//! nothing is fetched.

use std::fmt::Write;

use engine::shadow::chart::{Chart, escape};
use ledger::shadow::Event;

use super::{Pair, Report};

const STYLE: &str = "\
:root{color-scheme:light dark}body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}\
svg{max-width:100%;height:auto}table{border-collapse:collapse;margin:1rem 0}\
th,td{text-align:right;padding:.2rem .6rem;border-bottom:1px solid}th:first-child,td:first-child{text-align:left}";

/// The whole page.
pub(super) fn page(report: &Report, charts: &[Chart]) -> String {
    let mut page = format!(
        "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width\"><title>Shadow lane</title><style>{STYLE}</style></head>\
         <body><h1>Shadow lane</h1><p>What a policy on trial would have chosen beside the one that chose. Numbers only: \
         nothing here says whose turns they were.</p>"
    );
    if let Some(lanes) = &report.lanes {
        page.push_str("<h2>Lanes of evaluation</h2>");
        let rows = lanes
            .each()
            .map(|(name, lane)| vec![name.to_owned(), lane.passed.to_string(), lane.cases.to_string()]);
        table(&mut page, &["lane", "passed", "cases"], rows);
    }
    for pair in &report.pairs {
        tell(&mut page, pair, charts);
    }
    if report.pairs.is_empty() {
        page.push_str("<p>Nothing was compared yet.</p>");
    }
    page.push_str("<h2>Counted</h2>");
    let rows = Event::ALL.iter().map(|event| vec![event.to_string(), report.counted.of(*event).to_string()]);
    table(&mut page, &["what", "times"], rows);
    page.push_str("</body></html>\n");
    page
}

fn tell(page: &mut String, pair: &Pair, charts: &[Chart]) {
    _ = write!(
        page,
        "<h2>{} beside {}</h2><p>{} turns compared, {} came out differently. Of what either chose, both chose {:.1} %. \
         Disputes: {} added, {} removed. {:+.1} tokens a turn.</p>",
        pair.candidate,
        pair.standing,
        pair.compared,
        pair.changed,
        100.0 * pair.agreement,
        pair.disputes_added,
        pair.disputes_removed,
        pair.tokens_difference_per_turn
    );
    let own = format!("-turn-{}-turn-{}", pair.standing.0, pair.candidate.0);
    for chart in charts.iter().filter(|chart| chart.name.ends_with(&own)) {
        _ = write!(page, "<figure>{}</figure>", chart.svg());
        let mut heads = vec![""];
        heads.extend(chart.series.iter().map(|series| series.name));
        let rows = chart.across.iter().enumerate().map(|(place, label)| {
            let numbers = chart.series.iter().filter_map(|series| series.values.get(place));
            std::iter::once(label.clone()).chain(numbers.map(|number| format!("{number:.2}"))).collect()
        });
        _ = write!(page, "<details><summary>The numbers ({})</summary>", escape(chart.unit));
        table(page, &heads, rows);
        page.push_str("</details>");
    }
}

fn table(page: &mut String, heads: &[&str], rows: impl Iterator<Item = Vec<String>>) {
    page.push_str("<table><thead><tr>");
    heads.iter().for_each(|head| _ = write!(page, "<th scope=\"col\">{}</th>", escape(head)));
    page.push_str("</tr></thead><tbody>");
    for row in rows {
        page.push_str("<tr>");
        row.iter().for_each(|cell| _ = write!(page, "<td>{}</td>", escape(cell)));
        page.push_str("</tr>");
    }
    page.push_str("</tbody></table>");
}
