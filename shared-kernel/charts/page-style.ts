/** Of a page of figures, on a screen and on paper. */
export const pageStyle = `
:root { --paper: #fff; --ground: #f4f5f7; --ink: #1b2430; --quiet: #667080; --line: #e4e7ec; --accent: #2456c7;
  --up: #17794a; --down: #b3382c; }
@media (prefers-color-scheme: dark) { :root { --paper: #1a1f27; --ground: #11151b; --ink: #e8ebf0; --quiet: #98a1af;
  --line: #2f353e; --accent: #86a9ff; --up: #5fc896; --down: #f0887c; } }
* { box-sizing: border-box; }
body { margin: 0; padding: 2.5rem 1.5rem; background: var(--ground); color: var(--ink);
  font: 15px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; font-variant-numeric: tabular-nums; }
header, main, footer { max-width: 66rem; margin: 0 auto; }
h1 { margin: 0; font-size: 2rem; line-height: 1.2; letter-spacing: -.02em; font-weight: 650; }
h2 { margin: 0; font-size: .9rem; font-weight: 600; }
p { margin: 0; }
.store { color: var(--accent); font-weight: 600; }
.quiet { color: var(--quiet); font-weight: 400; }
header .quiet { margin-top: .3rem; }
.cards { display: grid; grid-template-columns: repeat(auto-fit, minmax(max(9.5rem, 30%), 1fr)); gap: .8rem; margin: 1.6rem 0 .8rem; }
.card, .panel { background: var(--paper); border: 1px solid var(--line); border-radius: 10px; padding: 1rem 1.1rem; }
.card h2 { color: var(--quiet); font-weight: 500; font-size: .82rem; }
.figure { font-size: 1.45rem; font-weight: 650; letter-spacing: -.015em; line-height: 1.35; }
.change { font-size: .8rem; min-height: 1.3rem; }
.up { color: var(--up); font-weight: 600; } .down { color: var(--down); font-weight: 600; }
.tr-spark { display: block; width: 100%; height: auto; margin-top: .5rem; color: var(--accent); }
.panel { margin-top: .8rem; overflow-x: auto; }
.panel svg { display: block; margin-top: .6rem; min-width: 24rem; }
.wide svg { min-width: 42rem; }
.halves { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(22rem, 100%), 1fr)); gap: 0 .8rem; }
table { width: 100%; border-collapse: collapse; margin-top: .5rem; font-size: .9rem; }
th { text-align: left; font-weight: 400; }
thead th { color: var(--quiet); font-size: .8rem; }
td, thead th { text-align: right; }
th:first-child { text-align: left; }
tbody th, tbody td { border-top: 1px solid var(--line); padding: .38rem 0; }
td + td { padding-left: 1rem; }
.sum th, .sum td { font-weight: 650; }
tbody tr:first-child > * { border-top: 0; }
.sold th { padding-right: 1rem; width: 99%; }
.sold td { white-space: nowrap; vertical-align: top; }
.bar { display: block; height: 4px; margin-top: .25rem; border-radius: 2px; background: var(--accent); opacity: .75; }
footer { margin-top: 1.4rem; color: var(--quiet); font-size: .8rem; }
@media print { :root { --paper: #fff; --ground: #fff; --ink: #1b2430; --quiet: #667080; --line: #d8dce2;
  --accent: #2456c7; --up: #17794a; --down: #b3382c; }
  body { padding: 0; font-size: 12px; print-color-adjust: exact; }
  .card, .panel { break-inside: avoid; padding: .7rem .8rem; }
  .cards { grid-template-columns: repeat(3, 1fr); } .halves { grid-template-columns: 1fr 1fr; }
  .panel svg { min-width: 0; } @page { margin: 14mm; } }
`;
