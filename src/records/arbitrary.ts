// Random but valid records for property tests; imported by tests only.
import fc from 'fast-check';
import { agentId, roles } from './ids.ts';
import { ruleNames } from './problem.ts';
import { rewardNames, type Trajectory, type Turn } from './trajectory.ts';

const float32 = fc.float({ noNaN: true, noDefaultInfinity: true }).map((x) => x + 0);
const share = fc.double({ min: 0, max: 1, noNaN: true }).map((x) => x + 0);
const count = (max: number) => fc.nat({ max });

function turns(index: number): fc.Arbitrary<Turn> {
  return fc.array(fc.tuple(count(31), float32), { maxLength: 12 }).chain((sampled) =>
    fc.record({
      index: fc.constant(index),
      round: fc.constant(index >> 1),
      agent: count(1).map(agentId),
      role: fc.constantFrom(...roles),
      tokens: fc.constant(sampled.map(([token]) => token)),
      logprobs: fc.constant(sampled.map(([, logprob]) => logprob)),
      text: fc.string(),
      isTruncated: fc.boolean(),
      isFinish: fc.boolean(),
      parts: fc.tuple(share, share, share, share).map((values) => {
        return Object.fromEntries(rewardNames.map((name, i) => [name, values[i] as number])) as Turn['parts'];
      }),
      reason: fc.string(),
      reward: share,
    }),
  );
}

/** Any trajectory of up to six turns; log-probabilities are float32 numbers. */
export const trajectories: fc.Arbitrary<Trajectory> = count(6).chain((length) =>
  fc.record({
    index: count(5000),
    group: count(500),
    problem: fc.record({
      id: fc.string(),
      level: fc.integer({ min: 1, max: 4 }),
      expression: fc.string(),
      rule: fc.constantFrom(...ruleNames),
      answer: fc.string(),
    }),
    prompts: fc.array(fc.array(count(31), { maxLength: 12 }), { minLength: 1, maxLength: 2 }),
    turns: fc.tuple(...Array.from({ length }, (_, index) => turns(index))),
    finishCode: fc.constantFrom(0, 1, 2, 3),
    answer: fc.option(fc.string(), { nil: null }),
    isRight: fc.boolean(),
    reward: share,
  }),
);
