// The library as a program uses it, from its sources. `npm run interop` checks the packed library.
import { describe, expect, it } from 'vitest';
import { writeRunArchive } from '../src/formats/runArchive.ts';
import { checkpointEntry, runEntry } from '../src/storage/archive/archivedRun.ts';
import { startRun, tensorCount } from '../src/training/testing/microRun.ts';
import * as library from './index.ts';
import type { News, Settings } from './train.ts';

const { completeSettings } = await import('./settings.ts');
const few: Settings = {
  agents: { size: 'micro' },
  warmStart: { source: 'train', steps: 3, batchSize: 8 },
  learning: { problemsPerIteration: 2, groupSize: 4 },
  evaluation: { problems: 8, every: 2 },
  run: { iterations: 4, seed: 5, backend: 'cpu' },
};

async function heard(news: AsyncIterable<News>): Promise<News[]> {
  const all: News[] = [];
  for await (const one of news) all.push(one);
  return all;
}
const numbersIn = (news: readonly News[]) =>
  news.flatMap((one) => (one.kind === 'iteration' ? [[one.iteration, one.metrics['losses/policy_loss']]] : []));

describe('settings', () => {
  it('replace single values of a preset, together', () => {
    const config = completeSettings({ preset: 'quick', settings: { world: { level: 2 }, run: { seed: 9 } } });
    expect(config.world.level).toBe(2);
    expect(config.run.seed).toBe(9);
    expect(config.learning).toEqual(completeSettings({ preset: 'quick' }).learning);
  });

  it('that cannot be used are refused by name', () => {
    expect(() => completeSettings({ settings: { run: { iterations: -1 } } })).toThrow(/run\.iterations/);
    expect(() => completeSettings({ preset: 'nothing' as 'quick' })).toThrow(library.ConfigError);
  });
});

describe('a run', () => {
  it('tells its news in order, and continues from a file with the same numbers', async () => {
    const whole = await heard(library.train({ settings: few }));
    const kinds = whole.map(({ kind }) => kind).filter((kind) => kind !== 'preparing');
    expect(kinds.slice(0, 3)).toEqual(['begun', 'evaluation', 'iteration']);
    expect(numbersIn(whole).map(([iteration]) => iteration)).toEqual([1, 2, 3, 4]);
    expect(whole.filter(({ kind }) => kind === 'evaluation')).toHaveLength(3);

    const first = await library.startTraining({ settings: few });
    const begun = await heard(first.news(2));
    const bytes = library.writeCheckpoint(await first.checkpoint());
    await first.close();
    const checkpoint = library.readCheckpoint(bytes);
    expect(checkpoint.iteration).toBe(2);
    const rest = await heard(library.train({ checkpoint }));
    expect([...numbersIn(begun), ...numbersIn(rest)]).toEqual(numbersIn(whole));
    bytes[bytes.length - 1] = (bytes.at(-1) as number) ^ 1;
    expect(() => library.readCheckpoint(bytes)).toThrow(library.StorageError);
  });

  it('shows the numbers of a token, gives its agents away, and frees everything when the loop is left', async () => {
    const training = await library.startTraining({ settings: few });
    await expect(training.inspect()).rejects.toThrow(library.ConfigError);
    await heard(training.news(1));
    const { rollouts } = await training.inspect(0);
    expect(rollouts).toHaveLength(4);
    expect(rollouts[0]?.turns[0]?.p.every((p) => p > 0 && p <= 1)).toBe(true);
    expect((await training.weights(0))[0]?.length).toBeGreaterThan(5);
    expect((await training.model(1)).length).toBeGreaterThan(10_000);
    await training.change('optimiser.learningRate', 1e-4);
    await expect(training.change('agents.size', 'tiny')).rejects.toThrow(/agents\.size/);
    await training.close();

    const before = tensorCount();
    for await (const news of library.train({ settings: few })) if (news.kind === 'iteration') break;
    expect(tensorCount()).toBe(before);
  });

  it('ends after the current iteration, or in its warm start, if it is told to', async () => {
    const stop = new AbortController();
    const news: News[] = [];
    for await (const one of library.train({ settings: few, signal: stop.signal })) {
      news.push(one);
      if (one.kind === 'iteration') stop.abort();
    }
    expect(numbersIn(news)).toHaveLength(1);
    const long: Settings = { ...few, warmStart: { ...few.warmStart, steps: 100_000 } };
    await expect(library.startTraining({ settings: long, signal: stop.signal })).rejects.toThrow(library.ConfigError);
  });
});

describe('dialogues of one’s own', () => {
  it('wait for a message, and judge the finished dialogue', async () => {
    const world = await library.openWorld('houseRule');
    const problem = library.drawProblem(world, { seed: 7 });
    expect(library.drawProblem(world, { seed: 7 })).toEqual(problem);
    const begun = await library.play(world, problem, [[], []]);
    expect(begun.awaited).toMatchObject({ agent: 0, mayFinish: true });
    const said = [[{ text: '', isFinish: true }], []];
    const over = await library.play(world, problem, said);
    expect(over).toMatchObject({ awaited: null, answer: null, isRight: false });
    expect(over.turns[0]?.reason).not.toBe('');
    await expect(library.play(world, problem, [[{ text: 'hello', isFinish: false }], []])).rejects.toThrow(
      library.FormatError,
    );
  });
});

describe('files', () => {
  it('a run file is read as it was written', () => {
    const settings: Settings = { run: { seed: 12 }, learning: { clipHigh: 0.28 } };
    const text = library.writeRun({ preset: 'quick', settings });
    const read = library.readRun(text);
    expect(read).toMatchObject({ preset: 'quick', settings, changes: [] });
    expect(library.writeRun(read)).toBe(text);
  });

  it('an archive gives its settings and its checkpoint, with which a run continues', async () => {
    const { session } = await startRun();
    await session.train(1);
    const [run, checkpoint] = [session.run, await session.checkpoint()];
    await session.dispose();
    const pieces: Uint8Array[] = [];
    const entries = [runEntry(run), checkpointEntry(checkpoint)];
    await writeRunArchive(
      (async function* () {
        await Promise.resolve();
        yield* entries;
      })(),
      (piece) => void pieces.push(piece),
    );
    const zip = new Uint8Array(await new Blob(pieces as BlobPart[]).arrayBuffer());
    const archive = library.openArchive(zip);
    expect(archive.checkpoints).toEqual([1]);
    expect((await archive.run()).settings.run?.seed).toBe(run.config.run.seed);
    expect((await archive.checkpoint(1)).iteration).toBe(1);
  });

  it('dialogues become lines, a table and a log', async () => {
    const news = await heard(library.train({ settings: { ...few, run: { ...few.run, iterations: 1 } } }));
    const iterations = news.flatMap((one) => (one.kind === 'iteration' ? [one] : []));
    const lines = await library.writeDialogues(iterations, 'jsonl');
    expect(new TextDecoder().decode(lines).trim().split('\n')).toHaveLength(8);
    const table = await library.writeDialogues(iterations, 'parquet');
    expect(new TextDecoder().decode(table.slice(0, 4))).toBe('PAR1');
    const log = JSON.parse(new TextDecoder().decode(await library.writeDialogues(iterations, 'inspect'))) as object;
    expect(log).toHaveProperty('samples');
  });

  it('a data file gives its problems, and says why others were left out', async () => {
    const rows = ['{"question":"What is 2+3?","answer":"2+3=<<2+3=5>>5\\n#### 5"}', '{"question":"no answer"}'];
    const { examples, rejections } = await library.readProblems(new Blob([rows.join('\n')]));
    expect(examples).toHaveLength(1);
    expect(rejections).toMatchObject([{ row: 2 }]);
  });
});

it('every learner has a published form, and a formula if it has a policy loss', () => {
  for (const name of library.learnerNames) {
    expect(library.publishedForm(name).paper, name).not.toBe('');
    const lines = library.formula({ settings: { learning: { learner: name }, agents: { parameters: 'separate' } } });
    expect(lines.length, name).toBeGreaterThan(0);
    for (const { equation } of lines) expect(equation, name).toMatch(/ = ./);
  }
});

it('one loss by hand: a clipped and an unclipped token', () => {
  const rows = { oldLogprobs: [[0, 0]], logprobs: [[Math.log(1.5), Math.log(0.9)]], advantages: [[2, 2]] };
  const ids = { actionMask: [[1, 1]], turnIds: [[0, 0]], trajectoryIds: [0], agentIds: [0] };
  const clip = { clipLow: 0.2, clipHigh: 0.2, dualClip: 0, logratioClamp: 20 };
  const { loss, side } = library.policyLoss(
    { ...rows, ...ids },
    { ...clip, ratioLevel: 'token', turnMean: 'geometric', aggregation: 'token' },
  );
  expect(side).toEqual([[1, 0]]);
  expect(loss).toBeCloseTo(-(1.2 * 2 + 0.9 * 2) / 2, 12);
  expect(library.klEstimate(-1, -1.5, 'k3')).toBeCloseTo(Math.exp(-0.5) - 1 + 0.5, 12);
  expect(library.preferenceLoss([0], { kind: 'sigmoid', beta: 0.1 })).toBeCloseTo(Math.log(2), 12);
});
