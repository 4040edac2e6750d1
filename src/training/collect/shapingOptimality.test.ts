// Shaping must never change which behaviour is best. Small tasks are enumerated whole: every deterministic policy,
// every path, every return, with and without the hints.
import { describe, expect, it } from 'vitest';
import { Draws, streams } from '../../base/random.ts';
import { potentialShaping } from '../maths/credit.ts';

/** A task of a few states; `ending` leaves it. Policies pick an action for each state. */
interface Task {
  states: number;
  actions: number;
  /** [state][action] → reward, and where it leads with which probability. */
  steps: { reward: number; leads: { state: number; share: number }[] }[][];
  potentials: number[];
  gammaTurn: number;
}
const ending = -1;
const horizon = 4;

function drawTask(seed: number): Task {
  const draws = new Draws(seed, streams.control, 39);
  const [states, actions] = [2 + draws.below(3), 2 + draws.below(2)];
  const lead = (): number => draws.below(states + 1) - 1;
  const steps = Array.from({ length: states }, () =>
    Array.from({ length: actions }, () => {
      const share = draws.next();
      return {
        reward: draws.below(3) / 2,
        leads: [
          { state: lead(), share },
          { state: lead(), share: 1 - share },
        ],
      };
    }),
  );
  return { states, actions, steps, potentials: Array.from({ length: states }, () => 2 * draws.normal()), gammaTurn: 0.5 + draws.next() / 2 }; // prettier-ignore
}

type Payment = (rewards: number[], potentials: number[], gammaTurn: number) => ArrayLike<number>;

/** Expected discounted return of a policy from state 0, over every path of at most `horizon` turns. */
function valueOf(task: Task, policy: number[], pay: Payment): number {
  const follow = (state: number, rewards: number[], potentials: number[]): number => {
    if (state === ending || rewards.length === horizon) {
      const paid = pay(rewards, potentials, task.gammaTurn);
      return Array.from(paid).reduce((sum, r, t) => sum + task.gammaTurn ** t * r, 0);
    }
    const { reward, leads } = task.steps[state]?.[policy[state] as number] as Task['steps'][number][number];
    return leads.reduce(
      (sum, { state: next, share }) =>
        sum + share * follow(next, [...rewards, reward], [...potentials, task.potentials[state] as number]),
      0,
    );
  };
  return follow(0, [], []);
}

function policies({ states, actions }: Task): number[][] {
  return Array.from({ length: actions ** states }, (_, code) =>
    Array.from({ length: states }, (_s, state) => Math.floor(code / actions ** state) % actions),
  );
}

function best(values: number[]): number[] {
  const top = Math.max(...values);
  return values.map((_, i) => i).filter((i) => (values[i] as number) > top - 1e-9);
}

const unshaped: Payment = (rewards) => rewards;
const shaped: Payment = (rewards, potentials, gammaTurn) => potentialShaping(rewards, potentials, { gammaTurn });

describe('the best policies of a task', () => {
  it('are the same ones with shaping, whatever the potentials', () => {
    let tried = 0;
    for (let seed = 0; seed < 60; seed++) {
      const task = drawTask(seed);
      const all = policies(task);
      const [plain, hinted] = [unshaped, shaped].map((pay) => all.map((policy) => valueOf(task, policy, pay)));
      expect(best(hinted as number[]), `seed ${seed}`).toEqual(best(plain as number[]));
      all.forEach((_, i) => {
        const moved = (hinted?.[i] as number) - (plain?.[i] as number);
        expect(moved, `seed ${seed}`).toBeCloseTo(-(task.potentials[0] as number), 9);
      });
      if (best(plain as number[]).length < all.length) tried++;
    }
    expect(tried).toBeGreaterThan(50);
  });

  it('change when the potential is simply paid out, or when endings keep theirs', () => {
    const asBonus: Payment = (rewards, potentials, gammaTurn) =>
      rewards.map((r, t) => r + gammaTurn * (potentials[t + 1] ?? 0));
    const keepsEnding: Payment = (rewards, potentials, gammaTurn) =>
      potentialShaping(rewards, potentials, { gammaTurn, afterLast: potentials.at(-1) as number });
    for (const pay of [asBonus, keepsEnding]) {
      const changed = Array.from({ length: 60 }, (_, seed) => drawTask(seed)).filter((task) => {
        const of = (payment: Payment) => best(policies(task).map((policy) => valueOf(task, policy, payment)));
        return of(pay).join() !== of(unshaped).join();
      });
      expect(changed.length).toBeGreaterThan(10);
    }
  });
});
