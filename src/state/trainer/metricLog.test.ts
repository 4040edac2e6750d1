import { describe, expect, it } from 'vitest';
import { MetricLog } from './metricLog.ts';

describe('the log of metrics', () => {
  it('ignores an iteration that was already told', () => {
    const log = new MetricLog();
    log.append({ iteration: 1, values: { a: 1 } });
    log.append({ iteration: 1, values: { a: 9 } });
    log.append({ iteration: 2, values: { b: 2 } });
    expect(log.newestRows.map(({ iteration }) => iteration)).toEqual([1, 2]);
    expect([log.newest('a'), log.newest('b')]).toEqual([undefined, 2]);
  });

  it('that is cut takes later iterations again', () => {
    const log = new MetricLog();
    for (const iteration of [1, 2, 3]) log.append({ iteration, values: { a: iteration } });
    log.cut(3);
    expect(log.newest('a')).toBe(3);
    log.cut(1);
    log.append({ iteration: 2, values: { a: 9 } });
    expect(log.newestRows.map(({ values }) => values)).toEqual([{ a: 1 }, { a: 9 }]);
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
    expect(log.drawn).toHaveLength(1000);
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
  });

  it('that is cut within its newest iterations forgets no more than what came after', () => {
    const log = longLog(20_000);
    log.cut(19_991);
    expect([log.iteration, log.newest('a')]).toEqual([19_991, 19_991]);
    expect(log.drawn.at(-1)).toEqual({ iteration: 19_991, values: { a: 19_991 } });
    const ends = log.drawn.map(({ iteration }) => iteration);
    expect(new Set(ends).size).toBe(ends.length);
    log.append({ iteration: 19_992, values: { a: -1 } });
    expect(log.drawn.slice(-2).map(({ values }) => values['a'])).toEqual([19_984, -1]);
  });

  it('that is cut long before keeps the stretches up to there', () => {
    const log = longLog(20_000);
    log.cut(30);
    expect(log.drawn.map(({ iteration }) => iteration)).toEqual([16]);
    expect([log.iteration, log.newest('a')]).toEqual([16, 16]);
    log.append({ iteration: 31, values: { a: 31 } });
    expect(log.known.map(({ iteration }) => iteration)).toEqual([16, 31]);
  });

  it('knows a short run whole, and of a long one the newest iterations one by one', () => {
    expect(longLog(1500).known).toHaveLength(1500);
    const known = longLog(20_000).known.map(({ iteration }) => iteration);
    expect(known.slice(-200)).toEqual(Array.from({ length: 200 }, (_, i) => 19_801 + i));
    expect(known.every((iteration, i) => iteration > (known[i - 1] ?? 0))).toBe(true);
    expect(known.length).toBeLessThan(2000);
  });

  it('is no larger, however long the run is', () => {
    const log = longLog(100_000);
    expect(log.recent('a', 10)).toBe(99_995.5);
    expect(log.drawn.length + log.newestRows.length).toBeLessThan(2001);
  });
});

function longLog(iterations: number): MetricLog {
  const log = new MetricLog();
  for (let iteration = 1; iteration <= iterations; iteration++) log.append({ iteration, values: { a: iteration } });
  return log;
}
