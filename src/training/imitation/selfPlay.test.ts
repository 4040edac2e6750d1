// Tests self-play pairs, in which a demonstration of a problem is preferred to the team's own messages about this
// problem.
import { describe, expect, it } from 'vitest';
import { mean } from '../../base/stats.ts';
import type { ConfigInput } from '../../config/schema.ts';
import { measureIteration } from '../preflight/preflight.ts';
import { rowLogprobs } from '../rows/oldFacts.ts';
import { buildRows } from '../rows/rows.ts';
import { assembleTeam } from '../team/team.ts';
import { onCpu } from '../testing/onCpu.ts';
import { microConfig, openGate, startRun } from '../testing/microRun.ts';
import type { Team } from '../team/team.ts';
import { demonstrateFor, demonstrateOf } from './demonstrations.ts';
import { selfPlayLessons } from './selfPlay.ts';

onCpu();

const settings = ({ learning, ...more }: ConfigInput = {}): ConfigInput => ({
  ...more,
  learning: { problemsPerIteration: 4, groupSize: 1, ...learning, learner: 'dpo', pairsFrom: 'demonstrations' },
  kl: { refreshEvery: 1 },
});

describe('self-play pairs', () => {
  it('prefer a demonstration of each problem to the own dialogue about it, agent by agent', async () => {
    const run = await startRun(settings());
    await run.session.train(1);
    const { team } = run.session.trainState;
    const own = run.collected()[0] ?? [];
    const { batch, objective } = (await selfPlayLessons(team, 0, own))(0);
    if (objective.kind !== 'preference') throw new Error('no pairs');
    const shown = demonstrateOf(
      team,
      0,
      own.map(({ problem }) => problem),
    );
    expect(shown.map(({ problem }) => problem)).toEqual(own.map(({ problem }) => problem));
    const rows = buildRows([...shown, ...own], [0, 1], team.tokens);
    expect([...batch.trajectoryIds]).toEqual([...rows.trajectoryIds]);
    expect([...batch.agentIds]).toEqual([...rows.agentIds]);
    expect(batch.ids.length).toBeGreaterThan(0);
    batch.trajectoryIds.forEach((id, row) => {
      expect(objective.pairIds[row]).toBe(id % own.length);
      expect(objective.sides[row]).toBe(id < own.length ? 1 : -1);
    });
    await run.session.dispose();
  });

  it('move those who learn, from random weights and one rollout of each problem', async () => {
    const changed = async (given: ConfigInput) => {
      const { session } = await startRun(given);
      const before = await session.checkpoint();
      await session.train(1);
      const after = await session.checkpoint();
      await session.dispose();
      return after.networks.map(
        (own, n) => String(own.weights[0]?.values) !== String(before.networks[n]?.weights[0]?.values),
      );
    };
    const separate = { parameters: 'separate' } as const;
    expect(await changed(settings({ agents: separate }))).toEqual([true, true]);
    expect(await changed(settings({ agents: separate, learning: { frozen: [0] } }))).toEqual([false, true]);
  });

  it('make demonstrations likelier beside what the team says', async () => {
    const run = await startRun(
      settings({
        learning: { problemsPerIteration: 16, updateEpochs: 4, preferenceBeta: 0.5 },
        optimiser: { learningRate: 3e-3, warmupUpdates: 0 },
        warmStart: { goodPlans: 1, resultNoise: 0 },
      }),
    );
    const { team, networks } = run.session.trainState;
    const likely = async (of: Team) => {
      const problems = (run.collected()[0] ?? []).map(({ problem }) => problem);
      const rows = buildRows(demonstrateOf(of, 99, problems), [0, 1], of.tokens);
      const network = networks[0] as (typeof networks)[0];
      const logprobs = await rowLogprobs(rows, { network, temperature: 1, gate: openGate() });
      return mean([...logprobs].filter((_, at) => rows.actionMask[at] === 1));
    };
    await run.session.train(1);
    const before = await likely(team);
    await run.session.train(8);
    expect(await likely(team)).toBeGreaterThan(before + 0.2);
    await run.session.dispose();
  });

  it('are the same for the same seed, and others in another iteration', () => {
    const team = assembleTeam(microConfig(settings()));
    const problems = demonstrateFor(team, 0, 6).map(({ problem }) => problem);
    const texts = (iteration: number) =>
      demonstrateOf(team, iteration, problems).map(({ turns }) => turns.map(({ text }) => text));
    expect(texts(3)).toEqual(texts(3));
    expect(texts(4)).not.toEqual(texts(3));
  });

  it('are forecast, and the run is not changed', async () => {
    const { session } = await startRun(settings());
    const before = await session.checkpoint();
    expect((await measureIteration(session.trainState)).parts.update).toBeGreaterThan(0);
    expect(await session.checkpoint()).toEqual(before);
    await session.dispose();
  });
});
