import { describe, expect, it } from 'vitest';
import { actionCount, buildRows, selectRows } from './rows.ts';
import { trajectoryOf, viewTokens } from '../testing/spoken.ts';

// The first dialogue consists of the plan 11 12 <eot>, a truncated reply 13, and the finish token. In the second
// dialogue, only the planner speaks.
const first = trajectoryOf([
  { agent: 0, tokens: [11, 12, 2] },
  { agent: 1, tokens: [13], isTruncated: true },
  { agent: 0, tokens: [3] },
]);
const second = trajectoryOf([{ agent: 0, tokens: [14, 3] }]);

describe('buildRows', () => {
  const batch = buildRows([first, second], [0, 1], viewTokens);
  const row = <A extends Float32Array | Int32Array>(values: A, b: number) =>
    Array.from(values.subarray(b * batch.length, (b + 1) * batch.length));

  it('makes one row for each agent that spoke, the longest view minus one wide', () => {
    expect(batch.rows).toBe(3);
    expect(Array.from(batch.trajectoryIds)).toEqual([0, 0, 1]);
    expect(Array.from(batch.agentIds)).toEqual([0, 1, 0]);
    // The planner's row consists of 4 tokens of the prompt, a header, 3 tokens of its own, a header, 1 token that it
    // hears with a terminator, a header, and 1 token of its own.
    expect(batch.length).toBe(13 - 1);
  });

  it('puts every fact where its token is predicted', () => {
    expect(row(batch.ids, 0)).toEqual([1, 8, 10, 2, 4, 11, 12, 2, 5, 13, 2, 4]);
    expect(row(batch.targets, 0)).toEqual([8, 10, 2, 4, 11, 12, 2, 5, 13, 2, 4, 3]);
    expect(row(batch.actionMask, 0)).toEqual([0, 0, 0, 0, 1, 1, 1, 0, 0, 0, 0, 1]);
    expect(row(batch.turnIds, 0)).toEqual([-1, -1, -1, -1, 0, 0, 0, -1, -1, -1, -1, 2]);
    const logprobs = [0, 0, 0, 0, -0.01, -0.02, -0.03, 0, 0, 0, 0, -0.21];
    expect(row(batch.oldLogprobs, 0)).toEqual(logprobs.map(Math.fround));
  });

  it('shows the reasoner the plan but not the rule, and ends its row at its last own token', () => {
    expect(row(batch.ids, 1)).toEqual([1, 10, 2, 4, 11, 12, 2, 5, 0, 0, 0, 0]);
    expect(row(batch.targets, 1)).toEqual([10, 2, 4, 11, 12, 2, 5, 13, 0, 0, 0, 0]);
    expect(row(batch.actionMask, 1)).toEqual([0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0]);
    expect(row(batch.turnIds, 1)).toEqual([-1, -1, -1, -1, -1, -1, -1, 1, -1, -1, -1, -1]);
  });

  it('counts each sampled token once', () => {
    expect(actionCount(batch)).toBe(3 + 1 + 1 + 2);
  });

  it('of agents that said nothing is empty', () => {
    expect(buildRows([second], [1], viewTokens)).toMatchObject({ rows: 0, length: 1 });
  });
});

describe('selectRows', () => {
  const batch = buildRows([first, second], [0, 1], viewTokens);
  const column = Float32Array.from(batch.ids.keys());

  it('keeps the chosen rows in the order asked for, cut after the last action among them', () => {
    const { batch: cut, columns } = selectRows(batch, [2, 1], { column });
    expect(cut.length).toBe(8); // the reasoner's only token is predicted in column 7
    expect(Array.from(cut.ids)).toEqual([1, 8, 10, 2, 4, 14, 0, 0, 1, 10, 2, 4, 11, 12, 2, 5]);
    expect(Array.from(cut.targets.subarray(0, 8))).toEqual([8, 10, 2, 4, 14, 3, 0, 0]);
    expect(Array.from(cut.trajectoryIds)).toEqual([1, 0]);
    expect(Array.from(cut.agentIds)).toEqual([0, 1]);
    expect(Array.from(columns.column)).toEqual([24, 25, 26, 27, 28, 29, 30, 31, 12, 13, 14, 15, 16, 17, 18, 19]);
    expect(actionCount(cut)).toBe(3);
  });

  it('copies: what is changed in a selection stays there', () => {
    const { batch: cut } = selectRows(batch, [0], {});
    cut.ids[0] = 31;
    expect(batch.ids[0]).toBe(1);
  });
});
