// The trajectories that SFT imitates, and the pairs and the loss of DPO. These settings are part of the section
// `learning`.
import { imitating, preferring } from '../conditions.ts';
import { choice, flag, real } from '../field.ts';
import { imitationSources, pairSources, preferenceKinds, type PreferenceKind } from '../names.ts';

export const imitationFields = {
  imitate: choice(imitationSources, 'own', {
    label: 'Imitate',
    help: 'The dialogues that agents imitate: the team’s own dialogues with a right answer, or demonstrations that the world generates, as in a warm start. In the second case, each iteration uses as many new demonstrations as the team samples dialogues, and the team’s own dialogues are only measured.',
    source: 'STaR 2203.14465; ReMA 2503.09501',
    group: 'Imitation',
    matters: [imitating],
    labels: { own: 'own right dialogues', demonstrations: 'demonstrations' },
  }),
};

const pairs = { group: 'Preference pairs', matters: [preferring] };

export const preferenceFields = {
  pairsFrom: choice(pairSources, 'rollouts', {
    label: 'Preference pairs from',
    help: 'A pair can consist of a better and a worse dialogue of the team about one problem; the dialogues are compared by reward or by the verifier’s scores of the answers. In SPIN, a pair consists of a demonstration and a dialogue of the team. Pairs can also be read from a file with the columns prompt, chosen and rejected.',
    source: 'DPO 2305.18290, SPIN 2401.01335',
    ...pairs,
    labels: {
      rollouts: 'own dialogues',
      verifier: 'by the verifier',
      demonstrations: 'demonstrations and the team’s own dialogues',
      imported: 'a file',
    },
  }),
  preferenceKind: choice(preferenceKinds, 'sigmoid', {
    label: 'Preference loss',
    help: 'Sigmoid: the negative log-probability that the better dialogue is preferred, as in DPO. Robust: the same loss, corrected so that its mean does not change if a share of the pairs is swapped by mistake. Hinge: no gradient beyond a margin. IPO: the squared error from a margin of 1 / (2β) nats, with the mean over the tokens of each side (as the authors of IPO confirmed to TRL) or with the sum (as in OpenRLHF). SimPO: the sigmoid of the mean log-probability per token, without a reference and beyond a target margin; its paper uses a β from 2 to 10.',
    source: 'DPO 2305.18290, robust DPO 2403.00409, SLiC 2305.10425, IPO 2310.12036, SimPO 2405.14734',
    ...pairs,
    labels: {
      sigmoid: 'sigmoid',
      robust: 'robust',
      hinge: 'hinge',
      ipo: 'IPO',
      ipoOfSum: 'IPO of the sum',
      simpo: 'SimPO',
    },
  }),
  preferenceBeta: real(0.1, {
    label: 'Preference β',
    help: 'How strongly the agents are kept near their warm start.',
    source: 'DPO 2305.18290',
    ...pairs,
    min: 0.01,
    max: 20,
    step: 0.01,
  }),
  preferenceSmoothing: real(0, {
    label: 'Preference smoothing',
    help: 'The assumed share of pairs in which the worse answer was preferred by mistake.',
    source: 'conservative DPO; robust DPO 2403.00409',
    ...pairs,
    matters: [{ ...preferring, 'learning.preferenceKind': ['sigmoid', 'robust'] }],
    min: 0,
    max: 0.45,
    step: 0.05,
  }),
  preferenceMargin: real(1, {
    label: 'Target margin',
    help: 'The margin γ of SimPO: β times the difference of the mean log-probabilities is compared with this number.',
    source: 'SimPO 2405.14734',
    ...pairs,
    matters: [{ ...preferring, 'learning.preferenceKind': ['simpo'] }],
    min: 0,
    max: 10,
    step: 0.1,
  }),
  preferenceReference: flag(true, {
    label: 'Compare with the reference',
    help: 'On: the loss compares the probability of each side of a pair under the policy with the probability under the frozen warm start. Off: the loss uses only the probability under the policy.',
    source: 'DPO 2305.18290',
    ...pairs,
    matters: [{ ...preferring, 'learning.preferenceKind': { not: ['simpo'] } }],
  }),
};

/** Whether a preference loss compares the policy with the frozen reference. */
export const comparesWithReference = ({
  preferenceKind,
  preferenceReference,
}: {
  preferenceKind: PreferenceKind;
  preferenceReference: boolean;
}): boolean => preferenceReference && preferenceKind !== 'simpo';
