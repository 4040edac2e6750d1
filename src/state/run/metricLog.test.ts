import { describe, expect, it } from 'vitest';
import { MetricLog } from './metricLog.ts';

describe('the log of metrics', () => {
  it('ignores an iteration that was already told', () => {
    const log = new MetricLog();
    log.append({ iteration: 1, values: { a: 1 } });
    log.append({ iteration: 1, values: { a: 9 } });
    log.append({ iteration: 2, values: { b: 2 } });
    expect(log.rows.map(({ iteration }) => iteration)).toEqual([1, 2]);
    expect([log.newest('a'), log.newest('b')]).toEqual([undefined, 2]);
  });

  it('that is cut takes later iterations anew', () => {
    const log = new MetricLog();
    for (const iteration of [1, 2, 3]) log.append({ iteration, values: { a: iteration } });
    log.cut(3);
    expect(log.newest('a')).toBe(3);
    log.cut(1);
    log.append({ iteration: 2, values: { a: 9 } });
    expect(log.rows.map(({ values }) => values)).toEqual([{ a: 1 }, { a: 9 }]);
  });

  it('averages the newest values and skips the gaps', () => {
    const log = new MetricLog();
    const rows: Record<string, number>[] = [{ a: 1 }, { a: 2 }, {}, { a: 4 }];
    for (const [iteration, values] of rows.entries()) log.append({ iteration, values });
    expect(log.recent('a', 3)).toBe(3);
    expect(log.recent('z', 3)).toBeUndefined();
    expect(new MetricLog().recent('a', 3)).toBeUndefined();
  });

  it('draws a short run as it is, and a long one by stretches that each have the newest value of every metric', () => {
    const log = new MetricLog();
    const add = (from: number, to: number) => {
      for (let i = from; i <= to; i++) log.append({ iteration: i, values: { a: i, ...(i % 10 === 0 && { rare: i }) } });
    };
    add(1, 1000);
    expect(log.drawn).toEqual(log.rows);
    add(1001, 20_000);
    expect(log.drawn.length).toBeLessThan(1700);
    expect(log.drawn.length).toBeGreaterThan(700);
    expect(log.drawn.at(-1)).toEqual({ iteration: 20_000, values: { a: 20_000, rare: 20_000 } });
    expect(log.drawn.slice(0, 2)).toEqual([
      { iteration: 16, values: { a: 16, rare: 10 } },
      { iteration: 32, values: { a: 32, rare: 30 } },
    ]);
    const ends = log.drawn.map(({ iteration }) => iteration);
    expect(ends.slice(1).every((end, i) => end > (ends[i] ?? 0))).toBe(true);
    log.cut(30);
    expect(log.drawn).toEqual(log.rows);
    expect(log.drawn).toHaveLength(30);
  });

  it('grows in place, however long the run is', () => {
    const log = new MetricLog();
    const { rows } = log;
    for (let iteration = 0; iteration < 100_000; iteration++) log.append({ iteration, values: { a: iteration } });
    expect(log.recent('a', 10)).toBe(99_994.5);
    expect(log.rows).toBe(rows);
  });
});
