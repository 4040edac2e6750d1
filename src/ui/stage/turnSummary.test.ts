import { describe, expect, it } from 'vitest';
import type { TurnInspection } from '../../records/inspection.ts';
import type { Turn } from '../../records/trajectory.ts';
import { lookOf } from '../worlds/look.ts';
import { moveIndex } from './moveIndex.ts';
import { shownTokens, spokenTurn, summarise, tokenNumbers, turnNotes, turnRows } from './turnSummary.ts';

const said = { index: 2, role: 'metaThinking', text: '4*7', isFinish: false, isTruncated: false } as Turn;
const inspection: TurnInspection = {
  tokens: ['4', '*', '7', '⏎'],
  p: [0.8, 0.9, 0.7, 1],
  pBefore: [0.5, 0.9, 0.7, 1],
  tokenRatio: [1.6, 1, 1, 1],
  ratio: [1.21, 1.21, 1.21, 1.21],
  advantage: [0.87, 0.87, 0.87, 0.87],
  kl: [0.01, 0.01, 0.02, 0],
  entropy: [0, 0, 0, 0],
  won: [1, 1, 1, 1],
  value: [],
  alternatives: [[], [], [], []],
};

describe('a turn in one line', () => {
  it('contains the ratio that the loss used for the turn', () => {
    const summary = summarise(inspection);
    expect(summary.ratio).toBeCloseTo(1.21, 10);
    expect(summary).toMatchObject({ won: 'clipped', advantage: 0.87 });
    expect(summary.kl).toBeCloseTo(0.01, 10);
  });

  it('counts tokens where the sides of min() differ', () => {
    expect(summarise({ ...inspection, won: [1, 0, 2, 0] }).won).toBe('1 of 4 clipped, 1 of 4 dual-clipped');
    expect(summarise({ ...inspection, won: [0, 0, 0, 0] }).won).toBe('');
  });

  it('has no KL without a reference', () => {
    expect(summarise({ ...inspection, kl: [] }).kl).toBeNull();
  });

  it('contains tokens and sampled probabilities before the inspection', () => {
    const live = { ...said, logprobs: [0, Math.log(0.5), 0, 0] };
    expect(shownTokens(live, null, lookOf('houseRule'))).toEqual(['4', '×', '7', '⏎']);
    expect(tokenNumbers(live, null, 'probability')[1]).toBeCloseTo(0.5, 10);
    expect(tokenNumbers(live, null, 'advantage')).toEqual([]);
  });

  it('is described for screen readers with its numbers', () => {
    expect(spokenTurn(said, inspection, { name: 'probability', look: lookOf('houseRule'), speaker: 'Planner' })).toBe(
      'Turn 3, Planner: 4 times 7 end of turn; ratio 1.21, clipped; advantage +0.87; KL 0.010; ' +
        'probability by token: 4 .80, times .90, 7 .70, end of turn 1.00',
    );
  });
});

describe('places and keys', () => {
  const turns = (...agents: number[]) => agents.map((agent, index) => ({ agent, index }) as Turn);

  const rows = (of: Turn[]) => turnRows(of).map(({ said }) => said);

  it('starts an answer half a card lower, and a second turn of one lane a whole card lower', () => {
    expect(rows(turns(0, 1, 0))).toEqual([1, 2, 3]);
    expect(rows(turns(1, 1, 0))).toEqual([1, 3, 4]);
  });

  it('places simultaneous turns side by side, and the next answers of the same agents below them', () => {
    const debate = turns(0, 1, 2, 0, 1, 2).map((turn, i) => ({ ...turn, set: i < 3 ? 0 : 3 }));
    expect(rows(debate)).toEqual([1, 1, 1, 3, 3, 3]);
    const summary = turns(0, 1, 2, 0, 1, 2).map((turn, i) => ({ ...turn, set: [0, 0, 2, 3, 3, 5][i] as number }));
    expect(rows(summary)).toEqual([1, 1, 2, 3, 3, 4]);
  });

  it('places observations of the world below their turn and above the next', () => {
    const answered = { reaction: { observation: { source: 'search', text: 'Ann' }, state: null } };
    const [first, second, third] = turns(0, 1, 0) as [Turn, Turn, Turn];
    expect(turnRows([{ ...first, ...answered }, second, { ...third, ...answered }])).toEqual([
      { said: 1, observed: 3 },
      { said: 4, observed: 0 },
      { said: 5, observed: 7 },
    ]);
    const atOnce = [first, second, third].map((turn, i) => ({ ...turn, set: i < 2 ? 0 : 2, ...answered }));
    expect(turnRows(atOnce)).toEqual([
      { said: 1, observed: 3 },
      { said: 1, observed: 4 },
      { said: 5, observed: 7 },
    ]);
  });

  it('states whether an answer is right, its feedback and the agents that cannot read it', () => {
    expect(turnNotes(said)).toEqual([]);
    expect(turnNotes({ ...said, isRight: true, feedback: 3, maskedFor: [1, 2] })).toEqual(
      '✓ right | told: very likely right | unread by 2, 3'.split(' | '),
    );
    const heardAs = { tokens: [7, 2], text: '3-1', isTruncated: false, isFinish: false };
    expect(turnNotes({ ...said, heardAs })).toEqual(['the others heard instead: 3-1']);
    expect(turnNotes({ ...said, isRight: false })).toEqual(['✗ wrong']);
    expect(turnNotes({ ...said, isRight: true, belief: 0.834 })).toEqual(['✓ right', 'verifier 0.83']);
    expect(turnNotes({ ...said, influence: 0.256 })).toEqual(['influence +0.26']);
  });

  it('move to the ends of a list', () => {
    expect([
      moveIndex('Home', 3, 5),
      moveIndex('End', 3, 5),
      moveIndex('ArrowDown', 4, 5),
      moveIndex('a', 1, 5),
    ]).toEqual([0, 4, 4, null]);
  });
});
