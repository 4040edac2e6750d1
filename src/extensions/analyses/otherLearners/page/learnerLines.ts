// One token under several learners, in words: the advantage under each learner, and how it differs from the advantage
// under this run's learner.
import { learnerFacts, type LearnerName } from '../../../../config/learners/registry.ts';
import type { BesideLearner } from '../../../../records/besides.ts';
import { decimal } from '../../../../ui/words.ts';
import { say } from '../../../../state/visitor/language.svelte.ts';

export interface LearnerLine {
  learner: LearnerName;
  label: string;
  isOwn: boolean;
  /** The advantage; null if something that the learner needs is missing, in which case `note` says what it is. */
  advantage: number | null;
  /** How the advantage differs from the one of this run's learner, or the reason why there is no advantage. */
  note: string;
  /** Whether the advantage is used in a policy loss, in which the token has a weight. */
  isWeighed: boolean;
  /** Whether the advantage has the opposite sign to the one of this run's learner. */
  isOpposed: boolean;
}

/** Smaller differences are rounding errors. */
const small = 5e-4;

const losses = {
  policy: '',
  get preference() {
    return say('learns from pairs: +1 if preferred, −1 if rejected');
  },
  get imitation() {
    return say('imitates only right dialogues');
  },
} as const;

/** The run's own learner first, then learners with an advantage, then the others. */
export function learnerLines(
  learners: readonly BesideLearner[],
  own: LearnerName,
  { rollout, turn, token }: { rollout: number; turn: number; token: number },
): LearnerLine[] {
  const of = ({ advantages }: BesideLearner) => advantages?.[rollout]?.[turn]?.[token] ?? null;
  const used = learners.find(({ learner }) => learner === own);
  const base = used ? of(used) : null;
  const lines = learners.map((one): LearnerLine => {
    const { learner, lacking } = one;
    const { label, loss } = learnerFacts[learner];
    const advantage = of(one);
    const isOwn = learner === own;
    const difference = isOwn || advantage === null || base === null ? '' : differenceOf(advantage, base);
    const note = lacking ?? [difference, losses[loss]].filter(Boolean).join('; ');
    const isOpposed = advantage !== null && base !== null && advantage * base < 0;
    const isWeighed = advantage !== null && loss === 'policy';
    return { learner, label, isOwn, advantage, note, isWeighed, isOpposed };
  });
  const rank = ({ isOwn, advantage }: LearnerLine) => (isOwn ? 0 : advantage === null ? 2 : 1);
  return lines.toSorted((a, b) => rank(a) - rank(b));
}

function differenceOf(advantage: number, base: number): string {
  if (Math.abs(advantage - base) < small) return say('equal');
  if (Math.abs(base) < small) return say('has a gradient here, but this run’s learner has none');
  if (Math.abs(advantage) < small) return say('no gradient here');
  if (advantage * base < 0) return say('has the opposite sign');
  return say('{decimal} × this run’s', { decimal: decimal(advantage / base) });
}
