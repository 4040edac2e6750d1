// Whatever learns from a talk, learns from one between two vocabularies: critics and verifiers read all of it in the
// tokens of the first agent, from whose network they are copies.
import { beforeAll, expect, it } from 'vitest';
import type { ConfigInput } from '../../config/schema.ts';
import { firstJoinedId } from '../../config/worlds/houseRule.ts';
import { transcriptOf } from '../critics/mixingRows.ts';
import { startCpuEngine } from '../testing/cpuEngine.ts';
import { startRun } from '../testing/microRun.ts';

beforeAll(startCpuEngine);

const unequal = { parameters: 'heterogeneous', otherVocabulary: 'joined' } as const;
const debate = { ...unequal, protocol: 'debate', count: 2, roundLimit: 2 } as const;

const ofLearners = (['grpo', 'ppo', 'mappo', 'dpo', 'sft', 'qmix'] as const).map((learner): [string, ConfigInput] => [
  learner,
  { agents: unequal, learning: { learner } },
]);
const others: [string, ConfigInput][] = [
  ['a trained verifier', { agents: debate, verifier: { isTrained: true } }],
  ['a reward for influence', { agents: debate, reward: { causal: 0.1, over: 'dense' } }],
  [
    'candidates for each turn',
    {
      agents: { ...debate, candidates: 2 },
      learning: { groupKey: 'problem+agent+turn' },
      reward: { across: 'own', over: 'dense' },
    },
  ],
];

it.each([...ofLearners, ...others])('an unequal team learns with %s', async (_, settings) => {
  const { session, events } = await startRun(settings);
  await session.train(1);
  expect(events.flatMap((event) => (event.kind === 'failed' ? [event.message] : []))).toEqual([]);
  const metrics = events.flatMap((event) => (event.kind === 'iteration' ? [event.metrics.values] : []));
  expect(metrics).toHaveLength(1);
  expect(Object.values(metrics[0] ?? {}).every(Number.isFinite)).toBe(true);
  const { verifier } = await session.checkpoint();
  expect(verifier !== undefined).toBe(settings.verifier !== undefined);
  for (const { tokens } of verifier?.answers ?? []) expect(Math.max(...tokens)).toBeLessThan(firstJoinedId);
  await session.dispose();
});

it('a mixing critic finds every message in the joint transcript, whoever said it', async () => {
  const run = await startRun({ agents: debate });
  await run.session.train(1);
  const { tokens, tokenizer } = run.session.trainState.team;
  for (const trajectory of run.collected().flat()) {
    const rewards = trajectory.turns.map(() => [0, 0]);
    const { ids, rounds } = transcriptOf(trajectory, rewards, { witness: 1, tokens });
    for (const { turn, from, to } of rounds.flatMap(({ messages }) => messages)) {
      const said = trajectory.turns[turn] as (typeof trajectory.turns)[number];
      const end = said.isTruncated ? '' : said.isFinish ? '<finish>' : '<eot>';
      expect(tokenizer.decode(ids.slice(from, to))).toBe(said.text + end);
    }
  }
  await run.session.dispose();
});
