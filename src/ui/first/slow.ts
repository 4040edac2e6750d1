// One iteration in five steps, each with a sentence that is true of the shown dialogue.
import { mean } from '../../base/stats.ts';
import type { RolloutInspection } from '../../records/inspection.ts';
import { say } from '../../state/visitor/language.svelte.ts';
import { decimal, percent, signed } from '../words.ts';

export const slowSteps = ['talk', 'check', 'pay', 'compare', 'push'] as const;
export type SlowStep = (typeof slowSteps)[number];

/** The name of each step on its button. */
export const stepName = (step: SlowStep): string =>
  ({ talk: say('Talk'), check: say('Check'), pay: say('Pay'), compare: say('Compare'), push: say('Push') })[step];

/** The token whose probability the update changed most; null if the learner did not look at any token. */
export function mostChanged({ turns }: Pick<RolloutInspection, 'turns'>) {
  const tokens = turns.flatMap(({ tokens, p, pBefore }) =>
    tokens.map((token, at) => ({ token, before: pBefore[at] as number, after: p[at] as number })),
  );
  const moved = ({ before, after }: { before: number; after: number }) => Math.abs(Math.log(after / before));
  return tokens.length === 0 ? null : tokens.reduce((most, one) => (moved(one) > moved(most) ? one : most));
}

/** A sentence about a step. `meanReward` is the mean over all dialogues of the iteration. */
export function slowSentence(step: SlowStep, rollout: RolloutInspection, meanReward: number): string {
  const { trajectory, turns } = rollout;
  const advantages = turns.flatMap(({ advantage }) => advantage);
  switch (step) {
    case 'talk':
      return say('The agents talk. Nobody tells them what to say: each token is drawn by chance.');
    case 'check':
      if (trajectory.answer === null) return say('The dialogue ends without an answer.');
      return trajectory.isRight
        ? say('The answer is compared with the right one: it is right.')
        : say('The answer is compared with the right one: it is wrong.');
    case 'pay':
      return say('The dialogue earns a reward of {reward}.', { reward: decimal(trajectory.reward) });
    case 'compare': {
      const earned = say('On average, the dialogues of this iteration earned {mean}.', { mean: decimal(meanReward) });
      return advantages.length === 0
        ? earned
        : `${earned} ${say('The advantage of this one is {advantage}.', { advantage: signed(mean(advantages)) })}`;
    }
    case 'push': {
      const most = mostChanged(rollout);
      if (!most) return say('The learner did not learn from this dialogue.');
      const advantage = mean(advantages);
      const pushed =
        advantage > 0
          ? say('The update makes such a dialogue more likely.')
          : advantage < 0
            ? say('The update makes such a dialogue less likely.')
            : say('An advantage of 0 pushes nothing.');
      const { token, before, after } = { ...most, before: percent(most.before), after: percent(most.after) };
      return `${pushed} ${say('All dialogues push the same network: “{token}” has {after} now, and had {before}.', { token, before, after })}`;
    }
  }
}
