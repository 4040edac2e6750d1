// Checks the results of onnxruntime-web, which runs models in a browser, for the graphs of each agent that files.ts
// exported: the logits, and the likeliest tokens with its cache. Checks are counted like those in Python (counted.py).
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { InferenceSession, Tensor } from 'onnxruntime-web';

/** @typedef {{ name: string, ids: number[], logits: number[][], greedy: number[] }} Expected */

const [folder = 'interop-files'] = process.argv.slice(2);
const { models } = /** @type {{ models: Expected[] }} */ (readJson(path.join(folder, 'expected.json')));
const { version } = /** @type {{ version: string }} */ (readJson(versionFile()));
const counts = { version, passed: 0, failed: 0 };

/**
 * Prints a line with the result of one check and counts it.
 * @param {string} words @param {boolean} isGood @param {string} [detail]
 */
function check(words, isGood, detail = '') {
  counts[isGood ? 'passed' : 'failed'] += 1;
  console.log(isGood ? `ok     ${words}` : `FAILED ${words} ${detail}`);
}

for (const model of models) await checkModel(model);
console.log(`counts ${JSON.stringify({ 'onnxruntime-web': counts })}`);
process.exit(counts.failed > 0 ? 1 : 0);

/** @param {Expected} expected */
async function checkModel({ name, ids, logits, greedy }) {
  const plain = await opened(name, 'model.onnx');
  const { logits: whole } = await plain.run(feeds(ids, 0));
  const off = apart(valuesOf(whole), logits.flat());
  check(`onnxruntime-web gives the page's logits to 1e-4: ${name}`, off < 1e-4, `${off.toExponential(1)} apart`);

  const cached = await opened(name, 'model_with_past.onnx');
  const row = [...ids];
  /** @type {Record<string, Tensor>} */
  let past = {};
  for (const given of cached.inputMetadata) {
    if (!given.isTensor || !given.name.startsWith('past_key_values')) continue;
    const [heads, , size] = given.shape.slice(1);
    past[given.name] = new Tensor('float32', [], [1, Number(heads), 0, Number(size)]);
  }
  let worst = 0;
  for (let start = 0; row.length < greedy.length;) {
    const step = await cached.run({ ...feeds(row, start), ...past });
    past = Object.fromEntries(
      Object.keys(past).map((key) => [key, /** @type {Tensor} */ (step[key.replace('past_key_values', 'present')])]),
    );
    const last = valuesOf(step['logits']).slice(-(logits[0]?.length ?? 0));
    if (start === 0) worst = apart(last, logits.at(-1) ?? []);
    start = row.length;
    row.push(last.indexOf(Math.max(...last)));
  }
  check(`onnxruntime-web gives these logits with its cache: ${name}`, worst < 1e-4, `${worst.toExponential(1)} apart`);
  const steps = greedy.length - ids.length;
  check(
    `onnxruntime-web generates the same ${steps} likeliest tokens with its cache: ${name}`,
    String(row) === String(greedy),
  );
  await Promise.all([plain.release(), cached.release()]);
}

/** @param {string} name @param {string} graph */
function opened(name, graph) {
  const bytes = (/** @type {string} */ file) => new Uint8Array(readFileSync(path.join(folder, name, file)));
  const externalData = [{ path: 'model.safetensors', data: bytes('model.safetensors') }];
  return InferenceSession.create(bytes(graph), { executionProviders: ['wasm'], externalData });
}

/**
 * Returns the inputs for the tokens of a row from `start` on, without masking.
 * @param {readonly number[]} row @param {number} start
 */
function feeds(row, start) {
  const wholes = (/** @type {readonly number[]} */ values) =>
    new Tensor('int64', values.map(BigInt), [1, values.length]);
  return {
    input_ids: wholes(row.slice(start)),
    attention_mask: wholes(row.map(() => 1)),
    position_ids: wholes([...row.keys()].slice(start)),
  };
}

/** @param {Tensor | undefined} tensor */
function valuesOf(tensor) {
  return Array.from(/** @type {Float32Array} */ (tensor?.data ?? new Float32Array()));
}

/**
 * Returns the largest difference, or NaN if the lists have different lengths.
 * @param {readonly number[]} some @param {readonly number[]} others
 */
function apart(some, others) {
  return some.length === others.length
    ? Math.max(...some.map((value, i) => Math.abs(value - (others[i] ?? NaN))))
    : NaN;
}

/** Returns the path of the package's package.json, which the package does not export. */
function versionFile() {
  const main = createRequire(import.meta.url).resolve('onnxruntime-web');
  return path.join(main.slice(0, main.lastIndexOf('onnxruntime-web')), 'onnxruntime-web', 'package.json');
}

/** @param {string} file @returns {unknown} */
function readJson(file) {
  return JSON.parse(readFileSync(file, 'utf8'));
}
