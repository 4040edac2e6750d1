// Tests experiments in Node, with the code of their worker and the real engine, session and store.
import { describe, expect, it } from 'vitest';
import type { Changed } from '../src/config/fork.ts';
import { withSettings } from '../src/config/parse.ts';
import { historyOf, weightsDigest, type RunRecord } from '../src/records/stored/checkpoint.ts';
import { formulaOf } from '../src/config/testing/ownFormulas.ts';
import { IndexedDbStore } from '../src/storage/checkpointStore.ts';
import { listRuns, loadCheckpoint, loadIteration, loadMetrics, loadResults, loadRun } from '../src/storage/reading.ts';
import { readRunFile, writeRunFile } from '../src/formats/runFile.ts';
import { microCheckpoint, microConfig, openRun } from '../src/training/testing/microRun.ts';
import { runId } from '../src/records/ids.ts';
import { runExperiment } from './experiment.ts';
import { standIn } from './testing/heardTrainer.ts';

standIn();

const config = microConfig({
  learning: { problemsPerIteration: 2, groupSize: 4 },
  evaluation: { every: 5, problems: 16 },
  run: { iterations: 4, backend: 'cpu', checkpointEvery: 2 },
});
const id = runId('test-run');
const silent = () => undefined;

/** Trains and stores a run. The run has a checkpoint at the start and after every second iteration. */
async function storedRun(settings: Parameters<typeof withSettings>[1] = {}): Promise<void> {
  await runExperiment({ kind: 'seeds', preset: 'micro', config: withSettings(config, settings), seeds: [1] }, silent);
}
const runsOf = async (experiment: string) =>
  (await listRuns()).runs
    .map(({ run }) => run)
    .filter((run) => run.experiment?.id === experiment)
    .reverse();
const parentOf = async () => (await listRuns()).runs.at(-1)?.run as RunRecord;

const sameLuck = async (
  settings: readonly Changed[],
  { iteration = 2, iterations = 3, shared = [] as readonly Changed[] } = {},
) => {
  const parent = await parentOf();
  const words: string[] = [];
  const experiment = await runExperiment(
    { kind: 'sameLuck', run: parent.id, iteration, settings, shared, iterations },
    (progress) => words.push(progress.words),
  );
  const [control, changed] = (await runsOf(experiment)) as [RunRecord, RunRecord];
  return { parent, control, changed, words };
};
const newest = async ({ id, iteration }: RunRecord) => loadCheckpoint(id, iteration);

describe('a same-luck fork', () => {
  it('with nothing changed has two arms that are bit-equal for 20 iterations', async () => {
    await storedRun();
    const { control, changed } = await sameLuck([], { iterations: 20 });
    expect([control.iteration, changed.iteration]).toEqual([22, 22]);
    const [ours, theirs] = [await newest(control), await newest(changed)];
    expect(ours.networks).toEqual(theirs.networks);
    expect(weightsDigest(ours)).not.toBe(weightsDigest(await loadCheckpoint(control.id, 2)));
    const [a, b] = [await loadMetrics(control.id), await loadMetrics(changed.id)];
    expect(a.evaluations).toEqual(b.evaluations);
    expect(a.evaluations.map(({ iteration }) => iteration)).toEqual([2, 5, 10, 15, 20, 22]);
    expect(await loadIteration(control.id, 22)).toEqual(await loadIteration(changed.id, 22));
  });

  it('with nothing changed gives the same weights as the continued run', async () => {
    await storedRun();
    const { parent, control } = await sameLuck([], { iterations: 2 });
    expect((await newest(control)).networks).toEqual((await newest(parent)).networks);
  });

  it('changes one setting in one arm, and names it', async () => {
    await storedRun();
    const { parent, control, changed, words } = await sameLuck([{ path: 'learning.ratioLevel', value: 'token' }]);
    expect(control.name).toBe(`${parent.name} · unchanged`);
    expect(changed.name).toBe(`${parent.name} · token ratio`);
    expect([control, changed].map((run) => run.config.learning.ratioLevel)).toEqual(['turn', 'token']);
    expect([control, changed].map(({ isDone, iteration }) => [isDone, iteration])).toEqual([
      [true, 5],
      [true, 5],
    ]);
    // Both arms have the same problems. In the first iteration, both arms also have the same dialogues.
    expect(await loadIteration(control.id, 3)).toEqual(await loadIteration(changed.id, 3));
    expect(words.at(-1)).toBe(`${changed.name}: iteration 5 of 5`);
  });

  it('hides a message in one arm, and everything before it can be heard is the same', async () => {
    await storedRun();
    const { control, changed } = await sameLuck([{ path: 'agents.unheard', value: 'first' }], { iterations: 1 });
    expect(changed.name).toMatch(/ · first agent’s unheard messages$/);
    const [heard, hidden] = [await loadIteration(control.id, 3), await loadIteration(changed.id, 3)];
    expect(hidden.map(({ problem, turns }) => [problem, turns[0]?.tokens])).toEqual(
      heard.map(({ problem, turns }) => [problem, turns[0]?.tokens]),
    );
    expect(
      hidden.every(({ turns }) =>
        turns.every((turn) => ((turn.agent as number) === 0) === (turn.maskedFor?.join() === '1')),
      ),
    ).toBe(true);
    expect(heard.some(({ turns }) => turns.some(({ maskedFor }) => maskedFor))).toBe(false);
  });

  it('shuffles messages in one arm: the reasoner hears the plan of another problem with the same draws', async () => {
    await storedRun();
    const { control, changed } = await sameLuck([{ path: 'agents.shuffled', value: 'first' }], { iterations: 1 });
    expect(changed.name).toMatch(/ · first agent’s shuffled messages$/);
    const [heard, shuffled] = [await loadIteration(control.id, 3), await loadIteration(changed.id, 3)];
    const first = (all: typeof heard) => all.map(({ problem, turns }) => [problem, turns[0]?.tokens]);
    expect(first(shuffled)).toEqual(first(heard));
    for (const { problem, turns } of shuffled)
      for (const { agent, index, heardAs } of turns) {
        expect(heardAs !== undefined).toBe(
          (agent as number) === 0 && shuffled.some((one) => one.problem.id !== problem.id && one.turns[index]),
        );
      }
    expect(heard.some(({ turns }) => turns.some(({ heardAs }) => heardAs))).toBe(false);
  });

  it('from the start gives equal arms, and another learner adds its critic', async () => {
    await storedRun();
    const { control, changed } = await sameLuck([{ path: 'learning.learner', value: 'ppo' }], { iteration: 0 });
    expect((await newest(changed)).networks[0]?.critic).toHaveLength(2);
    expect(await loadIteration(control.id, 1)).toEqual(await loadIteration(changed.id, 1));
    expect((await loadMetrics(changed.id)).evaluations[0]).toEqual((await loadMetrics(control.id)).evaluations[0]);
  });

  it('with a right custom formula equals the reference; a failing formula leaves the reference complete', async () => {
    await storedRun();
    const rloo = { shared: [{ path: 'learning.learner', value: 'rloo' }] } as const;
    const own = (each: string) => [{ path: 'learning.ownFormula', value: formulaOf('leaveOneOut', each) }];
    const { control, changed } = await sameLuck(own('reward - (total - reward) / (rewards.length - 1)'), rloo);
    expect(control.config.learning).toMatchObject({ learner: 'rloo', ownFormula: '' });
    expect(changed.name).toMatch(/ · RLOO learner, own formula \(leaveOneOut\)$/);
    expect((await newest(changed)).networks).toEqual((await newest(control)).networks);
    const wrong = await sameLuck(own('1'), rloo);
    expect((await newest(wrong.changed)).networks).not.toEqual((await newest(wrong.control)).networks);
    await expect(sameLuck(own('reward / null.x'), rloo)).rejects.toThrow(/advantages\(\[.*\]\) failed: TypeError/);
    const [failed, reference] = (await listRuns()).runs.map(({ run }) => run);
    expect([reference?.iteration, reference?.isDone]).toEqual([5, true]);
    expect([failed?.iteration, failed?.isDone]).toEqual([2, false]);
    expect((await newest(reference as RunRecord)).networks).toEqual((await newest(control)).networks);
    expect((await newest(failed as RunRecord)).iteration).toBe(2);
  });

  it('can be repeated from its run file, bit for bit', async () => {
    await storedRun();
    const { changed } = await sameLuck([
      { path: 'learning.ownFormula', value: formulaOf('groupMean', 'reward - total') },
    ]);
    const history = readRunFile(writeRunFile({ ...historyOf(changed), name: changed.name }));
    expect(history).toEqual({ ...historyOf(changed), config: history.config });
    expect(history.config).toEqual(changed.config);
  });

  it('is refused if the arms cannot have the same random numbers or the same networks', async () => {
    await storedRun();
    const refused = (path: string, value: Changed['value']) => expect(sameLuck([{ path, value }])).rejects;
    await refused('run.seed', 7).toThrow(/run\.seed: this setting determines the starting point or the random numbers/);
    await refused('agents.parameters', 'separate').toThrow(
      /agents\.parameters: this setting determines the starting point or the random numbers/,
    );
    const elsewhere = { 'world.name': 'algebra', 'houseRule.legalOperation': 0, 'houseRule.rewrite': 0 };
    await expect(sameLuck(Object.entries(elsewhere).map(([path, value]) => ({ path, value })))).rejects.toThrow(
      /networks that the run does not have|not made for the tokens/,
    );
    await refused('learning.clipHigh', -1).toThrow(/learning\.clipHigh: expected a number/);
    expect((await listRuns()).runs).toHaveLength(1);
  });
});

describe('seeds', () => {
  it('are runs of one experiment that differ only in their seeds, each equal to a single run', async () => {
    const experiment = await runExperiment({ kind: 'seeds', preset: 'micro', config, seeds: [3, 5] }, silent);
    const runs = await runsOf(experiment);
    expect(runs.map((run) => [run.config.run.seed, run.isDone, run.iteration])).toEqual([
      [3, true, 4],
      [5, true, 4],
    ]);
    expect(await loadRun(runs[0]?.id as RunRecord['id'])).toEqual(runs[0]);
    const byHand = openRun(await microCheckpoint(withSettings(config, { 'run.seed': 3 })));
    await byHand.session.train();
    const { networks } = await byHand.session.checkpoint();
    await byHand.session.dispose();
    expect((await newest(runs[0] as RunRecord)).networks).toEqual(networks);
  });
});

describe('a claim', () => {
  it('runs both arms with one seed until enough tokens are sampled, and keeps only the result', async () => {
    const other = withSettings(config, { 'optimiser.learningRate': 0 });
    const digest = 'a'.repeat(64);
    const arms = [config, other].map((arm) =>
      withSettings(arm, { 'run.seed': 7, 'run.iterations': 1000, 'evaluation.every': 1000 }),
    ) as [typeof config, typeof config];
    const shares: number[] = [];
    await runExperiment(
      { kind: 'claim', claim: 'collapse', digest, arms, tokens: 300, measuredBy: 'gain' },
      ({ share }) => shares.push(share),
    );
    const { results } = await loadResults();
    expect(results).toEqual([{ claim: 'collapse', digest, seed: 7, values: [expect.any(Number), 0], backend: 'simd' }]);
    expect((await listRuns()).runs).toEqual([]);
    expect(shares.at(-1)).toBe(1);
    expect(shares).toEqual([...shares].sort((a, b) => a - b));
  });
});

it('a store that does not open ends an experiment with its reason', async () => {
  await expect(
    runExperiment({ kind: 'sameLuck', run: id, iteration: 0, settings: [], iterations: 1 }, silent),
  ).rejects.toThrow(/run test-run/);
  expect(await new IndexedDbStore().deleteRun(id)).toBeUndefined();
});
