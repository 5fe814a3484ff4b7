// Measures FlowScope's WASM build, a round at a time, so that others can take turns with it.
// usage: node flowscope.mjs PACKAGE_FOLDER
// First line on stdin: {queries, workload, few}. Each line behind it: {way, what}, answered by a line with the
// CPU seconds of every few requests, as `clock.py` counts them.
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

const folder = process.argv[2];
const engine = await import(pathToFileURL(`${folder}/wasm/flowscope_wasm.js`));
engine.initSync({ module: readFileSync(`${folder}/wasm/flowscope_wasm_bg.wasm`) });

const ways = {
  // What the package's own `analyzeSql` does: objects in, objects out.
  objects: (request) => JSON.parse(engine.analyze_sql_json(JSON.stringify(request))),
  text: (request) => engine.analyze_sql_json(request),
};

function seconds(requests, few, analyze) {
  const used = [];
  for (let first = 0; first < requests.length; first += few) {
    const start = process.cpuUsage();
    for (const request of requests.slice(first, first + few)) analyze(request);
    const { user, system } = process.cpuUsage(start);
    used.push((user + system) / 1e6);
  }
  return used;
}

const texts = (requests) => requests.map((request) => JSON.stringify(request));
let given;
for await (const line of createInterface({ input: process.stdin })) {
  const asked = JSON.parse(line);
  if (given === undefined) {
    const objects = { queries: asked.queries, workload: [asked.workload] };
    const text = { queries: texts(objects.queries), workload: texts(objects.workload) };
    given = { few: asked.few, objects, text };
  } else {
    const { way, what } = asked;
    console.log(JSON.stringify(seconds(given[way][what], given.few, ways[way])));
  }
}
