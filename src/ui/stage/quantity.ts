// The quantities that can determine the colours of tokens, and the strength of these colours. The strength of a colour
// depends on the value relative to the largest value in the displayed group. If the largest value is small, a minimum
// is used instead, so that small numbers have weak colours. The sign of a signed quantity is marked in addition to the
// colour.
import type { GroupInspection, TurnInspection } from '../../records/inspection.ts';
import { bare, bareSigned, decimal } from '../words.ts';
import { say } from '../../state/visitor/language.svelte.ts';

export const quantityNames = ['probability', 'advantage', 'ratio', 'kl', 'entropy', 'value'] as const;
export type QuantityName = (typeof quantityNames)[number];

interface Quantity {
  label(): string;
  help(): string;
  read(turn: TurnInspection): number[];
  write(x: number): string;
  /**
   * The neutral value, for a quantity whose values can be above or below it; absent if the quantity has no neutral
   * value.
   */
  centre?: number;
  /** A token gets the full colour only if the distance of its value from the centre is at least this number. */
  floor: number;
  /** Whether values are compared on a logarithmic scale. */
  isLog?: boolean;
}

export const quantities: Record<QuantityName, Quantity> = {
  probability: {
    label: () => say('probability'),
    help: () => say('The probability of the token under the updated policy.'),
    read: (turn) => turn.p,
    write: (x) => bare(x),
    floor: 1,
  },
  advantage: {
    label: () => say('advantage'),
    help: () =>
      say('How much better the dialogue did than expected. The token is weighted by its advantage in the loss.'),
    read: (turn) => turn.advantage,
    write: (x) => bareSigned(x),
    centre: 0,
    floor: 1,
  },
  ratio: {
    label: () => say('ratio'),
    help: () => say('Current probability divided by the probability at sampling time, for each token.'),
    read: (turn) => turn.tokenRatio,
    write: (x) => decimal(x),
    centre: 1,
    floor: Math.log(1.25),
    isLog: true,
  },
  kl: {
    label: () => 'KL',
    help: () => say('How far the policy has moved from its reference at this token (k3 estimate, nats).'),
    read: (turn) => turn.kl,
    write: (x) => bare(x, 3),
    floor: 0.02,
  },
  entropy: {
    label: () => say('entropy'),
    help: () => say('How uncertain the policy was about this token, in nats.'),
    read: (turn) => turn.entropy,
    write: (x) => bare(x),
    floor: 0.7,
  },
  value: {
    label: () => say('value'),
    help: () => say('The return that the critic predicts from this token on.'),
    read: (turn) => turn.value,
    write: (x) => bareSigned(x),
    centre: 0,
    floor: 1,
  },
};

export interface Tint {
  /** The strength of the colour, in [0, 1]. */
  strength: number;
  /**
   * −1 for a value below the centre, 1 for a value above the centre, and 0 for the centre itself and for quantities
   * without a centre.
   */
  direction: -1 | 0 | 1;
}

function distance(quantity: Quantity, x: number): number {
  const centre = quantity.centre ?? 0;
  if (quantity.isLog) return Math.log(Math.max(x, 1e-9) / centre);
  return x - centre;
}

/**
 * The distance from the centre at which a token gets the full colour: the largest distance in the group, but at least
 * the quantity's `floor`.
 */
export function fullTint(name: QuantityName, group: GroupInspection | null): number {
  const quantity = quantities[name];
  let most = quantity.floor;
  for (const rollout of group?.rollouts ?? [])
    for (const turn of rollout.turns)
      for (const x of quantity.read(turn)) {
        const size = Math.abs(distance(quantity, x));
        if (Number.isFinite(size) && size > most) most = size;
      }
  return most;
}

/** The colour strength of a token with the value `x`; `full` is the result of `fullTint`. */
export function tint(name: QuantityName, x: number, full: number): Tint {
  const quantity = quantities[name];
  const away = distance(quantity, x);
  if (!Number.isFinite(away)) return { strength: 0, direction: 0 };
  const strength = Math.min(1, Math.abs(away) / full);
  const isNeutral = quantity.centre === undefined || strength < 0.005;
  return { strength, direction: isNeutral ? 0 : away > 0 ? 1 : -1 };
}

/** The values at the two ends of the legend, as text. */
export function tintEnds(name: QuantityName, full: number): [string, string] {
  const quantity = quantities[name];
  if (quantity.isLog) return [quantity.write(Math.exp(-full)), quantity.write(Math.exp(full))];
  return [quantity.write(quantity.centre === undefined ? 0 : quantity.centre - full), quantity.write(full)];
}

/** The quantities for which the group has numbers. For example, KL needs a reference, and value needs a critic. */
export function availableQuantities(group: GroupInspection | null): QuantityName[] {
  const turn = group?.rollouts.flatMap((rollout) => rollout.turns).find((candidate) => candidate.tokens.length > 0);
  if (!turn) return ['probability'];
  return quantityNames.filter((name) => quantities[name].read(turn).length > 0);
}

/** The look of one token: how strong its colour is, in percent, and on which side of the neutral value it lies. */
export interface TokenLook {
  percent: number;
  kind: 'below' | 'plain' | 'above';
  /** The token and its value. */
  title: string;
}
const kinds = { [-1]: 'below', 0: 'plain', 1: 'above' } as const;

/** The look of a token with the value `x`; undefined if the value is not known yet. */
export function tokenLook(
  token: string,
  x: number | undefined,
  { name, full }: { name: QuantityName; full: number },
): TokenLook {
  if (x === undefined) return { percent: 8, kind: 'plain', title: token };
  const { strength, direction } = tint(name, x, full);
  const title = `${token}  ${quantities[name].label()} ${quantities[name].write(x)}`;
  return { percent: Math.round(6 + 44 * strength), kind: kinds[direction], title };
}
