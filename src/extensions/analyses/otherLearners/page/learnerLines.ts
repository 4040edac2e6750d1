// The advantage of one token with several learners, in words: the advantage with each learner, and the difference from
// the advantage with this run's learner.
import { learnerFacts, type LearnerName } from '../../../../config/learners/registry.ts';
import type { BesideLearner } from '../../../../records/besides.ts';
import { decimal } from '../../../../ui/words.ts';
import { say } from '../../../../state/visitor/language.svelte.ts';

export interface LearnerLine {
  learner: LearnerName;
  label: string;
  isOwn: boolean;
  /** The advantage; null if something that the learner needs is missing, which is then described in `note`. */
  advantage: number | null;
  /** The difference from the advantage with this run's learner, or the reason why there is no advantage. */
  note: string;
  /** Whether the learner uses the advantage in a policy loss, in which the token has a weight. */
  isWeighed: boolean;
  /** Whether the advantage has the opposite sign with this run's learner. */
  isOpposed: boolean;
}

/** Differences below this value are treated as rounding errors. */
const small = 5e-4;

const losses = {
  policy: '',
  get preference() {
    return say('pairs are compared: +1 for the preferred dialogue, −1 for the rejected dialogue');
  },
  get imitation() {
    return say('only right dialogues are imitated');
  },
} as const;

/** The lines of all learners: first the run's own learner, then the learners with an advantage, then all others. */
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
  if (Math.abs(base) < small) return say('a gradient here, but no gradient with this run’s learner');
  if (Math.abs(advantage) < small) return say('no gradient here');
  if (advantage * base < 0) return say('has the opposite sign');
  return say('{decimal} × this run’s', { decimal: decimal(advantage / base) });
}
