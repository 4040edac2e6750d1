// What `npm run interop` gives to other tools: the files a visitor takes away of the shipped team, in the folder named by the
// first argument, and `expected.json` with what this project itself makes of them.
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import * as tf from '@tensorflow/tfjs-core';
import { unzipSync } from 'fflate';
import { startBackend } from '../bench/shared/nodeBackend.ts';
import { loadShipped } from '../bench/shared/shippedWeights.ts';
import { startFrom } from '../bench/shared/warmStarts.ts';
import { joinedBytes } from '../src/base/joined.ts';
import { presetConfig } from '../src/config/presets.ts';
import { dialogueFile } from '../src/formats/dialogues/dialogueFile.ts';
import { tensorBoardFile } from '../src/formats/numbers/tensorBoard.ts';
import { weightsZip } from '../src/formats/weightsZip.ts';
import { logits, rowHiddenStates } from '../src/model/network/llama.ts';
import { uploadTree } from '../src/model/network/parameters.ts';
import { rotaryTables } from '../src/model/network/positions.ts';
import type { Role } from '../src/records/ids.ts';
import { heardRoles } from '../src/text/chatTemplate.ts';
import { agentTakenAway } from '../src/training/history/takenAway.ts';
import { memoryStore } from '../src/training/run/memoryStore.ts';
import { assembleTeam } from '../src/training/team/team.ts';
import { openRun } from '../src/training/testing/microRun.ts';

const [folder = 'interop-files'] = process.argv.slice(2);
await startBackend('simd', { ours: true });
const config = presetConfig('quick');
const team = assembleTeam(config);
const { shape, tokenizer } = team;
const weights = await loadShipped(config);
const tree = uploadTree(weights, shape);
const greedyTokens = 64;

/** Logits after each token of a row, [T][V]. */
async function logitsOf(ids: readonly number[]): Promise<number[][]> {
  const { cos, sin } = rotaryTables(ids.length, shape.headSize, shape.ropeTheta);
  const table = (values: Float32Array) => tf.tensor3d(values, [1, ids.length, shape.headSize]);
  const rows = tf.tidy(() => {
    const rotation = { cos: table(cos), sin: table(sin) };
    const hidden = rowHiddenStates(tf.tensor2d([[...ids]], undefined, 'int32'), { tree, shape, rotation });
    return logits(hidden, tree, shape);
  });
  const values = (await rows.array()) as number[][];
  rows.dispose();
  return values;
}

/** The context and so many of the likeliest tokens after it. */
async function greedy(ids: readonly number[]): Promise<number[]> {
  const row = [...ids];
  while (row.length < Math.min(ids.length + greedyTokens, shape.maxPositions)) {
    const last = (await logitsOf(row)).at(-1) as number[];
    row.push(last.indexOf(Math.max(...last)));
  }
  return row;
}

const talks: Partial<Record<Role, { messages: { role: string; content: string }[]; context: string }>> = {
  metaThinking: {
    messages: [
      { role: 'system', content: '<rightToLeft>' },
      { role: 'user', content: '7+4*2' },
      { role: 'assistant', content: '4*2' },
      { role: 'user', content: '7+8' },
    ],
    context: '<bos><rightToLeft>7+4*2<eot><meta>4*2<eot><reason>7+8<eot><meta>',
  },
  reasoning: {
    messages: [
      { role: 'user', content: '7+4*2' },
      { role: 'user', content: '4*2' },
    ],
    context: '<bos>7+4*2<eot><meta>4*2<eot><reason>',
  },
};

const agents = [];
for (const [agent, role] of team.protocol.roles.entries()) {
  const talk = talks[role];
  if (!talk) continue;
  const zip = weightsZip({
    ...{ shape, weights, role, config, world: team.world, runName: 'calm-otter' },
    heard: heardRoles(team.protocol, agent),
    sees: team.protocol.sees[agent] ?? [],
    tokenizerJson: JSON.stringify(tokenizer.json),
  });
  for (const [name, bytes] of Object.entries(unzipSync(zip))) write(`${role}/${name}`, bytes);
  const ids = tokenizer.encode(talk.context);
  agents.push({ role, ...talk, ids, logits: await logitsOf(ids), greedy: await greedy(ids) });
}

const adapted = presetConfig('adapters');
const begun = await startFrom(adapted, await loadShipped(adapted));
const store = memoryStore({ keepsIterations: true });
const { session } = openRun(begun, { store });
await session.train(1);
for (const as of ['jsonl', 'parquet', 'inspect'] as const) {
  const file = await dialogueFile(as, session.run);
  const pieces = store.iterations.map(({ metrics, trajectories }) => file.add(metrics.iteration, trajectories));
  write(`dialogues.${as === 'inspect' ? 'json' : as}`, joinedBytes([...pieces, file.end()]));
}
const { source, models } = await agentTakenAway(session, 1, true);
for (const [name, bytes] of Object.entries(unzipSync(weightsZip({ ...source, ...models[0] }))))
  write(`lora/${name}`, bytes);

const rows = Array.from({ length: 20 }, (_, at) => ({
  iteration: at + 1,
  values: { 'charts/episodic_return': at / 20, 'time/rollout': 250 },
}));
const { name, bytes } = tensorBoardFile({ createdMs: 1_700_000_000_000, rows, evaluations: [] });
write(`events/${name}`, bytes);
write('expected.json', new TextEncoder().encode(JSON.stringify({ agents, events: rows.map(({ values }) => values) })));
process.exit(0);

function write(file: string, content: Uint8Array): void {
  const target = path.join(folder, file);
  mkdirSync(path.dirname(target), { recursive: true });
  writeFileSync(target, content);
}
