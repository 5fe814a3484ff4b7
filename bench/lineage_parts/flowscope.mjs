// Measures FlowScope's WASM build: requests as JSON on stdin, CPU seconds as JSON on stdout.
// usage: node flowscope.mjs PACKAGE_FOLDER
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const folder = process.argv[2];
const engine = await import(pathToFileURL(`${folder}/wasm/flowscope_wasm.js`));
engine.initSync({ module: readFileSync(`${folder}/wasm/flowscope_wasm_bg.wasm`) });
const { queries, workload, rounds, few } = JSON.parse(readFileSync(0, "utf8"));

// What the package's own `analyzeSql` does: objects in, objects out.
const objects = (request) => JSON.parse(engine.analyze_sql_json(JSON.stringify(request)));
const text = (request) => engine.analyze_sql_json(request);

// The least of every few requests, added up, as `clock.py` does it.
function seconds(requests, analyze) {
  const best = [];
  for (let round = 0; round < rounds; round += 1) {
    for (let place = 0; place * few < requests.length; place += 1) {
      const start = process.cpuUsage();
      for (const request of requests.slice(place * few, (place + 1) * few)) analyze(request);
      const used = process.cpuUsage(start);
      best[place] = Math.min(best[place] ?? Infinity, (used.user + used.system) / 1e6);
    }
  }
  return best.reduce((sum, one) => sum + one, 0);
}

const texts = (requests) => requests.map((request) => JSON.stringify(request));
console.log(
  JSON.stringify({
    text: { queries: seconds(texts(queries), text), workload: seconds(texts([workload]), text) },
    objects: { queries: seconds(queries, objects), workload: seconds([workload], objects) },
  }),
);
