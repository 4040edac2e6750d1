// Generators of random but valid records for property tests.
import fc from 'fast-check';
import { agentId, roles } from '../ids.ts';
import { profilePartNames, profileSchema, type IterationProfile } from '../profile.ts';
import type { Problem } from '../problem.ts';
import type { Trajectory, Turn } from '../trajectory.ts';

/** A problem of house-rule arithmetic. */
export const sampleProblem: Problem = {
  ...{ id: '7+4*2|rightToLeft', world: 'houseRule', level: 1, shown: '7+4*2', hidden: { rule: '<rightToLeft>' } },
  ...{ answer: '5', slice: 'rightToLeft', given: { rule: 'rightToLeft' } },
};

const float32 = fc.float({ noNaN: true, noDefaultInfinity: true }).map((x) => x + 0);
const share = fc.double({ min: 0, max: 1, noNaN: true }).map((x) => x + 0);
const count = (max: number) => fc.nat({ max });

const partName = fc.constantFrom('rightAnswer', 'legalOperation', 'finished', 'format', 'evidence');

const reactions = fc.record(
  {
    observation: fc.record({ source: fc.string(), text: fc.string() }),
    state: fc.constantFrom(null, { at: 3 }, [1, 'two']),
    isOver: fc.boolean(),
  },
  { requiredKeys: ['state'], noNullPrototype: true },
);

const phrase = fc.record(
  { key: fc.constantFrom('nothing', 'a wall'), values: fc.constant([]) },
  { noNullPrototype: true },
);
const clause = fc.oneof(
  fc.string(),
  fc.record(
    {
      key: fc.constantFrom('the turn was cut', '{0} was expected, but {1} was given'),
      values: fc.array(fc.oneof(fc.string(), phrase), { minLength: 2, maxLength: 2 }),
    },
    { noNullPrototype: true },
  ),
);
const reasons = fc.array(clause, { maxLength: 3 });

const heard = fc.record(
  {
    tokens: fc.array(count(31), { maxLength: 5 }),
    text: fc.string(),
    isTruncated: fc.boolean(),
    isFinish: fc.boolean(),
    feedback: count(3),
  },
  { requiredKeys: ['tokens', 'text', 'isTruncated', 'isFinish'], noNullPrototype: true },
);

/** The fields that every turn has. */
const requiredKeys = [
  ...(['index', 'round', 'agent', 'role', 'tokens', 'logprobs', 'text'] as const),
  ...(['isTruncated', 'isFinish', 'parts', 'reason', 'reward'] as const),
];

function turns(index: number): fc.Arbitrary<Turn> {
  return fc.array(fc.tuple(count(31), float32), { maxLength: 12 }).chain((sampled) =>
    fc.record(
      {
        index: fc.constant(index),
        set: count(index),
        isRight: fc.boolean(),
        score: share,
        feedback: count(3),
        maskedFor: fc.array(count(7), { maxLength: 3 }),
        heardAs: heard,
        influence: share,
        belief: share,
        reaction: reactions,
        round: fc.constant(index >> 1),
        agent: count(1).map(agentId),
        role: fc.constantFrom(...roles),
        tokens: fc.constant(sampled.map(([token]) => token)),
        logprobs: fc.constant(sampled.map(([, logprob]) => logprob)),
        text: fc.string(),
        isTruncated: fc.boolean(),
        isFinish: fc.boolean(),
        parts: fc.dictionary(partName, share, { maxKeys: 4, noNullPrototype: true }),
        reason: reasons,
        reward: share,
      },
      { requiredKeys },
    ),
  );
}

/** A random trajectory of up to six turns; log-probabilities are float32 numbers. */
export const trajectories: fc.Arbitrary<Trajectory> = count(6)
  .chain((length) =>
    fc.record({
      index: count(5000),
      group: count(500),
      problem: fc.record({
        id: fc.string(),
        world: fc.constantFrom('houseRule', 'elsewhere'),
        level: fc.integer({ min: 1, max: 4 }),
        shown: fc.string(),
        hidden: fc.dictionary(partName, fc.string(), { maxKeys: 2, noNullPrototype: true }),
        answer: fc.string(),
        slice: fc.string(),
        given: fc.constant({ rule: 'precedence' }),
      }),
      prompts: fc.array(fc.array(count(31), { maxLength: 12 }), { minLength: 1, maxLength: 2 }),
      turns: fc.tuple(...Array.from({ length }, (_, index) => turns(index))),
      finishCode: fc.constantFrom(0, 1, 2, 3),
      answer: fc.option(fc.string(), { nil: null }),
      isRight: fc.boolean(),
      reward: share,
      opening: fc.option(reactions, { nil: undefined }),
      branch: fc.option(fc.record({ tree: count(5000), from: count(length) }), { nil: undefined }),
    }),
  )
  .map(({ branch, opening, ...trajectory }) => ({
    ...trajectory,
    ...(opening && { opening }),
    ...(branch && { branch }),
  }));

const amount = fc.double({ min: 0, max: 1e12, noNaN: true }).map((x) => x + 0);

/** Any profile of an iteration. */
export const profiles = fc.record({
  ...Object.fromEntries(Object.keys(profileSchema.entries).map((name) => [name, amount])),
  parts: fc.record(Object.fromEntries(profilePartNames.map((part) => [part, amount]))),
  waits: fc.constantFrom({}, { update: 12.5 }, { rollout: 3, update: 1e-3 }),
  gpuMs: fc.option(amount, { nil: null }),
}) as fc.Arbitrary<IterationProfile>;
