import { describe, expect, it, vi } from 'vitest';
import type { TrainerEvent } from '../../src/records/events.ts';
import type { GroupInspection } from '../../src/records/inspection.ts';
import { coalesce, News } from './news.ts';

const turn = (iteration: number): TrainerEvent => ({
  kind: 'turn',
  iteration,
  trajectory: { index: iteration } as never,
});
const progress = (share: number): TrainerEvent => ({ kind: 'progress', label: 'Warm start', share, loss: null });
const checkpoint = (iteration: number): TrainerEvent => ({
  kind: 'checkpoint',
  iteration,
  kept: [iteration],
});
const state = (name: 'training' | 'paused'): TrainerEvent => ({ kind: 'state', state: name, message: '' });
const iteration = (number: number, shown: GroupInspection | null = null): TrainerEvent => ({
  kind: 'iteration',
  metrics: { iteration: number, values: {} },
  shown,
  iterationsLeft: 0,
  msLeft: 0,
});
const shown = { iteration: 1 } as GroupInspection;
const queue = (...events: TrainerEvent[]) => events.reduce<TrainerEvent[]>((so, event) => coalesce(so, event), []);

describe('coalesce', () => {
  it('keeps only the newest live turn and the newest progress, at the place of the newest', () => {
    expect(queue(turn(1), checkpoint(0), turn(2), progress(0.1), progress(0.2))).toEqual([
      checkpoint(0),
      turn(2),
      progress(0.2),
    ]);
  });

  it('keeps the metrics of every iteration, and the shown group of the newest only', () => {
    expect(queue(iteration(1, shown), iteration(2, shown), iteration(3))).toEqual([
      iteration(1),
      iteration(2, shown),
      iteration(3),
    ]);
  });

  it('drops a live turn once its iteration is shown', () => {
    expect(queue(turn(1), iteration(1, shown))).toEqual([iteration(1, shown)]);
    expect(queue(turn(1), iteration(1))).toEqual([turn(1), iteration(1)]);
  });

  it('never drops or reorders a state, a failure, a checkpoint or an evaluation', () => {
    const failed: TrainerEvent = { kind: 'failed', name: 'NumericsError', message: 'x', iteration: 1 };
    const all = [state('training'), checkpoint(1), state('paused'), failed, state('training'), checkpoint(2)];
    expect(queue(turn(1), ...all.slice(0, 3), turn(2), ...all.slice(3)).filter(({ kind }) => kind !== 'turn')).toEqual(
      all,
    );
  });

  it('does not change the given queue', () => {
    const given = [iteration(1, shown), turn(1)];
    coalesce(given, iteration(2, shown));
    expect(given).toEqual([iteration(1, shown), turn(1)]);
  });
});

describe('News', () => {
  it('comes in batches, in order, and waits for a listener', () => {
    vi.useFakeTimers();
    const heard: TrainerEvent[][] = [];
    const news = new News();
    news.emit(state('training'));
    news.emit(turn(1));
    vi.advanceTimersByTime(500);
    news.sendTo((events) => heard.push(events));
    news.emit(turn(2));
    expect(heard).toEqual([]);
    vi.advanceTimersByTime(100);
    expect(heard).toEqual([[state('training'), turn(2)]]);
    vi.advanceTimersByTime(500);
    expect(heard).toHaveLength(1); // no news, no call
    news.emit(checkpoint(1));
    vi.advanceTimersByTime(100);
    expect(heard[1]).toEqual([checkpoint(1)]);
    vi.useRealTimers();
  });
});
