// Tests of the optional parts of a checkpoint. These parts are stored and read without any change. A part that is
// absent in a checkpoint is still absent after the checkpoint was read. If a part is damaged, the error contains the
// name of the field.
import { describe, expect, it } from 'vitest';
import { StorageError } from '../base/errors.ts';
import type { Checkpoint, NetworkState } from '../records/stored/checkpoint.ts';
import { runId } from '../records/ids.ts';
import { array, checkpoint, iteration, run } from './testing/sampleRecords.ts';
import { asCheckpoint, asMetrics, asRun } from './validate.ts';

const critics = checkpoint(1).networks.slice(0, 1) as [NetworkState];
const [critic] = critics;
const memoryState = { stored: 1, facts: Uint16Array.of(1, 1, 65535, 1, 0, 0), rewards: Float64Array.of(1 / 3) };
const scale = { weight: 0.1, mean: 1 / 30, square: 0.25 };
const criticStates = [{ memory: memoryState, scale }];
const replay = { stored: 1, facts: Uint16Array.of(1, 65535, 0), rewards: Float64Array.of() };
const mixing = { critic, target: critic.weights, replay };
const network = {
  weights: [array('a', 1, 2)],
  critic: [array('value_head.weight', 3)],
  m: [Float32Array.of(0, 0), Float32Array.of(0)],
  v: [Float32Array.of(0, 0), Float32Array.of(0)],
  updates: 5,
};
const answer = { iteration: 3, question: '7+4*2|precedence', tokens: [1, 8, 2, 15, 2], start: 3, isRight: true };
const verifier = { network, answers: [answer] };
const base = [array('a', 1, -0, 2)];

describe('a checkpoint', () => {
  const parts: Partial<Checkpoint>[] = [{ base, reference: [] }, { critics, criticStates }, { mixing }, { verifier }];
  it.each(parts)('keeps %o, and has none if there was none', (added) => {
    const whole = checkpoint(3, added);
    expect(asCheckpoint(structuredClone(whole), 'a checkpoint')).toEqual(whole);
    for (const part of ['base', 'criticStates', 'mixing', 'verifier'].filter((name) => !(name in added)))
      expect(asCheckpoint(whole, 'a checkpoint')).not.toHaveProperty(part);
  });

  const memory = (changed: object) => ({ critics, criticStates: [{ scale, memory: { ...memoryState, ...changed } }] });
  const mixed = (changed: object) => ({ mixing: { ...mixing, ...changed } });
  const replayed = (changed: object) => mixed({ replay: { ...replay, ...changed } });
  const damages: [added: object, message: RegExp][] = [
    [{ base: [{ ...array('a', 1, 2), shape: [3] }] }, /base: a: expected 3 numbers/],
    [memory({ facts: [1, 2] }), /criticStates\.0\.memory\.facts/],
    [memory({ rewards: Float32Array.of(1) }), /criticStates\.0\.memory\.rewards/],
    [memory({ stored: -1 }), /criticStates\.0\.memory\.stored/],
    [memory({ stored: 2 }), /criticStates\.0\.memory: expected 2 dialogues, got 1; start a new run/],
    [memory({ facts: Uint16Array.of(1, 1, 65535, 1) }), /memory: expected more than 4 facts/],
    [memory({ facts: Uint16Array.of(1, 1, 65535, 1, 1, 0) }), /memory: expected columns below 1, got 1/],
    [memory({ rewards: Float64Array.of() }), /memory: expected 1 rewards, got 0/],
    [
      { critics, criticStates: [{ memory: memoryState, scale: { ...scale, mean: NaN } }] },
      /criticStates\.0\.scale\.mean/,
    ],
    [mixed({ replay: undefined }), /mixing\.replay/],
    [replayed({ facts: [1] }), /mixing\.replay\.facts/],
    [replayed({ facts: Uint16Array.of(2, 65535, 0) }), /mixing\.replay: expected at least 4 numbers, got 3/],
    [replayed({ stored: 2 }), /mixing\.replay: expected 2 dialogues, got 1; start a new run/],
    [replayed({ rewards: Float64Array.of(1) }), /mixing\.replay: expected 0 rewards, got 1/],
    [mixed({ target: [{ ...critic.weights[0], shape: [977] }] }), /mixing\.target/],
    [mixed({ critic: { ...critic, m: [] } }), /mixing\.critic\.m/],
    [{ verifier: { ...verifier, network: { ...network, m: [Float32Array.of(0, 0)] } } }, /verifier\.network\.m/],
    [{ verifier: { network, answers: [{ ...answer, start: -1 }] } }, /verifier\.answers\.0\.start/],
    [{ verifier: { network } }, /verifier\.answers/],
  ];
  it.each(damages)('is refused by the field that is damaged: %o', (added, message) => {
    const read = () => asCheckpoint({ ...checkpoint(3), ...added }, 'a checkpoint');
    expect(read).toThrow(StorageError);
    expect(read).toThrow(message);
  });
});

it('an iteration keeps the reliability of its verifier', () => {
  const { metrics } = iteration(1);
  const bin = { count: 2, right: 1, meanScore: 0.5 };
  const reliability = { bins: [bin], oneSided: 0, questions: 1 };
  expect(asMetrics({ ...metrics, reliability }, 'metrics')).toEqual({ ...metrics, reliability });
  expect(asMetrics(metrics, 'metrics')).toEqual(metrics);
  const damaged = { ...reliability, bins: [{ ...bin, right: -1 }] };
  expect(() => asMetrics({ ...metrics, reliability: damaged }, 'm')).toThrow('reliability.bins.0.right');
});

it('a fork keeps its origin, and other runs have none', () => {
  const forkedFrom = { id: runId('run-0'), name: 'calm-otter', iteration: 4 };
  expect(asRun(run({ forkedFrom }), 'run').forkedFrom).toEqual(forkedFrom);
  expect(asRun(run(), 'run')).not.toHaveProperty('forkedFrom');
  expect(() => asRun({ ...run(), forkedFrom: { id: 'run-0' } }, 'run')).toThrow('forkedFrom.name');
});
