// Tests that the answers of a world that is served elsewhere are accepted only if they have the expected form.
import { expect, it } from 'vitest';
import { WorldError } from '../../../src/base/errors.ts';
import { readAnswer } from './answers.ts';

const assessed = {
  perTurn: [{ parts: { rightAnswer: 1 }, reason: 'the answer is 5; the turn was cut' }],
  answer: '5',
  isRight: true,
  potentials: [0, 1],
};

it.each([
  ['react', { state: [1], observation: { source: 'road', text: 'far' }, isOver: false }],
  ['open', { state: null }],
  ['judge', { answer: null, isRight: false, score: 0, parts: {}, standing: 0 }],
  ['assess', { ...assessed, perTurn: [] }],
] as const)('an answer to %s is read as it was written, with everything that a world adds', (call, answer) => {
  expect(readAnswer(call, JSON.stringify(answer))).toEqual(answer);
});

it('a reason is read as the given text', () => {
  const [turn] = assessed.perTurn;
  expect(readAnswer('assess', JSON.stringify(assessed))).toEqual({
    ...assessed,
    perTurn: [{ ...turn, reason: ['the answer is 5; the turn was cut'] }],
  });
});

it.each([
  ['react', '{"observation": {"source": "road"}}'],
  ['judge', '{"answer": 5, "isRight": true, "score": 1}'],
  ['judge', 'null'],
  ['assess', JSON.stringify({ ...assessed, perTurn: null })],
  ['assess', JSON.stringify({ ...assessed, potentials: ['0'] })],
  ['assess', '{"perTurn": ['],
  ['open', undefined],
] as const)('an invalid answer to %s is refused by name: %s', (call, json) => {
  expect(() => readAnswer(call, json)).toThrow(WorldError);
  expect(() => readAnswer(call, json)).toThrow(/the server returned an invalid result .*use the same version/);
});
