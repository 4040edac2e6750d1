import { expect, it } from 'vitest';
import { parseConfig } from '../../config/parse.ts';
import { collectedOf, trajectoryOf } from '../testing/spoken.ts';
import { explainedOf } from './explained.ts';

// There are two dialogues, in which planner and reasoner generate two tokens each. The first dialogue is right, and the
// second is wrong.
const said = [
  { agent: 0, tokens: [11, 2] },
  { agent: 1, tokens: [12, 2] },
];
const trajectories = [trajectoryOf(said), trajectoryOf(said, { index: 1 })];
const rows = collectedOf(trajectories, parseConfig({})).batch;
const discounts = { gamma: 1, lambda: 0.95 };
const places = [0, 1, 2, 3].map((row) =>
  [...rows.actionMask.keys()].filter((at) => rows.actionMask[at] && Math.floor(at / rows.length) === row),
);
/** The rows of planner and reasoner alternate. The last token of a row gets the reward. */
const tracks = places.map((own, row) => ({ places: own.map((at) => [at]), rewards: [0, row < 2 ? 1 : 0] }));
const values = (of: (row: number) => number) =>
  Float32Array.from(rows.ids, (_, at) => of(Math.floor(at / rows.length)));

it('what a critic explains is told apart by the role that speaks', () => {
  // The planner’s values are the actual returns, and the reasoner’s values are constant.
  const seen = values((row) => (row % 2 === 0 ? (row < 2 ? 1 : 0) : 0.5));
  const explained = explainedOf(tracks, { rows, values: seen, trajectories, discounts });
  expect(explained).toEqual({ all: 0.5, byRole: { metaThinking: 1, reasoning: 0 } });
});

it('a critic is not credited with its own values: those that are not what followed explain less than nothing', () => {
  const wrong = values((row) => (row < 2 ? 0 : 1));
  expect(explainedOf(tracks, { rows, values: wrong, trajectories, discounts })?.all).toBe(-3);
});

it('nothing is explained without a critic', () => {
  expect(explainedOf([], { rows, values: new Float32Array(), trajectories, discounts })).toBeNull();
});
