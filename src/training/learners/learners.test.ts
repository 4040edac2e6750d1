import { describe, expect, it } from 'vitest';
import { parseConfig } from '../../config/parse.ts';
import type { ConfigInput } from '../../config/schema.ts';
import { formOf } from '../../config/worlds/registry.ts';
import { stepRewards } from '../collect/ownRewards.ts';
import { collectedOf, trajectoryOf, type SpokenTurn } from '../testing/spoken.ts';
import type { Advantages, Collected } from './learner.ts';
import { returnsToGo } from '../maths/advantage.ts';
import { learners } from './registry.ts';
import { agentSequences } from './tokenRewards.ts';
import { groupUnits } from './units.ts';

/**
 * A dialogue with a plan of two tokens, a reply of three tokens and a last turn that is only the finish token. The
 * rewards of the turns are 1, 2 and `end`.
 */
const dialogue = (end: number): SpokenTurn[] => [
  { agent: 0, tokens: [11, 2], earned: { legalOperation: 1 } },
  { agent: 1, tokens: [12, 13, 2], earned: { rewrite: 1 } },
  { agent: 0, tokens: [3], earned: { rightAnswer: end } },
];

interface Given {
  settings?: ConfigInput;
  said?: { turns: SpokenTurn[]; group: number }[];
  charge?: number;
  values?: (at: number) => number;
}

/** Four rollouts in two groups, written by hand. `charge` is the KL penalty of every action token. */
function collected({ settings = {}, said, charge = 0, values = () => 0 }: Given = {}): Collected {
  const config = parseConfig({ ...settings, houseRule: { legalOperation: 1, rewrite: 2, ...settings.houseRule } });
  const given = said ?? [0, 0.5, 1, 1].map((end, i) => ({ turns: dialogue(end), group: i >> 1 }));
  const trajectories = given.map(({ turns, group }, index) => trajectoryOf(turns, { index, group }));
  const found = collectedOf(trajectories, config);
  const { actionMask } = found.batch;
  return {
    ...found,
    tokenCharge: actionMask.map((is) => is * charge),
    values: actionMask.map((is, at) => is * values(at)),
  };
}

const advantagesOf = (of: Collected) => learners[of.config.learning.learner].advantages(of);
/** The numbers of the action tokens of one row. */
const ofRow = ({ batch }: Collected, numbers: ArrayLike<number>, row: number) =>
  Array.from({ length: batch.length }, (_, t) => row * batch.length + t)
    .filter((at) => batch.actionMask[at])
    .map((at) => numbers[at] as number);
const close = (got: ArrayLike<number>, expected: readonly number[]) => {
  expect(Array.from(got)).toEqual(expected.map((x) => expect.closeTo(x, 5)));
};

describe('units of a group estimator', () => {
  const units = (groupKey: 'problem' | 'problem+agent' | 'problem+agent+turn', reward: ConfigInput['reward'] = {}) =>
    groupUnits(
      collected({ settings: { learning: { groupKey }, reward: { over: 'dense', across: 'own', ...reward } } }),
    );

  it('are trajectories with the key problem, paid the mean over agents', () => {
    const { rewards, keys } = units('problem', { across: 'mean' });
    expect(Array.from(rewards)).toEqual([1.5, 1.75, 2, 2]);
    expect(keys).toEqual(['["0"]', '["0"]', '["1"]', '["1"]'].map((key) => key.replaceAll('"', '')));
  });

  it('are the parts of each agent with the key problem+agent', () => {
    const { rewards, keys } = units('problem+agent');
    expect(Array.from(rewards)).toEqual([1, 2, 1.5, 2, 2, 2, 2, 2]);
    expect(keys.slice(0, 4)).toEqual(['[0,0]', '[0,1]', '[0,0]', '[0,1]']);
  });

  it('are single turns with the key problem+agent+turn', () => {
    const { rewards, keys } = units('problem+agent+turn');
    expect(Array.from(rewards)).toEqual([1, 0, 2, 1, 0.5, 2, 1, 1, 2, 1, 1, 2]);
    // The key contains all earlier messages, so that turns after different messages are not compared.
    expect(keys.slice(0, 3)).toEqual(['["0: ",0,0]', '["0: 11 2 / 12 13 2",0,2]', '["0: 11 2",1,1]']);
  });

  it('never mix turns whose prompts differ', () => {
    const other: SpokenTurn[] = [{ agent: 0, tokens: [14, 2] }, ...dialogue(1).slice(1)];
    const said = [
      { turns: dialogue(1), group: 0 },
      { turns: other, group: 0 },
    ];
    const settings = { learning: { groupKey: 'problem+agent+turn' }, reward: { over: 'dense' } } as const;
    const { keys } = groupUnits(collected({ said, settings }));
    expect(keys[0]).toBe(keys[3]); // both first plans follow the same prompt
    expect(new Set(keys).size).toBe(5);
  });

  it("lose no reward: one paid at another's turn belongs to the agent's newest turn up to then", () => {
    // With `dense` and `sum`, the reasoner gets a reward for the planner's first turn, although the reasoner has not
    // spoken yet.
    const dense = units('problem+agent+turn', { over: 'dense', across: 'sum' });
    expect(Array.from(dense.rewards.slice(0, 3))).toEqual([3, 0, 3]);
  });

  it('with accumulated rewards are paid what follows, once', () => {
    const accumulated = { over: 'accumulated', across: 'sum', gammaTurn: 0.5 } as const;
    // The accumulated rewards are R₀ = 1 + 0.5·2 + 0.25·end, R₁ = 2 + 0.5·end and R₂ = end.
    expect(Array.from(units('problem', accumulated).rewards)).toEqual([2, 2.125, 2.25, 2.25]);
    expect(Array.from(units('problem+agent', accumulated).rewards.slice(2, 4))).toEqual([2.125, 2.125]);
    expect(Array.from(units('problem+agent+turn', accumulated).rewards.slice(3, 6))).toEqual([2.125, 0.5, 2.25]);
  });

  it('carry the KL charge of all their tokens', () => {
    const settings = (groupKey: 'problem' | 'problem+agent+turn') =>
      ({ learning: { groupKey }, reward: { over: 'dense', across: groupKey === 'problem' ? 'mean' : 'own' } }) as const;
    const whole = groupUnits(collected({ settings: settings('problem'), charge: 0.1 }));
    close(whole.rewards, [1.5 - 0.6, 1.75 - 0.6, 2 - 0.6, 2 - 0.6]);
    const turns = groupUnits(collected({ settings: settings('problem+agent+turn'), charge: 0.1 }));
    close(turns.rewards.slice(0, 3), [1 - 0.2, 0 - 0.1, 2 - 0.3]);
  });
});

describe('grpo', () => {
  it('gives every token of a trajectory the same advantage; a group of two stands at ± 1/√2 and sums to 0', () => {
    const of = collected();
    const { advantages, groups } = advantagesOf(of);
    const half = Math.SQRT1_2;
    close(ofRow(of, advantages, 0), [-half, -half, -half]);
    close(ofRow(of, advantages, 1), [-half, -half, -half]);
    close(ofRow(of, advantages, 2), [half, half, half]);
    close(ofRow(of, advantages, 4), [0, 0, 0]); // all rewards are equal, so the group is dead
    expect(groups).toEqual({ deadShare: 0.5, loneMembers: 0 });
    expect(advantages.every((x, at) => of.batch.actionMask[at] === 1 || x === 0)).toBe(true);
  });

  it('sums to 0 over the units of every group, whatever the key, and never mixes problems', () => {
    for (const groupKey of ['problem', 'problem+agent', 'problem+agent+turn'] as const) {
      for (const learner of ['grpo', 'rloo'] as const) {
        const of = collected({
          settings: {
            learning: { groupKey, learner },
            reward: { over: 'dense', across: groupKey === 'problem' ? 'mean' : 'own' },
          },
        });
        const { keys, unitOf } = groupUnits(of);
        const { advantages } = advantagesOf(of);
        for (const key of new Set(keys)) {
          const members = [...keys.keys()].filter((unit) => keys[unit] === key);
          const sum = members.reduce((total, unit) => total + (advantages[unitOf.indexOf(unit)] as number), 0);
          expect(Math.abs(sum), `${learner} ${key}`).toBeLessThan(1e-6);
          const problems = members.map((unit) => {
            const row = Math.floor(unitOf.indexOf(unit) / of.batch.length);
            return of.trajectories[of.batch.trajectoryIds[row] as number]?.group;
          });
          expect(new Set(problems).size).toBe(1);
        }
      }
    }
  });

  it('without std keeps the distance to the mean', () => {
    const of = collected({ settings: { learning: { groupStd: false } } });
    close(ofRow(of, advantagesOf(of).advantages, 0), [-0.25, -0.25, -0.25]);
  });

  it('gives a lone turn of problem+agent+turn nothing and counts it', () => {
    const longer: SpokenTurn[] = [
      ...dialogue(1).slice(0, 2),
      { agent: 0, tokens: [14, 2] },
      { agent: 1, tokens: [15, 2] },
    ];
    const said = [
      { turns: dialogue(0), group: 0 },
      { turns: [...longer, { agent: 0, tokens: [3], earned: { rightAnswer: 1 } }], group: 0 },
    ];
    const of = collected({
      said,
      settings: { learning: { groupKey: 'problem+agent+turn' }, reward: { over: 'dense' } },
    });
    const { advantages, groups } = advantagesOf(of);
    expect(groups?.loneMembers).toBe(2); // turns 3 and 4, which only the longer dialogue has
    const alone = [...of.batch.turnIds.keys()].filter((at) => (of.batch.turnIds[at] as number) >= 3);
    expect(alone.map((at) => advantages[at])).toEqual([0, 0, 0]);
  });

  it('gives an agent that spoke in one dialogue of its group alone nothing, whatever it earned', () => {
    const mute: SpokenTurn[] = dialogue(0).slice(0, 1);
    const said = [dialogue(1), mute, mute].map((turns) => ({ turns, group: 0 }));
    for (const learner of ['grpo', 'rloo', 'cory'] as const) {
      const learning = { learner, groupKey: 'problem+agent', groupStd: false } as const;
      const of = collected({ said, settings: { learning, reward: { across: 'own' } } });
      const { advantages, groups } = advantagesOf(of);
      close(ofRow(of, advantages, 1), [0, 0, 0]);
      expect(groups?.loneMembers, learner).toBe(1);
    }
  });

  it('of a lone trajectory keeps its reward when nothing divides', () => {
    const said = [{ turns: dialogue(1), group: 0 }];
    const of = collected({ said, settings: { learning: { groupStd: false, groupSize: 1 } } });
    close(ofRow(of, advantagesOf(of).advantages, 0), [4, 4, 4]);
  });
});

it('rloo compares with the mean of the others', () => {
  const of = collected({ settings: { learning: { learner: 'rloo' } } });
  const { advantages } = advantagesOf(of);
  close(ofRow(of, advantages, 0), [-0.5, -0.5, -0.5]);
  close(ofRow(of, advantages, 2), [0.5, 0.5, 0.5]);
});

describe('agentSequences', () => {
  it("puts a reward on the last token of the agent's newest turn up to then, its first if it had none", () => {
    const of = collected({ settings: { reward: { over: 'dense', across: 'sum' } } });
    const [planner, reasoner] = agentSequences(of);
    close(planner?.rewards ?? [], [0, 1 + 2, 0]); // the plan and the reply earned 1 and 2
    close(reasoner?.rewards ?? [], [0, 0, 1 + 2 + 0]);
    expect(planner?.at.map((at) => of.batch.turnIds[at])).toEqual([0, 0, 2]);
    expect(agentSequences(of)).toHaveLength(8);
  });

  it('takes the KL charge off every token', () => {
    const settings = { learning: { groupKey: 'problem+agent' }, reward: { over: 'dense', across: 'own' } } as const;
    const of = collected({ charge: 0.1, settings });
    close(agentSequences(of)[0]?.rewards ?? [], [-0.1, 0.9, -0.1]);
  });

  it('undoes accumulation, as its users add up themselves', () => {
    const learning = { learner: 'ppo', gaeLevel: 'turn' } as const;
    const of = (over: 'dense' | 'accumulated') =>
      agentSequences(collected({ settings: { learning, reward: { over, across: 'sum', gammaTurn: 0.9 } } }));
    of('accumulated').forEach(({ rewards }, i) => close(rewards, Array.from(of('dense')[i]?.rewards ?? [])));
  });
});

it('reinforcePlusPlus discounts accumulated rewards by the turn, as ReMA does', () => {
  // There are five turns of two tokens. Only the last turn earns a reward, which is 1. The planner speaks in rounds 0,
  // 1 and 2, the reasoner in rounds 0 and 1.
  const turns = [0, 1, 0, 1, 0].map((agent, i): SpokenTurn => ({
    agent,
    tokens: [11 + i, 2],
    ...(i === 4 && { earned: { rightAnswer: 1 } }),
  }));
  const of = (gammaTurn: number, gamma = 1) => {
    const learning = { learner: 'reinforcePlusPlus', gamma } as const;
    const reward = { over: 'accumulated', across: 'sum', gammaTurn, rightAnswer: 1 } as const;
    return collected({ said: [{ turns, group: 0 }], settings: { learning, reward } });
  };
  const returns = (found: Collected) =>
    agentSequences(found).map(({ rewards, discounts }) => [...returnsToGo(rewards, discounts)]);
  expect(returns(of(0.5))).toEqual([
    [0.25, 0.25, 0.5, 0.5, 1, 1],
    [0.25, 0.25, 0.5, 0.5],
  ]);
  expect(returns(of(1))).toEqual([
    [1, 1, 1, 1, 1, 1],
    [1, 1, 1, 1],
  ]);
  // Returns are also discounted by `gamma` from each token to the previous one.
  expect(returns(of(0.5, 0.5))[0]).toEqual([2 ** -7, 2 ** -6, 2 ** -4, 2 ** -3, 2 ** -1, 1]);
  // The advantages are these returns after whitening.
  const { advantages } = advantagesOf(of(0.5));
  const own = [...ofRow(of(0.5), advantages, 0), ...ofRow(of(0.5), advantages, 1)];
  const values = returns(of(0.5)).flat();
  const mean = values.reduce((a, b) => a + b, 0) / values.length;
  const spread = Math.sqrt(values.reduce((sum, x) => sum + (x - mean) ** 2, 0) / (values.length - 1));
  close(
    own,
    values.map((x) => (x - mean) / spread),
  );
  expect(() =>
    parseConfig({ learning: { learner: 'ppo', groupSize: 1 }, reward: { over: 'accumulated', gammaTurn: 0.5 } }),
  ).toThrow(/reward\.gammaTurn/);
});

it('reinforcePlusPlus is whitened over all action tokens', () => {
  const of = collected({ settings: { learning: { learner: 'reinforcePlusPlus' } } });
  const { advantages, returns } = advantagesOf(of);
  const own = [...advantages].filter((_, at) => of.batch.actionMask[at]);
  expect(own).toHaveLength(24);
  expect(own.reduce((a, b) => a + b, 0)).toBeCloseTo(0, 4);
  expect(own.reduce((sum, x) => sum + x * x, 0) / 23).toBeCloseTo(1, 4);
  expect(returns).toBeUndefined();
  expect(ofRow(of, advantages, 2)[0]).toBeGreaterThan(ofRow(of, advantages, 0)[0] as number);
});

it('reinforcePlusPlus is whitened over the tokens of each agent where each is paid for itself', () => {
  const alike = [0, 1, 2, 3].map((group) => ({ turns: dialogue(0.5), group }));
  const settings = {
    learning: { learner: 'reinforcePlusPlus', gamma: 1 },
    reward: { over: 'dense', across: 'own' },
  } as const;
  const of = collected({ said: alike, settings });
  // The returns are 1.5 at the planner's first two tokens, 0.5 at its last token, and 2 at the reasoner's three tokens.
  const planner = [1.5, 1.5, 0.5].map((x) => (x - 3.5 / 3) / Math.sqrt((12 * (2 / 9)) / 11));
  close(ofRow(of, advantagesOf(of).advantages, 0), planner);
  close(ofRow(of, advantagesOf(of).advantages, 1), [0, 0, 0]);
});

describe('outcomes and steps', () => {
  // Two rollouts of a problem. In the first rollout, both plans, the reply and the answer are right. In the second
  // rollout, the first plan, the reply and the answer are wrong, and the last plan is right.
  const first: SpokenTurn[] = [
    { agent: 0, tokens: [11, 2], earned: { legalOperation: 1 } },
    { agent: 1, tokens: [12, 13, 2], earned: { rewrite: 1 } },
    { agent: 0, tokens: [3], earned: { legalOperation: 1, rightAnswer: 1 } },
  ];
  const second: SpokenTurn[] = [
    { agent: 0, tokens: [11, 2] },
    { agent: 1, tokens: [14, 2] },
    { agent: 0, tokens: [3], earned: { legalOperation: 1 } },
  ];
  const said = [first, second].map((turns) => ({ turns, group: 0 }));
  const mixed = (learning: ConfigInput['learning'], reward: ConfigInput['reward'] = {}, charge = 0) => {
    const of = collected({
      said,
      charge,
      settings: { learning: { outcomeShare: 0.8, groupStd: false, ...learning }, reward },
    });
    const form = formOf('houseRule');
    return { ...of, steps: of.trajectories.map((trajectory) => stepRewards(trajectory, of.config, form)) };
  };

  it('are paid apart: a dialogue its outcome, a turn both', () => {
    const { rewards, steps, trajectories } = mixed({});
    expect(trajectories.map(({ reward }) => reward)).toEqual([1, 0]);
    expect(rewards.map((turns) => turns.map(([planner]) => planner))).toEqual([
      [0, 0, 1],
      [0, 0, 0],
    ]);
    expect(steps).toEqual([
      [1, 2, 1],
      [0, 0, 1],
    ]);
    expect(trajectories[0]?.turns.map(({ reward }) => reward)).toEqual([1, 2, 2]);
  });

  it('give each turn its share of either, by hand', () => {
    const of = mixed({});
    const { advantages, groups } = advantagesOf(of);
    // The advantages of the outcomes are ±0.5. The step advantages are ±0.5 for the planner’s first turn, ±1 for the
    // reasoner’s turn and 0 for the planner’s last turn.
    close(ofRow(of, advantages, 0), [0.5, 0.5, 0.4]);
    close(ofRow(of, advantages, 1), [0.6, 0.6, 0.6]);
    close(ofRow(of, advantages, 2), [-0.5, -0.5, -0.4]);
    close(ofRow(of, advantages, 3), [-0.6, -0.6]);
    // α is 0.8. In one of the three groups of steps (the planner’s last turns), the agents had read different messages
    // before the step.
    const [deadShare, loneMembers, mixedShare] = [0, 0, expect.closeTo(0.2 / 3) as number];
    expect(groups).toEqual({ deadShare, loneMembers, mixedShare });
  });

  it('leave the outcome to the learner’s own comparison, agent by agent where the key is so, the KL charge taken off', () => {
    const whole = mixed({ learner: 'rloo', groupKey: 'problem+agent' }, { across: 'own', over: 'dense' }, 0.1);
    // Only the planner gets the reward of the answer, so 1 − 0.3 is compared with 0 − 0.3 for the planner. For the
    // reasoner, −0.3 is compared with −0.2.
    close(ofRow(whole, advantagesOf(whole).advantages, 0), [0.8 + 0.2, 0.8 + 0.2, 0.8]);
    close(ofRow(whole, advantagesOf(whole).advantages, 1), Array(3).fill(0.8 * -0.1 + 0.2 * 2));
    const divided = mixed({ groupStd: true, outcomeShare: 0.5 });
    close(ofRow(divided, advantagesOf(divided).advantages, 0), [Math.SQRT1_2, Math.SQRT1_2, Math.SQRT1_2 / 2]);
  });

  it('teach nothing only where neither differs', () => {
    const dead = (turns: SpokenTurn[][]) => {
      const of = collected({
        said: turns.map((one) => ({ turns: one, group: 0 })),
        settings: { learning: { outcomeShare: 0.8 } },
      });
      const form = formOf('houseRule');
      return advantagesOf({ ...of, steps: of.trajectories.map((one) => stepRewards(one, of.config, form)) }).groups
        ?.deadShare;
    };
    expect(dead([second, second])).toBe(1);
    expect(dead([second, first.with(2, { agent: 0, tokens: [3], earned: { legalOperation: 1 } })])).toBe(0);
  });
});

describe('ppo', () => {
  const settings = { learning: { learner: 'ppo', gamma: 0.99, gaeLambda: 0.95 } } as const;

  it('returns are advantages plus values', () => {
    const of = collected({ settings, values: (at) => Math.sin(at) });
    const { advantages, returns } = advantagesOf(of) as Required<Advantages>;
    returns.forEach((target, at) =>
      expect(target).toBeCloseTo((advantages[at] as number) + (of.values[at] as number), 5),
    );
  });

  it('over turns gives all tokens of a turn one advantage and one return, from the value before its first', () => {
    const said = [{ turns: dialogue(1), group: 0 }];
    const turns = { learner: 'ppo', gaeLevel: 'turn', lambdaTurn: 0.5 } as const;
    const reward = { over: 'dense', across: 'own', gammaTurn: 0.9 } as const;
    const of = collected({ said, settings: { learning: turns, reward } });
    agentSequences(of)[0]?.at.forEach((at, i) => (of.values[at] = [0.2, 9, 0.5][i] as number));
    const { advantages, returns } = advantagesOf(of) as Required<Advantages>;
    // Both turns of the planner have the reward 1, and their values are 0.2 and 0.5. Hence δ₁ = 1 − 0.5, δ₀ = 1 +
    // 0.9·0.5 − 0.2 and A₀ = δ₀ + 0.45·δ₁.
    close(ofRow(of, advantages, 0), [1.475, 1.475, 0.5]);
    close(ofRow(of, returns, 0), [1.675, 1.675, 1]);
  });

  it('asks its critic before each token, or before each turn, and has targets for a head alone', () => {
    const said = [{ turns: dialogue(1), group: 0 }];
    const asked = (learning: object) => {
      const reward = { over: 'dense', across: 'own' } as const;
      const of = collected({ said, settings: { learning: { learner: 'ppo', ...learning }, reward } });
      of.values.fill(0.5);
      const { tracks = [], returns } = advantagesOf(of);
      return {
        planner: tracks[0],
        agents: tracks.length,
        isForHead: returns !== undefined,
        at: agentSequences(of)[0]?.at,
      };
    };
    const byToken = asked({ critic: 'network' });
    const [first, , third] = byToken.at ?? [];
    expect(byToken).toMatchObject({ agents: 2, isForHead: false });
    expect(byToken.planner).toEqual({ places: byToken.at?.map((at) => [at]), rewards: [-0, 1, 1] });
    expect(asked({ critic: 'network', gaeLevel: 'turn' }).planner).toEqual({
      places: [[first], [third]],
      rewards: [1, 1],
    });
    expect(asked({ critic: 'head' })).toEqual({ ...byToken, isForHead: true });
  });

  it('runs GAE along the own tokens of one agent, over the turns of the other', () => {
    const value = [0.2, 0.4, 0.5];
    const said = [{ turns: dialogue(1), group: 0 }];
    const houseRule = { legalOperation: 0, rewrite: 0 };
    const of = collected({ said, settings: { ...settings, reward: { across: 'own' }, houseRule } });
    agentSequences(of)[0]?.at.forEach((at, i) => (of.values[at] = value[i] as number));
    close(ofRow(of, advantagesOf(of).advantages, 0), [0.727618, 0.56525, 0.5]); // the worked example
  });
});
