// What this project makes of the models that `llama.py make` wrote: their logits, their tokens of the texts asked for, and
// those put together again; and an agent that was trained on each, taken away, with its logits.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { Template } from '@huggingface/jinja';
import { modelAt } from '../cli/stored/model.ts';
import { startBackend } from '../bench/shared/nodeBackend.ts';
import { heldFile } from '../src/formats/givenFile.ts';
import { digestOf, givenOf, weightsIn, type LlamaModel } from '../src/formats/llama/llamaModel.ts';
import { readLlama } from '../src/formats/llama/readLlama.ts';
import { chatTokens, plainTemplate, readyTemplates } from '../src/text/chat.ts';
import { weightsZip } from '../src/formats/weightsZip.ts';
import { goOn } from '../src/model/decoding/continuation.ts';
import { decodingPolicy } from '../src/model/decoding/decoder.ts';
import { uploadFrozen, uploadTree } from '../src/model/network/parameters.ts';
import { runId } from '../src/records/ids.ts';
import { introduceModel } from '../src/records/stored/foreignModel.ts';
import { ControlTokens, specialIn } from '../src/text/controlTokens.ts';
import { tokenizerOf } from '../src/text/tokenizer.ts';
import { agentTakenAway } from '../src/training/history/takenAway.ts';
import { startingCheckpoint } from '../src/training/run/start.ts';
import type { Network } from '../src/training/team/network.ts';
import { microConfig, openRun } from '../src/training/testing/microRun.ts';
import { logitsOf, unpack } from './ours.ts';

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
      return heldFile(file, new Uint8Array(readFileSync(path.join(folder, name, file))));
    }),
  );
  const { shape, types, special, chatTemplate } = model;
  const tokenizer = tokenizerOf(model.tokenizer);
  const plain = texts.map((text) => tokenizer.encode(text));
  const ids = plain.flat().slice(0, 96);
  read[name] = {
    ...{ ids, types, plain, logits: await logitsOf(ids, uploadTree([...weightsIn(model)], shape), shape) },
    opened: texts.map((text) => tokenizer.encodeWhole(text)),
    back: plain.map((row) => tokenizer.decode(row)),
    chat: new Template(chatTemplate ?? '').render({ ...special, messages, add_generation_prompt: true }),
    trained: await trainedOn(name, model),
  };
}
const real = process.env['COTHINK_MODEL'];
if (real) read['real'] = await realRead(real);
writeFileSync(path.join(folder, 'read.json'), JSON.stringify(read));
process.exit(0);

/** The tokens that a real model makes of a question, and the likeliest tokens after it. */
async function realRead(file: string) {
  const model = await readLlama((await modelAt(file)) ?? []);
  const { shape, special, chatTemplate } = model;
  const tokenizer = tokenizerOf(model.tokenizer);
  const controls = new ControlTokens(tokenizer, specialIn(model.tokenizer));
  await readyTemplates();
  const form = { template: chatTemplate ?? plainTemplate, special, controls };
  const ids = chatTokens(form, [{ role: 'user', content: 'What is gravity?' }]);
  const tree = uploadFrozen(model.matrices, shape);
  const policy = decodingPolicy(tree, { ...shape, maxPositions: ids.length + 65 });
  const [said] = await goOn(policy, { context: ids, tokens: 64, temperature: 0, seed: 1, count: 1, endIds: [] });
  const greedy = said?.ids ?? [];
  return { ids, greedy, said: tokenizer.decode(greedy), logits: await logitsOf(ids, tree, shape) };
}

/** Trains an adapter to a model for two iterations and writes what is taken away of it into `NAME-trained`. */
async function trainedOn(name: string, model: LlamaModel) {
  const given = givenOf(model, name);
  const start = `model-${digestOf(model)}`;
  if (given.foreign) introduceModel(start, given.foreign);
  const config = microConfig({
    agents: { protocol: 'single', parameters: 'lora', loraRank: 4, start, reasonWindow: 12 },
    learning: { problemsPerIteration: 4, groupSize: 4, learner: 'sft', imitate: 'demonstrations' },
    optimiser: { learningRate: 0.01 },
  });
  const runs = { config, runId: runId(name), backend: 'simd', loadModel: () => given };
  const loadShipped = () => Promise.reject(new Error('nothing ships for it'));
  const { session } = openRun(await startingCheckpoint({ ...runs, loadShipped }));
  await session.train(2);
  const { source, models } = await agentTakenAway(session, 0);
  unpack(path.join(folder, `${name}-trained`), weightsZip({ ...source, ...models[0] }));
  const { team, networks } = session.trainState;
  const [network] = networks as [Network];
  const messages = [
    { role: 'system', content: '<rightToLeft>' },
    { role: 'user', content: '7+4*2' },
  ];
  const ids = team.tokenizer.encode('<bos><rightToLeft>7+4*2<eot><reason>');
  return { messages, ids, logits: await logitsOf(ids, network.tree, network.shape) };
}
