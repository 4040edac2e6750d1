// Tests language models as the agents of every world: each turn is a chat in the model's own format, observations
// included, and what is learned from is exactly what was read when it was sampled.
import { beforeAll, describe, expect, it } from 'vitest';
import { givenSample } from '../src/formats/llama/testing/givenSample.ts';
import { sampleShape } from '../src/formats/llama/testing/sample.ts';
import type { Trajectory } from '../src/records/trajectory.ts';
import { viewRows } from '../src/rollout/view.ts';
import { readyTemplates } from '../src/text/chat.ts';
import { tokenizerOf } from '../src/text/tokenizer.ts';
import { layRows } from '../src/training/rows/rows.ts';
import { rowLogprobs } from '../src/training/rows/oldFacts.ts';
import { demonstrate } from '../src/training/imitation/demonstrations.ts';
import { answered } from '../src/training/imitation/demonstrations.ts';
import { onCpu } from '../src/training/testing/onCpu.ts';
import { openGate, openRun } from '../src/training/testing/microRun.ts';
import { wordsCheckpoint } from '../src/training/testing/wordsRun.ts';
import type { Team } from '../src/training/team/team.ts';

beforeAll(readyTemplates);

onCpu();

const shape = { ...sampleShape(), maxPositions: 8192 };
const few = {
  ...{ 'learning.problemsPerIteration': 2, 'learning.groupSize': 2, 'evaluation.problems': 2, 'run.iterations': 1 },
  ...{ 'agents.metaWindow': 6, 'agents.reasonWindow': 6, 'agents.maskUnfinished': false },
};

const begun = async (settings: Record<string, unknown>) =>
  openRun(await wordsCheckpoint(await givenSample(shape), { ...few, ...settings }));

/** The text of the context before each turn of an agent. In this text, special tokens have the model's own names. */
function readBefore(trajectory: Trajectory, agent: number, { tokens, foreign }: Team): string[] {
  const own = tokenizerOf(JSON.parse(foreign?.tokenizerJson ?? '{}') as object);
  return viewRows(trajectory, agent, tokens).map(({ ids, isAction }) => own.decode(ids.filter((_, t) => !isAction[t])));
}

describe.each([
  ['houseRule', 'reMA'],
  ['houseRule', 'debate'],
  ['wordProblems', 'reMA'],
  ['algebra', 'reMA'],
  ['entailment', 'pioneerObserver'],
  ['debate', 'inTurn'],
  ['grid', 'reMA'],
  ['code', 'reMA'],
  ['memory', 'memoryLoop'],
  ['memory', 'memoryAlone'],
  ['tools', 'toolLoop'],
  ['legs', 'tell'],
  ['sayOrder', 'tell'],
])('in the world %s with the protocol %s', (name, protocol) => {
  const settings = { 'world.name': name, 'agents.protocol': protocol };
  // A walk has many rounds, each with a longer context than the one before; three rounds have all of its forms.
  const short = name === 'grid' ? { 'agents.roundLimit': 3 } : {};

  it('one iteration is sampled and learned from in the same contexts', async () => {
    const fresh = await begun({ ...settings, ...short });
    const { team, networks } = fresh.session.trainState;
    const run = await begun({ ...settings, ...short });
    await run.session.train(1);
    expect(run.events.filter(({ kind }) => kind === 'failed')).toEqual([]);
    let count = 0;
    for (const trajectory of (run.collected()[0] ?? []).slice(0, 2)) {
      for (const agent of team.protocol.roles.keys()) {
        const rows = viewRows(trajectory, agent, team.tokens);
        if (rows.length === 0) continue;
        for (const { ids } of rows) expect(ids.length).toBeLessThanOrEqual(team.longestContext);
        const batch = layRows(rows.map((view) => ({ index: 0, agent, view })));
        const network = networks[0] as (typeof networks)[number];
        const found = await rowLogprobs(batch, {
          network,
          temperature: team.config.agents.temperature,
          gate: openGate(),
        });
        const own = trajectory.turns
          .filter((turn) => (turn.agent as number) === agent)
          .flatMap(({ logprobs }) => logprobs);
        const there = [...found].filter((_, at) => batch.turnIds[at] !== -1);
        expect(there).toHaveLength(own.length);
        there.forEach((logprob, t) =>
          expect(Math.abs(logprob - (own[t] as number))).toBeLessThan(1e-5 * Math.max(1, -logprob)),
        );
        count += own.length;
      }
    }
    expect(count).toBeGreaterThan(5);
  });

  it('demonstrations are English, read in the same form, and judged as they were meant', async () => {
    const { session } = await begun({
      ...settings,
      'warmStart.goodPlans': 1,
      'warmStart.resultNoise': 0,
      'warmStart.batchSize': 6,
    });
    const { team } = session.trainState;
    const shown = await answered(team, demonstrate(team, 0));
    for (const trajectory of shown) {
      const found = await team.world.assess(trajectory.problem, trajectory.turns, team.protocol);
      expect(found.isRight).toBe(true);
      for (const { text } of trajectory.turns) expect(text).not.toMatch(/<\w+>/);
      for (const agent of team.protocol.roles.keys())
        for (const read of readBefore(trajectory, agent, team)) {
          expect(read).toMatch(/^<s>.*<\|assistant\|>$/s);
          expect(read).not.toMatch(/\{\w+\}|<(?!s>|\/s>|\|)\w+>/);
        }
    }
  });
});

it('the page shows the tokens of a message so that together they are its text', async () => {
  const run = await begun({ 'agents.metaWindow': 40, 'agents.reasonWindow': 40, 'agents.temperature': 1.5 });
  await run.session.train(1);
  const [{ shown } = { shown: null }] = run.store.iterations;
  const turns = shown?.rollouts.flatMap(({ trajectory, turns: inspected }) =>
    trajectory.turns.map((turn, i) => ({ turn, tokens: inspected[i]?.tokens ?? [] })),
  );
  expect(turns?.length).toBeGreaterThan(2);
  for (const { turn, tokens } of turns ?? []) {
    expect(tokens).toHaveLength(turn.tokens.length);
    expect(tokens.join('')).toBe(turn.text + (turn.isTruncated ? '' : '⏎'));
  }
});
