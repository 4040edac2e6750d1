// The advantage estimate of PPO (1707.06347). The critic reads the context of one agent, and generalised advantage
// estimation (GAE, 1506.02438) is applied to the sequence of the agent's own tokens or turns.
import { criticOf } from '../../config/learners/registry.ts';
import { parts, type TermValues } from '../../records/formula.ts';
import { gae } from '../maths/advantage.ts';
import { discountsOf } from '../rows/tracks.ts';
import { columnsOf, estimateTerms, type LearnerFormula } from './formula.ts';
import type { Advantages, Collected } from './learner.ts';
import { agentSequences, type AgentSequence } from './tokenRewards.ts';

export const ownEstimateDeviations = [
  '1. The next state is the state before the next token of the same agent, even if turns of other agents lie in between.',
  '2. The end of a rollout is always a terminal state, because rollouts are never interrupted here, so no value is bootstrapped.',
  '3. With learning.gaeLevel = turn, all tokens of a turn have the same advantage and the same return.',
  '4. If the critic is a separate network, it is trained on stored dialogues of several iterations, and the value loss is not clipped (critics/critic.ts).',
];

export function ownEstimateAdvantages(collected: Collected): Advantages {
  const { batch, config } = collected;
  const advantages = new Float32Array(batch.ids.length);
  const returns = new Float32Array(batch.ids.length);
  const ofAgents = agentSequences(collected).map((sequence) => spansOf(collected, sequence));
  for (const { at, advantage, value } of ofAgents.flat()) {
    for (const flat of at) {
      advantages[flat] = advantage;
      returns[flat] = advantage + value;
    }
  }
  const tracks = ofAgents.map((spans) => ({
    places: spans.map(({ at }) => at.slice(0, 1)),
    rewards: spans.map(({ reward }) => reward),
  }));
  return { advantages, tracks, ...(criticOf(config) === 'head' && { returns }) };
}

interface Span {
  /** The indices of the tokens that get this advantage. */
  at: number[];
  reward: number;
  advantage: number;
  value: number;
}

/** The advantages of one agent's tokens or turns in one trajectory, computed with GAE or with a visitor's formula. */
function spansOf({ config, batch, values, ownFormula }: Collected, { at, rewards }: AgentSequence): Span[] {
  const isByTurn = config.learning.gaeLevel === 'turn';
  const spans: { at: number[]; reward: number }[] = [];
  at.forEach((flat, i) => {
    const last = spans.at(-1);
    const isSame = isByTurn && last && batch.turnIds[last.at[0] as number] === batch.turnIds[flat];
    if (!isSame) return spans.push({ at: [flat], reward: rewards[i] as number });
    last.at.push(flat);
    last.reward += rewards[i] as number;
  });
  const before = spans.map((span) => values[span.at[0] as number] as number);
  const paid = spans.map(({ reward }) => reward);
  const { gamma, lambda } = discountsOf(config);
  const ofSpan = ownFormula?.list(paid, before, gamma, lambda) ?? gae(paid, before, { gamma, lambda });
  return spans.map((span, i) => ({ ...span, advantage: ofSpan[i] as number, value: before[i] as number }));
}

export const ownEstimateFormula: LearnerFormula = {
  advantage: () =>
    parts`${'paid'} + ${'gamma'} · ${'nextValue'} − ${'value'} + ${'gamma'} · ${'lambda'} · ${'nextAdvantage'}`,
  constants: ({ learning, reward }) =>
    learning.gaeLevel === 'turn'
      ? { gamma: reward.gammaTurn, lambda: learning.lambdaTurn }
      : { gamma: learning.gamma, lambda: learning.gaeLambda },
  terms: (collected) => {
    const known: TermValues[] = [];
    for (const sequence of agentSequences(collected)) {
      const spans = spansOf(collected, sequence);
      estimateTerms(spans).forEach((terms, i) => spans[i]?.at.forEach((flat) => (known[flat] = terms)));
    }
    return columnsOf(known, collected);
  },
  isUniform: ({ learning }) => learning.gaeLevel === 'turn' && learning.ratioLevel === 'turn',
};
