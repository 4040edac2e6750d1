// Tests of the addresses of random numbers that turns use. No two turns use the same random number, and each turn has
// the same addresses as in earlier versions.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { streams, uniformAt, type Stream } from '../base/random.ts';
import { protocolNames } from '../config/protocols/registry.ts';
import { parseShape } from '../config/parse.ts';
import { fieldAt, type NumberField } from '../config/describe.ts';
import { world as houseRule } from '../extensions/worlds/houseRule/world.ts';
import { rolloutSettings } from './settings.ts';
import { turnAddress } from './request.ts';

/**
 * These values were recorded in a version that allowed at most 32 turns of 128 random numbers. Each row is [seed,
 * stream, iteration, row, turn, place], followed by the random number.
 */
const before = [
  [[7, 3, 0, 0, 0, 0], 0.37792450189590454],
  [[7, 3, 0, 0, 31, 127], 0.40027618408203125],
  [[7, 3, 12, 255, 5, 64], 0.5063579082489014],
  [[1, 4, 0, 511, 3, 9], 0.37085020542144775],
  [[123456, 3, 99, 5000, 30, 1], 0.4356570839881897],
  [[1, 3, 2, 100000, 17, 90], 0.23088234663009644],
  [[7, 10, 3, 40, 12, 2], 0.8522674441337585],
  [[1, 10, 0, 3, 31, 7], 0.061386942863464355],
] as const;

describe('turnAddress', () => {
  it('draws for a turn that there was always room for what was always drawn', () => {
    for (const [[seed, stream, iteration, row, turn, place], draw] of before) {
      for (const window of [128, place + 1])
        expect(uniformAt(turnAddress({ seed, stream: stream as Stream, iteration }, row, turn, window), place)).toBe(
          draw,
        );
    }
  });

  it('gives every draw of 256 turns of up to 1,024 tokens a place of its own', () => {
    const line = { seed: 7, stream: streams.sampling, iteration: 3 };
    const taken: [number, number][] = [];
    for (const row of [0, 1, 2, 63])
      for (let turn = 0; turn < 256; turn++) {
        const window = [16, 128, 129, 1024][(row + turn) % 4] as number;
        taken.push([turnAddress(line, row, turn, window), window]);
      }
    taken.sort((a, b) => a[0] - b[0]);
    taken.forEach(([at, window], i) => expect(at + window).toBeLessThanOrEqual(taken[i + 1]?.[0] ?? Infinity));
  });

  it('keeps long turns of any two rows apart, however many rows there are', () => {
    const row = fc.nat(2 ** 20 - 1);
    const place = fc.record({ row, turn: fc.nat(255) });
    fc.assert(
      fc.property(place, place, (a, b) => {
        fc.pre(a.row !== b.row || a.turn !== b.turn);
        const at = [a, b].map((one) =>
          turnAddress({ seed: 1, stream: streams.sampling, iteration: 0 }, one.row, one.turn, 1024),
        );
        expect(at[0]).not.toBe(at[1]);
      }),
    );
  });

  it('refuses what has no address, and says what would', () => {
    const line = { seed: 7, stream: streams.sampling, iteration: 3 };
    const fault =
      /^draws: expected at most 256 turns of 1024 tokens, got turn \d+ with \d+ tokens; allow fewer rounds or shorter turns\.$/;
    expect(() => turnAddress(line, 0, 256, 8)).toThrow(fault);
    expect(() => turnAddress(line, 0, 0, 1025)).toThrow(fault);
  });

  it('has room for the longest dialogue that the settings allow', () => {
    const most = (path: string) => (fieldAt(path) as NumberField).max;
    for (const protocol of protocolNames) {
      for (const { level } of houseRule.levels) {
        const agents = {
          ...{ protocol, count: most('agents.count'), roundLimit: most('agents.roundLimit') },
          ...{ metaWindow: most('agents.metaWindow'), reasonWindow: most('agents.reasonWindow') },
        };
        const config = parseShape({ world: { level }, agents });
        const { roundLimit, windows } = rolloutSettings(config, houseRule);
        expect(() =>
          turnAddress(
            { seed: 1, stream: 3, iteration: 0 },
            0,
            roundLimit * agents.count - 1,
            Math.max(...Object.values(windows)),
          ),
        ).not.toThrow();
      }
    }
  });
});
