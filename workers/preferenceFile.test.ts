// Tests that preference pairs can be written to a file and read back. The text must be in the format that other
// programs read, and the training rows must not change.
import { sampleProblem } from '../src/records/testing/arbitrary.ts';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { addressOf, uniform } from '../src/base/random.ts';
import type { ConfigInput } from '../src/config/schema.ts';
import { readPreferences, writePreferences } from '../src/formats/preferences.ts';
import type { PreferenceText } from '../src/records/stored/preference.ts';
import { runTrajectories } from '../src/rollout/runTrajectories.ts';
import { fakePolicy } from '../src/rollout/testing/fakePolicy.ts';
import { viewRow } from '../src/rollout/view.ts';
import { specialIds } from '../src/tasks/testing/tokenizers.ts';
import { minePreferences } from '../src/training/imitation/minePreferences.ts';
import { pairRows } from '../src/training/imitation/pairRows.ts';
import { assembleTeam } from '../src/training/team/team.ts';
import { microConfig } from '../src/training/testing/microRun.ts';

/** Dialogues about two problems in which the agents generate random tokens. Their rewards differ. */
async function babble(agents: ConfigInput['agents'], seed: number) {
  const settings = {
    agents: { ...agents, stopWhenTruncated: false },
    learning: { learner: 'dpo', pairsFrom: 'imported' },
  } as const;
  const spoken = assembleTeam(microConfig(settings));
  const say = (agent: number) =>
    fakePolicy((row, turn) => {
      const draw = (at: number) => uniform(seed, agent, row, turn * 16 + at);
      const ids = Array.from({ length: 1 + Math.floor(draw(0) * 3) }, (_, t) => 9 + Math.floor(draw(1 + t) * 10));
      return draw(10) < 0.4 ? ids : [...ids, draw(9) < 0.1 ? specialIds.finish : specialIds.eot];
    });
  const { prompt: promptOf, tokens, tokenizer, protocol } = spoken;
  const problem = sampleProblem;
  const trajectories = await runTrajectories({
    ...{ problems: Array.from({ length: 6 }, () => problem), groups: [0, 0, 0, 1, 1, 1], protocol, tokens },
    settings: {
      ...spoken.settings,
      windows: { ...spoken.settings.windows, metaThinking: 3, reasoning: 3, debater: 3 },
    },
    policies: protocol.roles.map((_, agent) => say(agent)),
    prompt: promptOf,
    decode: (ids) => tokenizer.decode(ids),
    address: (row, turn) => addressOf(1, 3, 0, row * 1024 + turn * 128),
    judge: (said) => Promise.all(said.map(({ trajectory, turn }) => spoken.world.judge(trajectory.problem, turn))),
    maskDraw: (row, turn, listener) => uniform(1, 4, 0, row * 1024 + turn * 8 + listener),
  });
  trajectories.forEach((trajectory, i) => (trajectory.reward = i));
  return { trajectories, spoken };
}

it('pairs are read from a file with their sampled tokens, also with shared roles and cut turns', async () => {
  const talks: ConfigInput['agents'][] = [
    {},
    { protocol: 'debate', count: 3, feedback: true },
    { protocol: 'summary', count: 2, roundLimit: 2 },
    { protocol: 'pioneerObserver', maskPeers: 0.4 },
  ];
  let cut = 0;
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...talks), fc.nat(10_000), async (agents, seed) => {
      const { trajectories, spoken } = await babble(agents, seed);
      const mined = minePreferences(spoken, trajectories, { minGap: 1e-6 });
      const read = readPreferences(writePreferences(mined));
      expect(read).toHaveLength(mined.length);
      mined.forEach(({ agent, group }, i) => {
        pairRows(read[i] as PreferenceText, spoken, 'pair 1').forEach(({ view, agent: speaker }, side) => {
          const known = trajectories
            .filter((one) => one.group === group)
            .map((one) => viewRow(one, agent, spoken.tokens));
          const text = side === 0 ? mined[i]?.chosen : mined[i]?.rejected;
          const own = known.filter(({ ids }) => spoken.tokenizer.decode(ids) === `${mined[i]?.prompt}${text}`);
          expect(own.map(({ ids }) => ids)).toContainEqual(view.ids);
          expect(own.map(({ isAction }) => isAction)).toContainEqual(view.isAction);
          expect(spoken.protocol.roles[speaker]).toBe(spoken.protocol.roles[agent]);
          const middle = own[0]?.ids.findIndex(
            (id, t) => id === spoken.tokens.endOfTurn && own[0]?.isAction[t - 1] && !own[0].isAction[t],
          );
          if ((middle ?? -1) > 0) cut++;
        });
      });
    }),
    { numRuns: 40 },
  );
  expect(cut).toBeGreaterThan(5);
});
