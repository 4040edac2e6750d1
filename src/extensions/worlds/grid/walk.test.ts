import { describe, expect, it } from 'vitest';
import { reasonInEnglish } from '../../../base/spoken.ts';
import { cellName, cellOf, groundOf, type Ground } from './ground.ts';
import { nextPlan, distanceTo, planText, readPlan, replyTo, solvedTogether, wholeWay } from './solver.ts';
import { guardCell, readWalk, sight, standing, stepTo, walk } from './walk.ts';

const ground = (given: object = {}, answer = 'd3'): Ground =>
  groundOf({
    given: { size: 5, start: 'b1', walls: ['c1'], rocks: [], key: null, door: null, beat: [], ...given },
    answer,
  });
const roundsOf = (on: Ground) => {
  const { rounds, standing: last, isHindered } = solvedTogether(on, { aim: on.treasure, most: 6 });
  return { said: rounds.map(({ plan, reply }) => `${plan} ${reply}`), end: last.end, isHindered };
};

describe('a walk', () => {
  it('goes to the named cells, and digs', () => {
    const { standing: last } = walk(ground(), standing(ground()), 'b2c2dig');
    expect(last).toEqual({ cell: cellOf('c2'), hasKey: false, paces: 2, end: 'dug' });
  });

  it.each([
    ['c1', 'walked into a wall at c1'],
    ['b2b3', 'walked into a rock at b3'],
    ['b2b1a1a1', ''],
    ['d1', 'd1 is not next to b1'],
    ['a1a2a3a4a5a6', 'walked into the edge of the map at a6'],
  ])('of %s ends with “%s”', (text, reason) => {
    const on = ground({ rocks: ['b3'] });
    const outcome = walk(on, standing(on), text);
    expect([reasonInEnglish(outcome.reason), outcome.standing.end]).toEqual([reason, reason === '' ? null : 'lost']);
  });

  it('is null if the words are not those of a walker, and then nobody moves', () => {
    expect(['', 'NE', 'digb2', 'b2■', '<eot>'].map(readWalk)).toEqual([null, null, null, null, null]);
    expect(walk(ground(), standing(ground()), 'NE').standing).toMatchObject({ cell: cellOf('b1'), end: null });
  });

  it('opens a door with the key that it picked up', () => {
    const on = ground({ walls: ['a3', 'c3', 'd3', 'e3'], key: 'a1', door: 'b3' }, 'b4');
    expect(reasonInEnglish(walk(on, standing(on), 'b2b3').reason)).toBe('walked into the closed door at b3');
    expect(walk(on, standing(on), 'a1a2b2b3b4dig').standing).toMatchObject({ cell: cellOf('b4'), end: 'dug' });
  });

  it('shows which directions are blocked by the edge, walls, rocks and a door, and where the guard is', () => {
    expect(sight(ground(), standing(ground()))).toBe('b1!E!S!WS');
    const on = ground({ rocks: ['a1'], door: 'a2', key: 'e5', beat: ['b2', 'b3', 'b4'] });
    expect(sight(on, standing(on))).toBe('b1@N!NW!E!S!W');
    expect(sight(on, { ...standing(on), hasKey: true, paces: 1 })).toBe('b1!E!S!W');
  });
});

it('a guard walks back and forth over three cells, and turns around in front of a walker', () => {
  const on = ground({ beat: ['a3', 'b3', 'c3'] });
  let now = standing(on);
  const seen = [0, 1, 2, 3, 4].map(() => {
    const cell = cellName(guardCell(on, now.paces));
    now = stepTo(on, now, now.cell);
    return cell;
  });
  expect(seen).toEqual(['a3', 'b3', 'c3', 'b3', 'a3']);
  const before = { ...standing(on), cell: cellOf('b3') };
  expect(guardCell(on, stepTo(on, before, before.cell).paces)).toBe(cellOf('a3'));
  const next = { ...before, paces: 1, cell: cellOf('c3') };
  const turned = stepTo(on, next, next.cell);
  expect(guardCell(on, turned.paces)).toBe(cellOf('b3'));
  expect(guardCell(on, stepTo(on, turned, cellOf('c4')).paces)).toBe(cellOf('a3'));
});

describe('the solver', () => {
  it('plans two steps around a corner or one straight ahead, and digs at the treasure', () => {
    expect(roundsOf(ground())).toEqual({ said: ['NE b2c2', 'NEdig c3d3dig'], end: 'dug', isHindered: false });
    const ahead = ground({}, 'b4');
    expect(roundsOf(ahead).said).toEqual(['N b2', 'N b3', 'Ndig b4dig']);
  });

  it('stops before an obstacle that it sees, and plans another path', () => {
    const said = ['NE b2c2', 'NEdig blocked', 'ENdig d2d3dig'];
    expect(roundsOf(ground({ rocks: ['c3'] }))).toEqual({ said, end: 'dug', isHindered: true });
  });

  it('fetches the key before it goes to the door', () => {
    const on = ground({ walls: ['a3', 'c3', 'd3', 'e3'], key: 'a1', door: 'b3' }, 'b4');
    expect(roundsOf(on).said).toEqual(['WN a1a2', 'EN b2b3', 'Ndig b4dig']);
  });

  it('waits for a guard, both alone and in a team', () => {
    const on = ground({ walls: ['a2', 'c2'], beat: ['b2', 'b3', 'b4'] }, 'c3');
    expect(replyTo(on, standing(on), { steps: ['N', 'N'], digs: false })).toBe('guard');
    const way = wholeWay(on, on.treasure) as string;
    expect(walk(on, standing(on), way).standing).toMatchObject({ cell: cellOf('c3'), end: 'dug' });
    expect(roundsOf(on)).toMatchObject({ end: 'dug', isHindered: true });
  });

  it('has no plan if the map has no path', () => {
    const on = ground({ walls: ['a1', 'b2', 'c1'] });
    expect(nextPlan(on, distanceTo(on, on.treasure), standing(on))).toBeNull();
    expect(wholeWay(on, on.treasure)).toBeNull();
  });

  it('reads plans as they were written', () => {
    for (const text of ['N', 'NEdig', 'dig', 'NESW']) expect(planText(readPlan(text) as never)).toBe(text);
    expect(['', 'NESWN', 'b2', 'digN'].map(readPlan)).toEqual([null, null, null, null]);
  });
});
