// What this project makes of the models that `llama.py make` wrote: their logits, their tokens of the texts asked for, and
// those put together again.
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { Template } from '@huggingface/jinja';
import * as tf from '@tensorflow/tfjs-core';
import { startBackend } from '../bench/shared/nodeBackend.ts';
import { readLlama } from '../src/formats/llama/llamaModel.ts';
import { logits, rowHiddenStates } from '../src/model/network/llama.ts';
import { uploadTree } from '../src/model/network/parameters.ts';
import { rotaryTables } from '../src/model/network/positions.ts';
import { tokenizerOf } from '../src/text/tokenizer.ts';

const [folder = 'interop-files'] = process.argv.slice(2);
await startBackend('simd', { ours: true });
const { models, texts, messages } = JSON.parse(readFileSync(path.join(folder, 'asked.json'), 'utf8')) as {
  models: string[];
  texts: string[];
  messages: object[];
};

const read: Record<string, object> = {};
for (const name of models) {
  const model = await readLlama(
    readdirSync(path.join(folder, name)).map((file) => {
      const at = path.join(folder, name, file);
      return { name: file, size: statSync(at).size, bytes: () => Promise.resolve(new Uint8Array(readFileSync(at))) };
    }),
  );
  const { shape, weights, types, special, chatTemplate } = model;
  const tokenizer = tokenizerOf(model.tokenizer);
  const plain = texts.map((text) => tokenizer.encode(text));
  const ids = plain.flat().slice(0, 96);
  const tree = uploadTree(weights, shape);
  const { cos, sin } = rotaryTables(ids.length, shape.headSize, shape.ropeTheta);
  const table = (values: Float32Array) => tf.tensor3d(values, [1, ids.length, shape.headSize]);
  const rows = tf.tidy(() => {
    const rotation = { cos: table(cos), sin: table(sin) };
    return logits(rowHiddenStates(tf.tensor2d([ids], undefined, 'int32'), { tree, shape, rotation }), tree, shape);
  });
  read[name] = {
    ...{ ids, types, plain, logits: await rows.array() },
    opened: texts.map((text) => tokenizer.encodeWhole(text)),
    back: plain.map((row) => tokenizer.decode(row)),
    chat: new Template(chatTemplate ?? '').render({ ...special, messages, add_generation_prompt: true }),
  };
}
writeFileSync(path.join(folder, 'read.json'), JSON.stringify(read));
process.exit(0);
