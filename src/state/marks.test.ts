import { expect, it } from 'vitest';
import type { RunRecord } from '../records/checkpoint.ts';
import { marksOf } from './marks.ts';

it('marks the fork of a run and its changes, those of one iteration together', () => {
  const changes = [
    { iteration: 20, path: 'optimiser.learningRate', value: 1e-3 },
    { iteration: 20, path: 'learning.clipHigh', value: 0.4 },
    { iteration: 15, path: 'learning.entCoef', value: 0 },
  ];
  const imports = [
    { iteration: 0, name: 'first.jsonl', digest: '' },
    { iteration: 30, name: 'then.jsonl', digest: '' },
  ];
  const forkedFrom = { id: 'p', name: 'calm-otter', iteration: 10 };
  expect(marksOf({ changes, imports, forkedFrom } as unknown as RunRecord)).toEqual([
    { iteration: 10, words: 'After iteration 10: forked from calm-otter.' },
    { iteration: 15, words: 'After iteration 15: entropy bonus 0.' },
    { iteration: 20, words: 'After iteration 20: learning rate 0.001; clip 0.4.' },
    { iteration: 30, words: 'After iteration 30: pairs of then.jsonl.' },
  ]);
});
