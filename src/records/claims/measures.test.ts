import { expect, it } from 'vitest';
import { measures, outcomeOf } from './measures.ts';

const iteration = (values: Record<string, number>) => ({ values });

it('the silence of a team is that of its most silent role, in the mean of its last five iterations', () => {
  const early = iteration({ 'charts/empty_turns/metaThinking': 1, 'charts/empty_turns/reasoning': 1 });
  const late = [0.9, 0.8, 1, 0.9, 0.9].map((reasoning) =>
    iteration({
      'charts/empty_turns': 0.5,
      'charts/empty_turns/metaThinking': 0.1,
      'charts/empty_turns/reasoning': reasoning,
    }),
  );
  const outcome = outcomeOf([{ accuracy: 0.3 }, { accuracy: 0 }], [early, ...late]);
  expect(measures.silence.of(outcome)).toBeCloseTo(0.9, 10);
  expect(measures.gain.of(outcome)).toBeCloseTo(-0.3, 10);
});

it('nothing is said of silence where it was not measured', () => {
  expect(measures.silence.of(outcomeOf([{ accuracy: 0.3 }], [iteration({ 'charts/turns': 3 })]))).toBeNaN();
});

it('the gain is measured from the evaluation before training to the last one', () => {
  expect(measures.gain.of(outcomeOf([{ accuracy: 0.3 }, { accuracy: 0.9 }, { accuracy: 0.4 }], []))).toBeCloseTo(
    0.1,
    10,
  );
});

it('what a team gains in length is measured from what its warm start says, which the first iteration is sampled by', () => {
  const spoken = [6, 7, 9, 8, 8, 8, 7].map((tokens) => iteration({ 'charts/tokens_per_turn': tokens }));
  expect(measures.lengthGained.of(outcomeOf([{ accuracy: 0.3 }], spoken))).toBe(2);
  expect(measures.lengthGained.of(outcomeOf([{ accuracy: 0.3 }], []))).toBeNaN();
});
