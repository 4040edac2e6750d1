// A verifier is stored with its run: its network and what it has in mind with the checkpoint, how far it could be
// believed with the iteration. What is damaged is refused by its field.
import { describe, expect, it } from 'vitest';
import { StorageError } from '../base/errors.ts';
import type { Checkpoint } from '../records/checkpoint.ts';
import { array, checkpoint, iteration } from './testing/sampleRecords.ts';
import { asCheckpoint, asMetrics } from './validate.ts';

const network = {
  weights: [array('a', 1, 2)],
  critic: [array('value_head.weight', 3)],
  m: [Float32Array.of(0, 0), Float32Array.of(0)],
  v: [Float32Array.of(0, 0), Float32Array.of(0)],
  updates: 5,
};
const answers = [{ iteration: 3, question: '7+4*2|precedence', tokens: [1, 8, 2, 15, 2], start: 3, isRight: true }];
const stored = (verifier: object): Checkpoint =>
  checkpoint(4, { verifier: verifier as Checkpoint['verifier'] & object });

describe('a stored verifier', () => {
  it('comes back as it was, and is absent where there was none', () => {
    const whole = stored({ network, answers });
    expect(asCheckpoint(structuredClone(whole), 'checkpoint')).toEqual(whole);
    expect(asCheckpoint(checkpoint(4), 'checkpoint')).not.toHaveProperty('verifier');
  });

  it('is refused by the field that is damaged', () => {
    const cut = { ...network, m: [Float32Array.of(0, 0)] };
    expect(() => asCheckpoint(stored({ network: cut, answers }), 'c')).toThrow('verifier.network.m');
    expect(() => asCheckpoint(stored({ network, answers: [{ ...answers[0], start: -1 }] }), 'c')).toThrow('verifier.answers.0.start'); // prettier-ignore
    expect(() => asCheckpoint(stored({ network }), 'c')).toThrow(StorageError);
  });

  it('leaves with its iteration how far it could be believed', () => {
    const { metrics } = iteration(1);
    const reliability = { bins: [{ count: 2, right: 1, meanScore: 0.5 }], oneSided: 0, questions: 1 };
    expect(asMetrics({ ...metrics, reliability }, 'metrics')).toEqual({ ...metrics, reliability });
    expect(asMetrics(metrics, 'metrics')).toEqual(metrics);
    const damaged = { ...reliability, bins: [{ count: 2, right: -1, meanScore: 0.5 }] };
    expect(() => asMetrics({ ...metrics, reliability: damaged }, 'm')).toThrow('reliability.bins.0.right');
  });
});
