// Tests the mixing critic in an iteration: its values, and the credit of each message.
import * as tf from '@tensorflow/tfjs-core';
import { expect, it } from 'vitest';
import { Draws, streams } from '../../base/random.ts';
import type { ConfigInput } from '../../config/schema.ts';
import { initialWeights } from '../../model/network/parameters.ts';
import { fakePolicy } from '../../rollout/testing/fakePolicy.ts';
import { collectRollouts, type Paid } from '../collect/collect.ts';
import { turnKey } from '../learners/units.ts';
import { mixingKind } from './mixingCritic.ts';
import { freshMixing, learnMixing, restoreMixing, type Mixing } from './mixingLearning.ts';
import { lookMixed } from './mixingStep.ts';
import { transcriptOf } from './mixingRows.ts';
import type { Gate } from '../team/gate.ts';
import { disposeNetwork } from '../team/network.ts';
import { assembleTeam, type Team } from '../team/team.ts';
import { onCpu } from '../testing/onCpu.ts';
import { microConfig, openGate } from '../testing/microRun.ts';

onCpu();

const gate = openGate();

interface Given {
  team: Team;
  gate: Gate;
  mixing: Mixing;
  paid: Paid;
}

/**
 * Passes dialogues and a critic with random parameters to `use`. In these dialogues, some messages have the same
 * context.
 */
async function given<T>(learning: ConfigInput['learning'], use: (given: Given) => Promise<T>): Promise<T> {
  const team = assembleTeam(
    microConfig({ learning: { mixerHidden: 5, teamRewardIterations: 0, ...learning }, reward: { over: 'dense' } }),
  );
  const mixing = restoreMixing(freshMixing(team, initialWeights(team.shape, 3)), team);
  const draws = new Draws(5, streams.control, 1);
  for (const variable of mixing.critic.further?.values() ?? [])
    tf.tidy(() =>
      variable.assign(
        tf.tensor(
          Float32Array.from({ length: variable.size }, () => 0.4 * draws.normal()),
          variable.shape,
        ),
      ),
    );
  const policies = team.networkOf.map(() =>
    fakePolicy((row, turn) => [10 + ((row * 3 + turn) % 2), 20 + (row % 2), row % 3 === turn ? 3 : 2]),
  );
  const paid = await collectRollouts(team, { policies, iteration: 0 });
  try {
    return await use({ team, gate, mixing, paid });
  } finally {
    [mixing.critic, mixing.target].forEach(disposeNetwork);
  }
}

it.each(['vdn', 'qmix'] as const)(
  '%s asks its critic before it learns from the dialogues that it baselines',
  async (learner) => {
    const worth = (learning: ConfigInput['learning']) =>
      given({ learner, ...learning }, async (all) => (await learnMixing(all, all.paid, 0))?.worth);
    const few = await worth({ mixingSteps: 1 });
    expect(few?.some(({ total }) => total.some((x) => x !== 0))).toBe(true);
    expect(await worth({ mixingSteps: 4, mixingRate: 1e-2 })).toEqual(few);
  },
);

it.each(['vdn', 'qmix'] as const)(
  '%s credits a message with Q_tot less Q_tot with the mean Q after the same words',
  async (learner) => {
    await given({ learner, mixingResidual: 0.5 }, async (all) => {
      const { team, mixing, paid } = all;
      const { trajectories, rewards } = paid;
      const kind = mixingKind(team.config, team.protocol.roles.length);
      const transcripts = trajectories.map((trajectory, i) =>
        transcriptOf(trajectory, rewards[i] ?? [], { witness: 0, tokens: team.tokens }),
      );
      const look = await lookMixed(mixing, 'critic', transcripts, { kind, gate });
      const messages = transcripts.flatMap(({ rounds }, i) =>
        rounds.flatMap(({ messages: said, reward }, r) =>
          said.map(({ agent, turn }) => {
            const key = turnKey(trajectories[i]!, { agent, turn });
            // The team's return from this round on.
            const toCome = rounds.slice(r).reduceRight((sum, round) => round.reward + 0.95 * sum, 0);
            return { i, r, agent, turn, key, q: look.q[i]![r]![agent]!, toCome, reward };
          }),
        ),
      );
      const { worth = [] } = (await learnMixing(all, paid, 0)) ?? {};
      let compared = 0;
      for (const { i, r, agent, turn, key, q, toCome } of messages) {
        const group = messages.filter((other) => other.key === key).map((other) => other.q);
        const own = worth[i]!;
        const total = look.totals[i]![r]!;
        const gap = q - group.reduce((sum, x) => sum + x, 0) / group.length;
        expect(own.total[turn]).toBeCloseTo(total, 4);
        expect(own.missed[turn]).toBeCloseTo(0.5 * (toCome - total), 4);
        const added = own.total[turn]! - own.without[turn]!;
        if (learner === 'vdn') expect(added).toBeCloseTo(gap, 5);
        // If the Q of one agent is higher, the team's Q is not lower.
        else expect(added * gap).toBeGreaterThanOrEqual(0);
        if (Math.abs(gap) > 1e-3) compared++;
        if (group.length === 1) expect(added).toBeCloseTo(0, 9);
        expect(agent).toBeLessThan(2);
      }
      expect(compared).toBeGreaterThan(3);
      expect(messages.some(({ key }) => messages.filter((other) => other.key === key).length === 1)).toBe(true);
    });
  },
);
