// Measures FlowScope's WASM build: requests as JSON on stdin, CPU seconds as JSON on stdout.
// usage: node flowscope.mjs PACKAGE_FOLDER
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const folder = process.argv[2];
const engine = await import(pathToFileURL(`${folder}/wasm/flowscope_wasm.js`));
engine.initSync({ module: readFileSync(`${folder}/wasm/flowscope_wasm_bg.wasm`) });
const { queries, workload, rounds } = JSON.parse(readFileSync(0, "utf8"));

function seconds(requests) {
  let best = Infinity;
  for (let round = 0; round < rounds; round += 1) {
    const start = process.cpuUsage();
    for (const request of requests) engine.analyze_sql_json(request);
    const used = process.cpuUsage(start);
    best = Math.min(best, (used.user + used.system) / 1e6);
  }
  return best;
}

console.log(JSON.stringify({ queries: seconds(queries), workload: seconds([workload]) }));
