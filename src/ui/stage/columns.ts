// The columns of the token table: what each is and where it comes from. Written once, read by the table and its tooltips.
import type { TurnInspection } from '../../records/inspection.ts';
import { wonWords } from '../../records/inspection.ts';
import type { Turn } from '../../records/trajectory.ts';
import { bare, bareSigned, decimal, nothing } from '../words.ts';

export interface TokenColumn {
  name: string;
  /** What it is; its formula; where it comes from. */
  help: string;
  /** The cell of token `i`. */
  write(turn: TurnInspection, i: number): string;
  /** What is known while the turn is being sampled, before the inspection. */
  early?(turn: Turn, i: number): string;
  /** Left out when the turn has no such numbers. */
  isPresent?(turn: TurnInspection): boolean;
  /** Left out where the loss has no ratio that could be clipped. */
  isOfRatio?: true;
}

const afterwards = 'From one forward pass after the iteration’s last update.';

export const tokenColumns: TokenColumn[] = [
  {
    name: 'p',
    help: `Probability of the token under the updated policy, p = exp(logprob). ${afterwards}`,
    write: (turn, i) => bare(turn.p[i]),
  },
  {
    name: 'p before',
    help: 'Probability when the token was sampled, exp(oldLogprob). Kept from the rollout.',
    write: (turn, i) => bare(turn.pBefore[i]),
    early: (turn, i) => bare(Math.exp(turn.logprobs[i] ?? Number.NaN)),
  },
  {
    name: 'ratio',
    help: `Token ratio, p / p before. ${afterwards}`,
    write: (turn, i) => decimal(turn.tokenRatio[i]),
  },
  {
    name: 'used',
    help: 'Ratio that the loss used, at its own level: token, turn (mean of log-ratios over the turn, ReMA) or trajectory.',
    write: (turn, i) => decimal(turn.ratio[i]),
    isOfRatio: true,
    isPresent: (turn) => turn.ratio.some((used, i) => Math.abs(used - (turn.tokenRatio[i] ?? used)) > 5e-4),
  },
  {
    name: 'A',
    help: 'Advantage: how much better than expected. GRPO: reward minus the group’s mean, over its spread; PPO: GAE; DPO: 1 on the preferred side, −1 on the rejected; SFT: 1 where the dialogue is imitated.',
    write: (turn, i) => bareSigned(turn.advantage[i]),
  },
  {
    name: 'KL',
    help: `Distance to the frozen reference, k3 = r − 1 − log r with r = p(reference) / p; nats. ${afterwards}`,
    write: (turn, i) => bare(turn.kl[i], 3),
    isPresent: (turn) => turn.kl.length > 0,
  },
  {
    name: 'entropy',
    help: `−Σ p log p over the vocabulary at this place; nats. ${afterwards}`,
    write: (turn, i) => bare(turn.entropy[i]),
  },
  {
    name: 'value',
    help: 'Reward that the critic expects from here.',
    write: (turn, i) => bareSigned(turn.value[i]),
    isPresent: (turn) => turn.value.length > 0,
  },
  {
    name: 'clipped?',
    help: 'Side of min(A·r, A·clip(r)) that counts; the formula card writes losses, which are gains with their signs turned, so there it is max(L₁, L₂). Clipped: the ratio left its band, so this token is pushed no further.',
    write: (turn, i) => (turn.won[i] === undefined ? nothing : wonWords[turn.won[i]]),
    isOfRatio: true,
  },
  {
    name: 'alternatives',
    help: `The two most probable other tokens, with their probabilities. ${afterwards}`,
    write: (turn, i) =>
      turn.alternatives[i]
        ?.slice(0, 2)
        .map(({ token, p }) => `${token} (${bare(p)})`)
        .join(' · ') || nothing,
  },
];
