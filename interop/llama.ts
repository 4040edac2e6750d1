// Computes the results of Cothink for the models that `llama.py make` wrote: their logits, the tokens of the given
// texts, and the decoded texts. Also trains an agent on each model, exports it, and computes its logits.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { Template } from '@huggingface/jinja';
import { modelAt } from '../cli/stored/model.ts';
import { startBackend } from '../bench/shared/nodeBackend.ts';
import { joinedBytes } from '../src/base/joined.ts';
import { heldFile } from '../src/formats/givenFile.ts';
import { digestOf, givenOf, weightsIn, type LlamaModel } from '../src/formats/llama/llamaModel.ts';
import { readLlama } from '../src/formats/llama/readLlama.ts';
import { chatTokens, plainTemplate, readyTemplates } from '../src/text/chat.ts';
import { weightsZip } from '../src/formats/weightsZip.ts';
import { ggufName } from '../src/formats/gguf/names.ts';
import { takenModel } from '../src/formats/merged/takenModel.ts';
import type { NamedArray } from '../src/records/stored/namedArray.ts';
import { goOn } from '../src/model/decoding/continuation.ts';
import { decodingPolicy } from '../src/model/decoding/decoder.ts';
import { disposeTree, uploadFrozen, uploadTree } from '../src/model/network/parameters.ts';
import { runId } from '../src/records/ids.ts';
import { introduceModel } from '../src/records/stored/foreignModel.ts';
import { ControlTokens, specialIn } from '../src/text/controlTokens.ts';
import { tokenizerOf } from '../src/text/tokenizer.ts';
import { adaptersTakenAway, agentTakenAway } from '../src/training/history/takenAway.ts';
import { startingCheckpoint } from '../src/training/run/start.ts';
import type { Network } from '../src/training/team/network.ts';
import { microConfig, openRun } from '../src/training/testing/microRun.ts';
import { adapterGradients, greedy, learnedRows, logitsOf, unpack, write } from './ours.ts';

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
const held = {
  held: await heldBy('held', path.join(folder, 'held.gguf')),
  heldGemma: await heldBy('heldGemma', path.join(folder, 'heldGemma.gguf')),
  ...(real && { realHeld: await heldBy('realHeld', real) }),
};
read['held'] = held;
/** The expected tokens of llama.cpp for the merged files. */
const spokenOf = Object.entries(held).flatMap(([name, { context, ids, greedy: said }]) =>
  Object.entries(said).map(([type, row]) => ({ name: `${name}/gguf-${type}`, context, ids, greedy: row })),
);
write(path.join(folder, 'expected.json'), { models: spokenOf });
writeFileSync(path.join(folder, 'read.json'), JSON.stringify(read));
process.exit(0);

/** Returns the tokens of a question in a real model, and the likeliest tokens after it. */
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
  const likeliest = said?.ids ?? [];
  return { ids, greedy: likeliest, said: tokenizer.decode(likeliest), logits: await logitsOf(ids, tree, shape) };
}

/** Trains an adapter to a model for two iterations and writes its exports into `NAME-trained`. */
async function trainedOn(name: string, model: LlamaModel) {
  const given = givenOf(model, name);
  const start = `model-${digestOf(model)}`;
  if (given.foreign) introduceModel(start, given.foreign);
  const config = microConfig({
    agents: { protocol: 'single', inWords: false, parameters: 'lora', loraRank: 4, start, reasonWindow: 12 },
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

/** Trains an adapter on a GGUF model that the run stores only by name. Writes all exports into folders of `name`. */
async function heldBy(name: string, file: string) {
  const [gguf] = (await modelAt(file)) ?? [];
  if (!gguf) throw new Error(`${file}: there is no GGUF file`);
  const model = await readLlama([gguf]);
  const start = `model-${digestOf(model)}`;
  const given = givenOf(model, name);
  if (!given.foreign)
    throw new Error(`${file}: this model uses a vocabulary of Cothink; name the file of an external model.`);
  introduceModel(start, given.foreign, given.matrices);
  const config = microConfig({
    agents: { protocol: 'single', inWords: false, parameters: 'lora', loraRank: 4, start, reasonWindow: 12 },
    learning: { problemsPerIteration: 4, groupSize: 4, learner: 'sft', imitate: 'demonstrations' },
    optimiser: { learningRate: name === 'realHeld' ? 0.002 : 0.01 },
  });
  const loadShipped = () => Promise.reject(new Error('nothing ships for it'));
  const runs = { config, runId: runId(name), backend: 'simd', loadModel: () => given, loadShipped };
  const { base: _, ...byName } = await startingCheckpoint(runs);
  const { session } = openRun(byName);
  await session.train(2);
  const agent = await adaptersTakenAway(session, 0);
  const [pairs = []] = agent.turns;
  const { team, networks } = session.trainState;
  const [network] = networks as [Network];
  const ids = team.tokenizer.encode('<bos><rightToLeft>7+4*2<eot><reason>');
  const context = tokenizerOf(model.tokenizer).decode(ids);
  unpack(path.join(folder, name, 'adapter'), await whole(takenModel(agent, { as: 'adapter' })));
  for (const type of ['F16', 'F32'] as const)
    unpack(path.join(folder, name, `merged-${type}`), await whole(takenModel(agent, { as: 'merged', type })));
  const said: Record<string, number[]> = {};
  for (const type of ['F16', 'Q8_0'] as const) {
    const bytes = await whole(takenModel(agent, { as: 'gguf', type, file: gguf }));
    write(path.join(folder, name, `gguf-${type}`, 'model.gguf'), bytes);
    const merged = await readLlama([heldFile('model.gguf', bytes)]);
    const shape = { ...merged.shape, maxPositions: ids.length + 64 };
    const tree = uploadFrozen(merged.matrices, shape);
    // llama.cpp also rounds the inputs of 8-bit matrices to 8 bits, so it may choose the other of two nearly equally
    // likely tokens.
    said[type] = await greedy(ids, tree, shape, type === 'F16' ? 0 : 0.02);
    disposeTree(tree);
  }
  const logits = await logitsOf(ids, network.tree, network.shape);
  const learned = learnedRows(ids, model.shape.vocabSize);
  const gradients = await adapterGradients(network, learned);
  const plain = ({ shape, values }: NamedArray) => ({ shape, values: [...values] });
  write(path.join(folder, name, 'gradients.json'), {
    ...learned,
    pairs: gradients.map((pair) => ({ name: pair.name, a: plain(pair.a), b: plain(pair.b) })),
  });
  await session.dispose();
  // In files of Llama, the rows of queries and keys have another order.
  const heads = (projection: string) =>
    model.family !== 'llama'
      ? 0
      : projection.endsWith('q_proj')
        ? model.shape.numHeads
        : projection.endsWith('k_proj')
          ? model.shape.numKvHeads
          : 0;
  return {
    ...{
      context,
      ids,
      logits,
      greedy: said,
      scale: agent.alpha / 4,
      merged: { 'merged-F32': 1e-4, 'merged-F16': 2e-3 },
    },
    pairs: pairs.map((pair) => ({
      name: ggufName(`${pair.name}.weight`, model.shape),
      heads: heads(pair.name),
      a: plain(pair.a),
      b: plain(pair.b),
    })),
  };
}

async function whole(pieces: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const all: Uint8Array[] = [];
  for await (const piece of pieces) all.push(piece);
  return joinedBytes(all);
}
