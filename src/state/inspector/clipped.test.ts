import { expect, it } from 'vitest';
import type { GroupInspection, RolloutInspection, Won } from '../../records/inspection.ts';
import { nextClipped } from './clipped.ts';

const rollout = (...won: Won[][]) => ({ turns: won.map((sides) => ({ won: sides })) }) as unknown as RolloutInspection;
const group = (...rollouts: RolloutInspection[]) => ({ rollouts }) as GroupInspection;

it('clipped tokens follow each other over turns and rollouts, and after the last comes the first', () => {
  const of = group(rollout([0, 1], [0, 0, 2]), rollout([0], [1]));
  const first = { rollout: 0, turn: 0, token: 1 };
  const second = { rollout: 0, turn: 1, token: 2 };
  const third = { rollout: 1, turn: 1, token: 0 };
  expect(nextClipped(of, { rollout: 0, turn: 0, token: -1 })).toEqual(first);
  expect(nextClipped(of, first)).toEqual(second);
  expect(nextClipped(of, { ...second, token: 1 })).toEqual(second);
  expect(nextClipped(of, second)).toEqual(third);
  expect(nextClipped(of, third)).toEqual(first);
});

it('the only clipped token follows itself, and where none was clipped there is none', () => {
  const only = { rollout: 0, turn: 0, token: 0 };
  expect(nextClipped(group(rollout([2])), only)).toEqual(only);
  expect(nextClipped(group(rollout([0, 0], [])), only)).toBeNull();
});
