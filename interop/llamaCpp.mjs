// Compares llama.cpp's results for the GGUF files of Cothink with the expected ones. Each model is loaded in a separate
// process, because an invalid file crashes the whole process. The arguments are the folder of node-llama-cpp and the
// folder of the files with their expected results.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

const [tool = '', folder = '', only] = process.argv.slice(2);
/** @type {{ models: { name: string, context: string, ids: number[], greedy: number[] }[] }} */
const { models } = JSON.parse(readFileSync(path.join(folder, 'expected.json'), 'utf8'));
const fileOf = (/** @type {string} */ name) => path.join(folder, name, 'model.gguf');

if (only === undefined) checkAll();
else await show(only);

/** Prints the tokens of a model's context, and the same with the likeliest tokens after them. @param {string} name */
async function show(name) {
  const own = models.find((model) => model.name === name);
  if (!own) throw new Error(`${name}: there is no such model`);
  const { getLlama } = await import(pathToFileURL(path.join(tool, 'node_modules/node-llama-cpp/dist/index.js')).href);
  const llama = await getLlama({ gpu: false, build: 'never', progressLogs: false, logLevel: 'error', maxThreads: 1 });
  const model = await llama.loadModel({ modelPath: fileOf(name) });
  const ids = [...model.tokenize(own.context, true)];
  // The cache is exact, because with half precision the other of two nearly equally likely tokens may be chosen.
  const exact = { experimentalKvCacheKeyType: 'F32', experimentalKvCacheValueType: 'F32', flashAttention: false };
  const context = await model.createContext({ contextSize: own.greedy.length + 1, threads: 1, ...exact });
  const row = [...own.ids];
  for await (const token of context.getSequence().evaluate(own.ids, { temperature: 0, yieldEogToken: true })) {
    row.push(token);
    if (row.length === own.greedy.length) break;
  }
  process.stdout.write(`${JSON.stringify({ ids, row, text: model.detokenize(own.ids, true) })}\n`, () =>
    process.exit(0),
  );
}

function checkAll() {
  const version = JSON.parse(readFileSync(path.join(tool, 'node_modules/node-llama-cpp/package.json'), 'utf8')).version;
  const found = { version, passed: 0, failed: 0 };
  const check = (/** @type {string} */ says, /** @type {boolean} */ isRight, detail = '') => {
    if (isRight) found.passed++;
    else found.failed++;
    if (!isRight) console.log(`FAILED ${says}${detail && `: ${detail}`}`);
  };
  for (const { name, context, ids, greedy } of models.filter((model) => existsSync(fileOf(model.name)))) {
    const program = [process.argv[1] ?? '', tool, folder, name];
    /** @type {{ ids: number[], row: number[], text: string }} */
    let said;
    try {
      said = JSON.parse(execFileSync(process.execPath, program, { encoding: 'utf8' }).trim().split('\n').at(-1) ?? '');
    } catch (error) {
      check(`llama.cpp loads our GGUF: ${name}`, false, String(error).split('\n')[0]);
      continue;
    }
    check(`llama.cpp loads our GGUF: ${name}`, true);
    check(`llama.cpp splits the context into our tokens: ${name}`, String(said.ids) === String(ids), `${said.ids}`);
    check(`llama.cpp decodes the tokens to the context: ${name}`, said.text === context, JSON.stringify(said.text));
    check(`llama.cpp generates the same likeliest tokens: ${name}`, String(said.row) === String(greedy), `${said.row}`);
  }
  console.log(`counts ${JSON.stringify({ 'llama.cpp by node-llama-cpp': found })}`);
  process.exit(found.failed > 0 ? 1 : 0);
}
