import { describe, expect, it } from 'vitest';
import type { Trajectory } from '../../../../records/trajectory.ts';
import { drawnMap, gridText, gridTokens, mapInWords } from './typeset.ts';
import { lookOf, turnTokens } from '../../../../ui/worlds/look.ts';

const problem = {
  ...{ id: 'by hand', world: 'grid', level: 1, shown: 'b1', answer: 'd3', slice: 'clear' },
  hidden: { map: 'Xd3#c1', ground: '<rock>b4' },
  given: { size: 5, start: 'b1', walls: ['c1'], rocks: ['b4'], key: null, door: null, beat: [] },
};
const turn = (role: string, text: string) => ({ role, text });
const talk = (...turns: object[]) => ({ turns }) as Pick<Trajectory, 'turns'>;

describe('a map on the page', () => {
  it('is set in words', () => {
    expect(gridText('Xd3#c1#d2<key>e5')).toBe('treasure d3 · walls c1 d2 · key e5');
    expect(gridText('<rock>b2d2<guard>e7d7')).toBe('rock b2 d2 · guard e7 d7');
    expect(gridText('b1!E@N!WS@NE')).toBe('b1 · closed E WS · guard N NE');
    expect(gridTokens('<meta>NEdig#c1!S!')).toEqual(['<meta>', 'NE', 'dig', '#c1', '!S', '!']);
    expect(turnTokens({ text: 'b2c2blocked', isFinish: false, isTruncated: false }, lookOf('grid'))).toEqual([
      'b2',
      'c2',
      'blocked',
      '⏎',
    ]);
  });

  it('is drawn with the walked path, reply by reply', () => {
    const said = [
      turn('metaThinking', 'NE'),
      turn('reasoning', 'b2c2'),
      turn('metaThinking', 'NE'),
      turn('reasoning', 'c3d3dig'),
    ];
    const map = drawnMap(problem, talk(...said));
    expect(map?.way.map(({ name }) => name)).toEqual(['b1', 'b2', 'c2', 'c3', 'd3']);
    expect(map?.start).toEqual({ name: 'b1', x: 1.5, y: 4.5 });
    expect(map && mapInWords(map)).toBe(
      'Map of 5 by 5 cells: start at b1; treasure at d3; walls at c1; rocks at b4; walked b1 b2 c2 c3 d3; dug at d3',
    );
  });

  it('is drawn with the path up to the first obstacle, and names this obstacle', () => {
    const walked = (given: object, ...texts: string[]) => {
      const said = texts.flatMap((text) => [turn('metaThinking', 'N'), turn('reasoning', text)]);
      const map = drawnMap({ ...problem, given: { ...problem.given, ...given } }, talk(...said));
      return [map?.way.map(({ name }) => name).join(' '), map?.blocked?.name ?? null, map?.isDug];
    };
    expect(walked({}, 'c1d1', 'd2dig')).toEqual(['b1', 'c1', false]);
    expect(walked({}, 'b2b3', 'b4dig')).toEqual(['b1 b2 b3', 'b4', false]);
    expect(walked({}, 'b2d3dig')).toEqual(['b1 b2', 'd3', false]);
    expect(walked({ size: 3 }, 'b2b3b4')).toEqual(['b1 b2 b3', 'b4', false]);
    const locked = { door: 'b3', key: 'a2' };
    expect(walked(locked, 'b2b3dig')).toEqual(['b1 b2', 'b3', false]);
    expect(walked(locked, 'b2a2b2b3dig')).toEqual(['b1 b2 a2 b2 b3', null, true]);
    expect(walked({}, 'b2', 'waitb2b3dig')).toEqual(['b1 b2 b2 b3', null, true]);
  });

  it('is drawn with the path up to a guard, at the cell where the world stopped the walker', () => {
    const state = { cell: 8, hasKey: false, paces: 1, end: 'lost' };
    const met = [turn('metaThinking', 'NN'), { ...turn('reasoning', 'b2b3'), reaction: { state } }];
    const map = drawnMap({ ...problem, given: { ...problem.given, beat: ['b3', 'c3', 'd3'] } }, talk(...met));
    expect(map?.way.map(({ name }) => name)).toEqual(['b1', 'b2']);
    expect(map && mapInWords(map)).toContain('guard at b3, c3, d3; walked b1 b2; could not continue to b3');
  });

  it('is drawn without a reply that was cut', () => {
    const said = [turn('metaThinking', 'NE'), { ...turn('reasoning', 'b2c2d2'), isTruncated: true }];
    expect(drawnMap(problem, talk(...said))?.way.map(({ name }) => name)).toEqual(['b1']);
  });

  it('is drawn with the newest of whole paths, and with no path before the first reply', () => {
    const ways = talk(turn('reasoning', 'b2dig'), turn('reasoning', 'a1a2dig'));
    expect(drawnMap(problem, ways)?.way.map(({ name }) => name)).toEqual(['b1', 'a1', 'a2']);
    expect(drawnMap(problem, null)?.way).toHaveLength(1);
    expect(drawnMap({ ...problem, given: null }, null)).toBeNull();
  });
});
