#include "view/style.hpp"

namespace dpm::view {

std::string_view style_sheet() {
  return R"css(
:root {
  color-scheme: light dark;
  --page: #f6f7f9; --card: #ffffff; --ink: #1b2430; --muted: #5b6878; --line: #dfe4ea; --soft: #eef1f5;
  --c0: #2a66b1; --c1: #d2762b; --c2: #2f8a62; --c3: #8059a8; --c4: #b8474b; --c5: #6b7480;
  --heat: #2a66b1; --plus: #c8642a; --minus: #2a66b1; --on-heat: #ffffff; --pass: #1f7a4d; --fail: #b3312f;
  --warn-page: #fff7e3; --warn-line: #e5c56b; --warn-ink: #5d4708;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #11151a; --card: #1a2027; --ink: #e4e9ef; --muted: #98a5b4; --line: #2f3842; --soft: #232b34;
    --c0: #6fa8ec; --c1: #e79a5b; --c2: #63bd92; --c3: #b292d8; --c4: #e0797c; --c5: #9aa5b1;
    --heat: #6fa8ec; --plus: #e58a4e; --minus: #6fa8ec; --on-heat: #0d1116; --pass: #6fcf9d; --fail: #ef8683;
    --warn-page: #2b2617; --warn-line: #6b5a26; --warn-ink: #e9d79b;
  }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--ink); line-height: 1.5;
  font: 15px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", "Liberation Sans", Arial, sans-serif; }
main { max-width: 1160px; margin: 0 auto; padding: 32px 20px 48px; }
h1 { font-size: 28px; line-height: 1.2; margin: 0 0 4px; letter-spacing: -0.015em; overflow-wrap: anywhere; }
h2 { font-size: 20px; margin: 44px 0 4px; letter-spacing: -0.01em; }
h3 { font-size: 15px; margin: 0 0 10px; font-weight: 600; }
p { margin: 0; max-width: 78ch; }
.subtitle, .lead { color: var(--muted); }
.lead { margin-bottom: 16px; }
.top { display: flex; flex-wrap: wrap; gap: 20px; margin: 22px 0 0; align-items: stretch; }
.headline { background: var(--card); border: 1px solid var(--line); border-radius: 10px; padding: 16px 20px; flex: 1 1 200px; }
.headline .label { color: var(--muted); font-size: 13px; }
.headline .value { font-size: 40px; line-height: 1.15; font-weight: 650; letter-spacing: -0.02em;
  font-variant-numeric: tabular-nums; color: var(--c0); }
.headline .meaning { font-size: 13.5px; color: var(--muted); }
dl.facts { display: grid; grid-template-columns: repeat(auto-fit, minmax(150px, 1fr)); gap: 12px 24px; margin: 20px 0 0;
  padding: 16px 20px; background: var(--card); border: 1px solid var(--line); border-radius: 10px; }
dl.facts div { min-width: 0; }
dt { color: var(--muted); font-size: 12.5px; }
dd { margin: 0; font-weight: 550; overflow-wrap: anywhere; }
.ledger { margin: 20px 0 0; padding: 14px 20px 16px; background: var(--card); border: 1px solid var(--line); border-radius: 10px; }
.ledger .parts { display: flex; height: 10px; border-radius: 5px; overflow: hidden; background: var(--soft); margin: 8px 0; }
.ledger .parts span { display: block; min-width: 2px; }
.ledger .kept, .key.kept { background: var(--c2); } .ledger .filtered, .key.filtered { background: var(--c5); }
.ledger .lost, .key.lost { background: var(--c4); }
.ledger ul { margin: 8px 0 0; padding-left: 20px; font-size: 14px; }
.counts { display: flex; flex-wrap: wrap; gap: 4px 22px; font-size: 14px; font-variant-numeric: tabular-nums; }
.key { display: inline-block; width: 10px; height: 10px; border-radius: 2px; margin-right: 6px; }
.warnings { margin: 20px 0 0; padding: 12px 20px; border: 1px solid var(--warn-line); border-radius: 10px;
  background: var(--warn-page); color: var(--warn-ink); font-size: 14px; overflow-wrap: anywhere; }
.warnings ul { margin: 4px 0 0; padding-left: 20px; }
.grid { display: grid; grid-template-columns: repeat(2, minmax(0, 1fr)); gap: 20px; }
figure { margin: 0; padding: 16px 18px 14px; background: var(--card); border: 1px solid var(--line); border-radius: 10px; min-width: 0; }
figure.wide, figure.alone { grid-column: 1 / -1; }
@media (min-width: 761px) {
  .wide td:first-child { white-space: nowrap; }
  figure.alone:has(figcaption) { display: grid; grid-template-columns: minmax(0, 520px) minmax(0, 1fr); column-gap: 44px; align-items: center; }
  figure.alone h3 { grid-column: 1 / -1; }
}
figcaption { margin-top: 10px; color: var(--muted); font-size: 13.5px; max-width: 90ch; overflow-wrap: anywhere; }
.scroll { overflow-x: auto; }
svg { display: block; max-width: 100%; height: auto; margin: 0 auto; }
table { border-collapse: collapse; width: 100%; font-size: 14px; font-variant-numeric: tabular-nums; }
th { text-align: left; color: var(--muted); font-weight: 550; font-size: 12.5px; padding: 4px 9px 6px; vertical-align: bottom;
  border-bottom: 1px solid var(--line); }
td { padding: 6px 9px; border-bottom: 1px solid var(--soft); vertical-align: top; }
tr:last-child td { border-bottom: 0; }
.number { text-align: right; white-space: nowrap; }
th:first-child, td:first-child { padding-left: 0; } th:last-child, td:last-child { padding-right: 0; }
td.prose { min-width: 15em; white-space: normal !important; } td.muted { color: var(--muted); } td.strong { font-weight: 600; }
td.pass { color: var(--pass); white-space: nowrap; } td.fail { color: var(--fail); font-weight: 600; white-space: nowrap; }
footer { margin-top: 40px; color: var(--muted); font-size: 13px; }
svg text { font-family: inherit; fill: var(--ink); font-size: 12px; }
svg .tick, svg .label, svg .legend { fill: var(--muted); }
svg .value { font-variant-numeric: tabular-nums; } svg .name { font-size: 13px; }
.axis { stroke: var(--muted); stroke-width: 1; } .rule { stroke: var(--line); stroke-width: 1; }
.reference { stroke: var(--c4); stroke-width: 1.2; stroke-dasharray: 5 4; }
.line { fill: none; stroke-width: 2; stroke-linejoin: round; stroke-linecap: round; } .dashed { stroke-dasharray: 6 5; }
.mark { stroke: var(--card); stroke-width: 1.5; }
.line.s0 { stroke: var(--c0); } .line.s1 { stroke: var(--c1); } .line.s2 { stroke: var(--c2); }
.line.s3 { stroke: var(--c3); } .line.s4 { stroke: var(--c4); } .line.s5 { stroke: var(--c5); }
.fill.s0, .mark.s0 { fill: var(--c0); } .fill.s1, .mark.s1 { fill: var(--c1); } .fill.s2, .mark.s2 { fill: var(--c2); }
.fill.s3, .mark.s3 { fill: var(--c3); } .fill.s4, .mark.s4 { fill: var(--c4); } .fill.s5, .mark.s5 { fill: var(--c5); }
.fill.heat { fill: var(--heat); } .fill.heat-plus { fill: var(--plus); } .fill.heat-minus { fill: var(--minus); }
.cell-empty { fill: var(--soft); } svg .cell-text.strong { fill: var(--on-heat); }
.node { fill: var(--card); stroke: var(--muted); stroke-width: 1.4; } .node.outside { stroke-dasharray: 5 4; }
svg .node-name { font-size: 13.5px; font-weight: 600; } svg .node-note { font-size: 11.5px; fill: var(--muted); }
.arc { fill: none; stroke: var(--c0); stroke-opacity: 0.75; } .arc-head { fill: var(--c0); }
svg .arc-label { font-size: 11.5px; font-weight: 600; paint-order: stroke; stroke: var(--card); stroke-width: 4px; stroke-linejoin: round;
  font-variant-numeric: tabular-nums; }
.band { fill: var(--soft); fill-opacity: 0.55; } svg .machine { font-weight: 600; }
.busy { fill: var(--c0); } .blocked { stroke: var(--c5); stroke-width: 1.5; stroke-dasharray: 2 3; }
.message { stroke: var(--c1); stroke-width: 1.1; } .message-end { fill: var(--c1); }
.wait { stroke: var(--c4); stroke-width: 1.1; stroke-dasharray: 4 2; } .wait-end { fill: var(--c4); }
@media (max-width: 760px) {
  main { padding: 20px 12px 32px; } h1 { font-size: 23px; } .grid { grid-template-columns: minmax(0, 1fr); gap: 14px; }
  figure { padding: 12px; } figure.wide .scroll > svg { max-width: none; } .headline .value { font-size: 32px; }
  figure:not(.wide) .scroll > svg { min-width: 440px; } td.prose { min-width: 11em; }
}
@media print { body { background: none; } figure, .headline { break-inside: avoid; } }
)css";
}

}  // namespace dpm::view
