"""The look and the behaviour of the HTML report: one style sheet and one small script, both inline."""

from __future__ import annotations

STYLE = """
:root { --ink: #1c2127; --soft: #5f6b7c; --line: #d8dee6; --paper: #fff; --ground: #f6f8fa;
  --imported: #2e7d32; --implied: #1f5fa8; --unknown: #b26a00; --local: #6b7280; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e9ee; --soft: #9aa5b4; --line: #3a424d;
  --paper: #1d2228; --ground: #14181d; --imported: #66bb6a; --implied: #64a5e8; --unknown: #e0a045; --local: #9aa5b4; } }
* { box-sizing: border-box; }
body { margin: 0; color: var(--ink); background: var(--ground);
  font: 15px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; }
header, main { max-width: 1400px; margin: 0 auto; padding: 20px 24px; }
h1 { margin: 0 0 6px; font-size: 24px; } h2 { margin: 0 0 12px; font-size: 17px; }
section { background: var(--paper); border: 1px solid var(--line); border-radius: 10px; padding: 18px; margin-bottom: 18px; }
.facts { display: flex; flex-wrap: wrap; gap: 4px 22px; margin: 0; padding: 0; list-style: none; color: var(--soft); }
.facts b { color: var(--ink); }
.canvas { overflow: auto; max-height: 75vh; }
table { border-collapse: collapse; width: 100%; font-size: 14px; }
th { text-align: left; color: var(--soft); font-weight: 600; }
th, td { padding: 4px 14px 4px 0; border-bottom: 1px solid var(--line); vertical-align: top; }
input { font: inherit; color: inherit; background: var(--ground); border: 1px solid var(--line);
  border-radius: 6px; padding: 5px 10px; margin-bottom: 10px; width: min(320px, 100%); }
details { margin-bottom: 6px; } summary { cursor: pointer; font-weight: 600; } small { color: var(--soft); font-weight: 400; }
svg text { font-size: 12px; fill: var(--ink); }
.frame { fill: var(--paper); stroke: var(--line); }
.name rect { fill: var(--box); opacity: .16; } .name text { font-weight: 600; }
.imported { --box: var(--imported); } .implied { --box: var(--implied); }
.unknown { --box: var(--unknown); } .local { --box: var(--local); }
.column rect { fill: transparent; } .column:hover rect { fill: var(--line); }
.column, .name { cursor: pointer; } .more { fill: var(--soft); }
.arrow { fill: none; stroke: var(--soft); stroke-width: 1.1; opacity: .7; }
.arrow.derivation { stroke-width: 1.9; } .arrow.approximate { stroke-dasharray: 5 4; stroke: var(--unknown); }
.arrow.join_dependency, .arrow.indirect_dependency { stroke-dasharray: 1 4; }
marker path { fill: var(--soft); }
svg.focused .arrow { opacity: .08; } svg.focused .column text, svg.focused .name text { opacity: .3; }
svg.focused .lit.arrow { opacity: 1; stroke: var(--implied); } svg.focused .lit text { opacity: 1; }
.legend { display: flex; flex-wrap: wrap; gap: 6px 18px; color: var(--soft); font-size: 13px; margin: 12px 0 0; }
.legend span::before { content: ""; display: inline-block; width: 18px; margin-right: 6px; vertical-align: middle;
  border-top: 10px solid var(--box); opacity: .6; }
.legend .line::before { border-top: 1px solid var(--soft); opacity: 1; }
.legend .computed::before { border-top-width: 2.5px; }
.legend .approximate::before { border-top: 2px dashed var(--unknown); }
"""

# Pointing lights up everything upstream and downstream; a click keeps it lit until the next click.
SCRIPT = """
const svg = document.querySelector("svg");
const arrows = [...svg.querySelectorAll(".arrow")];
const nodes = [...svg.querySelectorAll("[data-node]")];
let kept = null;
function neighbours(from, to) {
  const found = new Map();
  for (const { dataset } of arrows) {
    if (!found.has(dataset[from])) found.set(dataset[from], []);
    found.get(dataset[from]).push(dataset[to]);
  }
  return found;
}
const upward = neighbours("to", "from"), downward = neighbours("from", "to");
function reach(start, next) {
  const found = new Set([start]), queue = [start];
  while (queue.length) for (const node of next.get(queue.pop()) ?? []) {
    if (!found.has(node)) { found.add(node); queue.push(node); }
  }
  return found;
}
function light(node) {
  svg.classList.toggle("focused", node !== null);
  const up = node === null ? new Set() : reach(node, upward);
  const down = node === null ? new Set() : reach(node, downward);
  for (const item of nodes) item.classList.toggle("lit", up.has(item.dataset.node) || down.has(item.dataset.node));
  for (const arrow of arrows) {
    const { from, to } = arrow.dataset;
    arrow.classList.toggle("lit", (up.has(from) && up.has(to)) || (down.has(from) && down.has(to)));
  }
}
for (const item of nodes) {
  item.addEventListener("mouseenter", () => kept === null && light(item.dataset.node));
  item.addEventListener("mouseleave", () => kept === null && light(null));
  item.addEventListener("click", (event) => {
    event.stopPropagation();
    kept = kept === item.dataset.node ? null : item.dataset.node;
    light(kept);
  });
}
document.addEventListener("click", () => { kept = null; light(null); });
const search = document.getElementById("search");
search?.addEventListener("input", () => {
  const wanted = search.value.toLowerCase();
  for (const row of document.querySelectorAll("#mappings tbody tr")) {
    row.hidden = !row.textContent.toLowerCase().includes(wanted);
  }
});
"""
