// Tests exports of agents with an adapter for each turn. The export contains a model for each turn, which must give the
// same output as the agent in this turn.
import { strFromU8, unzipSync } from 'fflate';
import { expect, it } from 'vitest';
import { llamaLogits, type LlamaConfigFile } from '../src/formats/reference/llama.ts';
import { readSafetensors } from '../src/formats/safetensors.ts';
import { viewRow } from '../src/rollout/view.ts';
import { onCpu } from '../src/training/testing/onCpu.ts';
import { startRun } from '../src/training/testing/microRun.ts';
import { agentZip } from './exports.ts';

onCpu();

it('the models of an agent give the log-probabilities with which it spoke in each of its turns', async () => {
  const { session, collected } = await startRun({
    agents: { parameters: 'lora', adapterPer: 'turn', loraRank: 4, temperature: 1 },
    learning: { problemsPerIteration: 2, groupSize: 2 },
  });
  await session.train(2);
  const folders = ['metaThinking', 'reasoning'].map((role) => [1, 2, 3].map((turn) => `${role}-turn-${turn}`));
  const zips = await Promise.all([0, 1].map(async (agent) => unzipSync(await agentZip(session, agent, false))));
  await session.train(1); // sampled with the exported weights
  const { tokens } = session.trainState.team;
  const models = new Map(
    zips.flatMap((files, agent) => {
      const names = folders[agent] as string[];
      expect([...new Set(Object.keys(files).map((path) => path.split('/')[0]))]).toEqual(names);
      return names.map((name) => {
        const config = JSON.parse(strFromU8(files[`${name}/config.json`] as Uint8Array)) as LlamaConfigFile;
        const tensors = readSafetensors(files[`${name}/model.safetensors`] as Uint8Array).tensors;
        return [name, (ids: readonly number[]) => llamaLogits(config, tensors, [...ids])] as const;
      });
    }),
  );
  const far = new Map<string, { own: number; other: number }>();
  for (const trajectory of collected().at(-1) ?? []) {
    for (const turn of trajectory.turns) {
      const name = folders[turn.agent]?.[turn.round] as string;
      const other = folders[turn.agent]?.[(turn.round + 1) % 3] as string;
      const row = viewRow({ ...trajectory, turns: trajectory.turns.slice(0, turn.index + 1) }, turn.agent, tokens);
      const distance = (model: string) => {
        const scores = models.get(model)?.(row.ids) ?? [];
        return Math.max(
          ...row.turnIds.flatMap((id, t) => {
            if (id !== turn.index) return [];
            const before = scores[t - 1] as number[];
            const total = Math.log(before.reduce((sum, x) => sum + Math.exp(x), 0));
            return [Math.abs((before[row.ids[t] as number] as number) - total - (row.logprobs[t] as number))];
          }),
        );
      };
      const known = far.get(name) ?? { own: 0, other: 0 };
      far.set(name, { own: Math.max(known.own, distance(name)), other: Math.max(known.other, distance(other)) });
    }
  }
  expect([...far.keys()].toSorted()).toEqual(folders.flat());
  for (const [name, { own, other }] of far) {
    expect(own, name).toBeLessThan(1e-4);
    expect(other, name).toBeGreaterThan(1e-3);
  }
});
