// The columns of the token table, with their explanations and sources. The table and its tooltips use the same
// definitions.
import { isolated } from '../../base/direction.ts';
import type { TurnInspection } from '../../records/inspection.ts';
import { wonWords } from '../../records/inspection.ts';
import type { Turn } from '../../records/trajectory.ts';
import { bare, bareSigned, decimal, nothing } from '../words.ts';
import { said, say } from '../../state/visitor/language.svelte.ts';

export interface TokenColumn {
  name: string;
  /** The meaning of the column, its formula, and its source. */
  help: string;
  /** The text of the cell for token `i`. */
  write(turn: TurnInspection, i: number): string;
  /** The text of a cell while the turn is being sampled and has no inspection yet. */
  early?(turn: Turn, i: number): string;
  /** The kind of the column, if it looks different from the others. */
  kind?: 'side' | 'others';
  /** Returns whether the turn has numbers for this column. A column without numbers in the whole group is left out. */
  isPresent?(turn: TurnInspection): boolean;
  /** Whether the column is left out if the loss has no ratio. */
  isOfRatio?: true;
}

const afterwards = () => say('This column is computed in one forward pass after the iteration’s last update.');

/** The columns, with texts in the current language. */
export const tokenColumns = (): TokenColumn[] => [
  {
    name: 'p',
    help: say('Probability of the token under the updated policy, p = exp(logprob). {afterwards}', {
      afterwards: afterwards(),
    }),
    write: (turn, i) => bare(turn.p[i]),
  },
  {
    name: say('p before'),
    help: say('Probability of the token at the time it was sampled, exp(oldLogprob), as stored during the rollout.'),
    write: (turn, i) => bare(turn.pBefore[i]),
    // The log-probabilities of a turn are known at its end.
    early: (turn, i) => (turn.logprobs.length > i ? bare(Math.exp(turn.logprobs[i] as number)) : '·'),
  },
  {
    name: say('ratio'),
    help: say('Token ratio, p divided by “p before”. {afterwards}', { afterwards: afterwards() }),
    write: (turn, i) => decimal(turn.tokenRatio[i]),
  },
  {
    name: say('used'),
    help: say(
      'Ratio that is used in the loss. Depending on the level chosen in the settings, it is the ratio of a token, of a turn (from the mean of the log-ratios, as in ReMA), of an agent’s trajectory, or of a whole dialogue.',
    ),
    write: (turn, i) => decimal(turn.ratio[i]),
    isOfRatio: true,
    isPresent: (turn) => turn.ratio.some((used, i) => Math.abs(used - (turn.tokenRatio[i] ?? used)) > 5e-4),
  },
  {
    name: 'A',
    help: say(
      'Advantage: how much better the dialogue was than expected. GRPO: the reward minus the group’s mean, divided by the group’s standard deviation. PPO: the estimate by GAE. DPO: 1 on the preferred side and −1 on the rejected side. SFT: 1 if the dialogue is imitated.',
    ),
    write: (turn, i) => bareSigned(turn.advantage[i]),
  },
  {
    name: 'KL',
    help: say('Distance to the frozen reference in nats, k3 = r − 1 − log r with r = p(reference) / p. {afterwards}', {
      afterwards: afterwards(),
    }),
    write: (turn, i) => bare(turn.kl[i], 3),
    isPresent: (turn) => turn.kl.length > 0,
  },
  {
    name: say('entropy'),
    help: say('−Σ p log p over the vocabulary at this position, in nats. {afterwards}', { afterwards: afterwards() }),
    write: (turn, i) => bare(turn.entropy[i]),
  },
  {
    name: say('value'),
    help: say('The return from this token on, as predicted by the critic.'),
    write: (turn, i) => bareSigned(turn.value[i]),
    isPresent: (turn) => turn.value.length > 0,
  },
  {
    kind: 'side',
    name: say('clipped?'),
    help: say(
      'Which of the two terms in min(A·r, A·clip(r)) is smaller and is therefore used. The formula card shows losses, which have the opposite sign, so the card contains max(L₁, L₂) instead. Clipped: the ratio left the clipping range, so this token adds nothing to the policy gradient. With CISPO, clipped means that the weight of log p was limited; the token still learns.',
    ),
    write: (turn, i) => (turn.won[i] === undefined ? nothing : said(wonWords[turn.won[i]])),
    isOfRatio: true,
  },
  {
    name: say('rank'),
    help: say(
      'Rank of the token among all tokens of the vocabulary, ordered by probability: 1 is the likeliest. {afterwards}',
      { afterwards: afterwards() },
    ),
    write: (turn, i) => bare(turn.rank?.[i], 0),
    isPresent: (turn) => turn.rank !== undefined,
  },
  {
    kind: 'others',
    name: say('alternatives'),
    help: say('The two most probable tokens besides the sampled one, with their probabilities. {afterwards}', {
      afterwards: afterwards(),
    }),
    write: (turn, i) =>
      turn.alternatives[i]
        ?.slice(0, 2)
        .map(({ token, p }) => `${isolated(token)} (${bare(p)})`)
        .join(' · ') || nothing,
  },
];
