// What can go wrong unseen, read off the newest iterations: each a measure, its threshold, and one calm sentence.
import { factsOf } from '../../config/learnerFacts.ts';
import { partingOf } from '../../state/run/paidAndTrue.ts';
import { say } from '../../state/visitor/language.svelte.ts';
import { decimal, iterationName, percent, roleName } from '../words.ts';
import { healthSpan, Reading, type HealthCard, type Measure, type Watched } from './reading.ts';

/** In the language of the moment. */
const measures = (): Measure[] => [
  {
    name: say('health.measures.deadGroups'),
    lesson: 'teach',
    isMain: true,
    isOf: (config) => factsOf(config).groups !== 'none',
    about: say('health.measures.shareOfGroupsWhose'),
    // Dead groups that are not all right are at least `value − right` of all groups, those that are not all wrong at
    // least `value − (1 − right)`: either is the most of them when it is more than half of `value`.
    judge(reading) {
      const [value, right = 0] = [reading.recent('charts/dead_groups'), reading.recent('charts/training_accuracy')];
      if (value === undefined) return undefined;
      const title = say('health.measures.deadGroups2', { value: percent(value) });
      if (value <= 0.5) return ['fine', title, say('health.measures.theOthersTeach')];
      if (right < value / 2) return ['look', title, say('health.measures.mostlyAllWrongAn')];
      return [
        'fine',
        title,
        1 - right < value / 2 ? say('health.measures.mostlyAllRight') : say('health.measures.allRightOrAll'),
      ];
    },
  },
  {
    name: say('health.measures.finishesProperly'),
    isMain: true,
    about: say('health.measures.shareOfDialoguesThat'),
    judge(reading) {
      const value = reading.recent('charts/finished');
      if (value === undefined) return undefined;
      return value >= 0.8
        ? [
            'fine',
            say('health.measures.finishesProperly'),
            say('health.measures.ofDialogues', { value: percent(value) }),
          ]
        : [
            'look',
            say('health.measures.rarelyFinishes'),
            say('health.measures.unfinishedDialoguesEarnNothing', { value: percent(value) }),
          ];
    },
  },
  {
    name: say('health.measures.turnsCut'),
    isMain: true,
    about: say('health.measures.shareOfDialoguesThat2'),
    judge(reading) {
      const value = reading.recent('charts/truncated');
      if (value === undefined) return undefined;
      return value <= 0.1
        ? [
            'fine',
            say('health.measures.turnsFit'),
            value < 0.005 ? say('health.measures.noneCut') : say('health.measures.cut', { value: percent(value) }),
          ]
        : [
            'look',
            say('health.measures.turnsAreCut'),
            say('health.measures.widenTheWindow', { value: percent(value) }),
          ];
    },
  },
  {
    name: say('health.measures.exploring'),
    isMain: true,
    about: say('health.measures.meanEntropyOfThe'),
    judge(reading) {
      const [value, right = 0] = [reading.recent('losses/entropy'), reading.recent('charts/training_accuracy')];
      if (value === undefined) return undefined;
      const choices = decimal(Math.exp(value), 0);
      if (value > 2)
        return [
          'look',
          say('health.measures.randomTalk'),
          say('health.measures.entropyAsAmongEqual', { value: decimal(value), choices }),
        ];
      if (value >= 0.02)
        return ['fine', say('health.measures.exploring'), say('health.measures.entropy', { value: decimal(value) })];
      const little = say('health.measures.entropy2', { value: decimal(value, 3) });
      if (right >= 0.8)
        return [
          'fine',
          say('health.measures.littleExploration'),
          say('health.measures.normalOnceConverged', { little }),
        ];
      return [
        'look',
        say('health.measures.littleExploration'),
        say('health.measures.raiseTheEntropyBonus', { little }),
      ];
    },
  },
  {
    name: say('health.measures.smallUpdates'),
    isSudden: true,
    lesson: 'ratio',
    isMain: true,
    about: say('health.measures.howFarTheUpdates'),
    judge(reading) {
      const [value, [peak = 0]] = [reading.recent('losses/approx_kl'), reading.peaks('losses/approx_kl')];
      if (value === undefined) return undefined;
      if (peak >= 0.1)
        return ['look', say('health.measures.aLeap'), say('health.measures.klInOneIteration', { peak: decimal(peak) })];
      return value <= 0.01
        ? [
            'fine',
            say('health.measures.smallUpdates'),
            say('health.measures.klAnIteration', { value: decimal(value, 3) }),
          ]
        : [
            'look',
            say('health.measures.largeUpdates'),
            say('health.measures.klLowerTheLearning', { value: decimal(value, 3) }),
          ];
    },
  },
  {
    name: say('health.measures.bestKept'),
    isSudden: true,
    lesson: 'tooFast',
    about: say('health.measures.rightAnswersOnThe'),
    judge({ watched: { evaluations } }) {
      const last = evaluations.at(-1);
      if (!last) return undefined;
      const best = evaluations.reduce((a, b) => (b.accuracy > a.accuracy ? b : a));
      return last.high < best.low
        ? [
            'look',
            say('health.measures.belowItsBest'),
            say('health.measures.andAt', {
              accuracy: decimal(last.accuracy),
              accuracy2: decimal(best.accuracy),
              iteration: iterationName(best.iteration),
            }),
          ]
        : [
            'fine',
            say('health.measures.atItsBest'),
            say('health.measures.theBestWas', { accuracy: decimal(last.accuracy), accuracy2: decimal(best.accuracy) }),
          ];
    },
  },
  {
    name: say('health.measures.messagesRead'),
    lesson: 'twoMinds',
    about: say('health.measures.causalInfluenceHowMuch'),
    judge(reading) {
      const value = reading.recent('charts/causal_influence');
      if (value === undefined) return undefined;
      const detail = say('health.measures.influenceNatsAToken', { value: decimal(value) });
      return value >= 0.05
        ? ['fine', say('health.measures.messagesAreRead'), detail]
        : ['look', say('health.measures.messagesNotRead'), detail];
    },
  },
  {
    name: say('health.measures.nobodyLazy'),
    lesson: 'lazyAgent',
    about: say('health.measures.tokensATurnOf'),
    judge(reading) {
      const spoken = reading.byRole('charts/tokens_per_turn');
      if (spoken.length === 0) return undefined;
      const idle = reading.byRole('charts/empty_turns').find(({ value }) => value > 0.2);
      if (idle)
        return [
          'look',
          say('health.measures.saysNothing', { role: roleName(idle.role) }),
          say('health.measures.inOfItsTurns', { value: percent(idle.value) }),
        ];
      const ofFirst = spoken.map(({ role, name, value }) => ({ role, share: value / (reading.first(name) ?? value) }));
      const [least] = ofFirst.sort((a, b) => a.share - b.share);
      if (!least || least.share >= 0.7)
        return ['fine', say('health.measures.nobodyLazy'), say('health.measures.allSayAboutAs')];
      return [
        'look',
        say('health.measures.saysLess', { role: roleName(least.role) }),
        say('health.measures.ofTheTokensIt', { share: percent(least.share) }),
      ];
    },
  },
  {
    name: say('health.measures.ownWords'),
    about: say('health.measures.theLongestRunOf'),
    judge(reading) {
      const copied = reading.byRole('charts/copied').filter(({ role }) => role !== 'metaThinking');
      const [most] = copied.sort((a, b) => b.value - a.value);
      if (!most) return undefined;
      const right = reading.recent('charts/training_accuracy') ?? 0;
      return most.value > 0.8 && right < 0.8
        ? [
            'look',
            say('health.measures.copies', { role: roleName(most.role) }),
            say('health.measures.ofItsWordsWere', { value: percent(most.value) }),
          ]
        : [
            'fine',
            say('health.measures.ownWords'),
            say('health.measures.ofTheWordsWere', { value: percent(most.value) }),
          ];
    },
  },
  {
    name: say('health.measures.noLeaks'),
    about: say('health.measures.shareOfDialoguesIn'),
    judge(reading) {
      const value = reading.recent('charts/leaked_answer');
      if (value === undefined) return undefined;
      return value <= 0.3
        ? ['fine', say('health.measures.noLeaks'), say('health.measures.plansDoNotHold')]
        : [
            'look',
            say('health.measures.thePlanLeaksThe'),
            say('health.measures.inOfDialoguesBeyond', { value: percent(value) }),
          ];
    },
  },
  {
    name: say('health.measures.answersFirst'),
    about: say('health.measures.shareOfDialoguesThat3'),
    judge(reading) {
      const value = reading.recent('charts/unanswered');
      if (value === undefined) return undefined;
      return value <= 0.2
        ? [
            'fine',
            say('health.measures.answersThenFinishes'),
            say('health.measures.endUnanswered', { value: percent(value) }),
          ]
        : [
            'look',
            say('health.measures.finishesUnanswered'),
            say('health.measures.ofDialogues', { value: percent(value) }),
          ];
    },
  },
  {
    name: say('health.measures.recall'),
    lesson: 'lookBack',
    about: say('health.measures.whatNotesThatAre'),
    judge(reading) {
      const [called] = reading.byRole('rewards/calledBack');
      if (!called) return undefined;
      const most = reading.most(called.name) ?? called.value;
      return most > 0.01 && called.value < most / 2
        ? [
            'look',
            say('health.measures.recallDecays'),
            say('health.measures.andWas', { value: decimal(called.value, 3), most: decimal(most, 3) }),
          ]
        : [
            'fine',
            say('health.measures.notesAreCalledBack'),
            say('health.measures.aTurn', { value: decimal(called.value, 3) }),
          ];
    },
  },
  {
    name: say('health.measures.likeWithLike'),
    about: say('health.measures.whatPartOfAn'),
    judge(reading) {
      const value = reading.recent('charts/mixed_groups');
      if (value === undefined) return undefined;
      return value <= 0.25
        ? [
            'fine',
            say('health.measures.likeWithLike'),
            say('health.measures.comparesUnlikeTurns', { value: percent(value) }),
          ]
        : [
            'look',
            say('health.measures.mixedGroups'),
            say('health.measures.comparesUnlikeTurnsRaise', { value: percent(value) }),
          ];
    },
  },
  {
    name: say('health.measures.steadyGradient'),
    isSudden: true,
    lesson: 'tooFast',
    about: say('health.measures.normOfTheGradient'),
    judge(reading) {
      if (reading.watched.failure?.name === 'NumericsError')
        return ['look', say('health.measures.notFinite'), say('health.measures.aNumberOverflowedLower')];
      const [value, second = 0] = reading.peaks('losses/grad_norm');
      if (value === undefined) return undefined;
      return second >= 2
        ? [
            'look',
            say('health.measures.explodingGradient'),
            say('health.measures.normLowerRewardsOr', { value: decimal(value) }),
          ]
        : ['fine', say('health.measures.steadyGradient'), say('health.measures.normAtMost', { value: decimal(value) })];
    },
  },
  {
    name: say('health.measures.paidIsTrue'),
    isSudden: true,
    lesson: 'wrongThing',
    about: say('health.measures.rewardAsPaidAgainst'),
    judge({ watched: { metrics } }) {
      if (metrics.drawn.length === 0) return undefined;
      const parting = partingOf(metrics.drawn);
      return parting === null
        ? ['fine', say('health.measures.paidForWhatIs'), say('health.measures.rewardAndTruthGo')]
        : [
            'look',
            say('health.measures.paidForSomethingElse'),
            say('health.measures.rewardAndTruthPart', { iteration: parting.iteration }),
          ];
    },
  },
];

/**
 * The cards for the newest iterations: those that ask for a look first, then the main ones, then the others. What the start
 * brings along is not called a fault before training had a few iterations to change it.
 */
export function healthCards(watched: Watched): HealthCard[] {
  const reading = new Reading(watched);
  const judged = measures().map((measure) => ({ measure, judgement: measure.judge(reading) }));
  const { run } = watched;
  // Once anything is measured, what is not does not apply.
  const isMeasured = judged.some(({ measure, judgement }) => measure.isMain && judgement);
  return judged
    .filter(
      ({ measure, judgement }) =>
        judgement ?? (!isMeasured && measure.isMain && (!run || (measure.isOf?.(run.config) ?? true))),
    )
    .map(({ measure: { name, about, lesson, isMain = false, isSudden = false }, judgement }): HealthCard => {
      const isEarly = judgement?.[0] === 'look' && !isSudden && watched.metrics.newestRows.length < healthSpan;
      if (isEarly)
        return {
          name,
          title: name,
          detail: say('health.measures.tooEarly', { healthSpan }),
          tone: 'unknown',
          about,
          isMain,
        };
      if (!judgement)
        return { name, title: name, detail: say('health.measures.notMeasuredYet'), tone: 'unknown', about, isMain };
      const [tone, title, detail] = judgement;
      return { name, title, detail, tone, about, isMain, lesson };
    });
}
