import { describe, expect, it } from 'vitest';
import type { Evaluation, IterationMetrics } from '../../records/metrics.ts';
import { tensorBoardFile } from './tensorBoard.ts';
import { readEvents } from '../testing/eventFile.ts';

const evaluation = (iteration: number, accuracy: number): Evaluation => ({
  ...{ iteration, accuracy, low: 0.1, high: 0.9, problems: 4, bySlice: { even: 1 }, right: 'f', ceiling: 0.4 },
});
const rows: IterationMetrics[] = [
  { iteration: 1, values: { 'charts/episodic_return': 0.25, 'time/rollout': 1500, 'time/update': 500 } },
  { iteration: 2, values: { 'charts/episodic_return': Number.NaN, 'time/rollout': 1000 } },
];
const createdMs = 1_700_000_000_250;

describe('the event file', () => {
  const evaluations = [evaluation(0, 0.5), evaluation(2, 0.75), evaluation(300, 1)];
  const { name, bytes } = tensorBoardFile({ createdMs, rows, evaluations });

  it('has a name that TensorBoard searches for, and starts with its version', () => {
    expect(name).toBe('events.out.tfevents.1700000000.cothink');
    expect(readEvents(bytes)[0]).toEqual({ seconds: 1_700_000_000.25, step: 0, version: 'brain.Event:2', scalars: {} });
  });

  it('contains iterations and evaluations in order, at the times when the iterations ended', () => {
    const told = readEvents(bytes).slice(1);
    expect(told.map(({ step }) => step)).toEqual([0, 1, 2, 2, 300]);
    expect(told.map(({ seconds }) => seconds - 1_700_000_000.25)).toEqual([0, 2, 3, 3, 3]);
    expect(told[1]?.scalars).toEqual({ 'charts/episodic_return': 0.25, 'time/rollout': 1500, 'time/update': 500 });
    expect(told[2]?.scalars['charts/episodic_return']).toBeNaN();
    expect(told[3]?.scalars).toMatchObject({ 'evaluation/accuracy': 0.75, 'evaluation/accuracy/even': 1 });
  });
});
