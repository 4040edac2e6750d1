// The settings that determine the problems and the reward for an answer.
import * as v from 'valibot';
import { choice, choiceOr, places, real, weightsByPart, whole } from '../field.ts';
import { teamAcross, teamOver } from '../names.ts';
import { isTeam, protocolIs } from '../protocols/registry.ts';
import { commonParts, mostLevels, rightAnswer, weightField, type RewardPart } from '../worlds/form.ts';
import { ownNameSchema } from '../worlds/own.ts';
import { shippedForms, worldLabels, worldNames, type WorldName } from '../worlds/registry.ts';
import { byTurn, joint } from '../conditions.ts';
import { creditFields } from './credit.ts';
import { inTongue } from '../../base/spoken.ts';

/** A description of all worlds. */
const worldWords = () =>
  shippedForms.map(({ label, sentence }) => `${inTongue(label)}: ${inTongue(sentence)}`).join(' ');

/**
 * A description of the levels of all worlds. If there are several worlds, the name of each world precedes its levels.
 */
const levelWords = () =>
  shippedForms
    .map(({ label, levels }) => {
      const words = levels.map(({ level, label: what }) => `${level}: ${inTongue(what)}.`).join(' ');
      return worldNames.length > 1 ? `${inTongue(label)}: ${words}` : words;
    })
    .join(' ');

/**
 * Help texts that are composed from descriptions of the worlds, in the language of the reader; the keys are the paths
 * of the settings.
 */
export const helpsOfWorlds: Readonly<Record<string, () => string>> = {
  'world.name': worldWords,
  'world.level': levelWords,
};

export const world = v.object({
  name: choiceOr(worldNames, ownNameSchema, worldNames[0] as WorldName, {
    label: 'World',
    help: worldWords(),
    source: 'Cothink',
    labels: worldLabels,
    isBasic: true,
    isLive: true,
  }),
  level: whole(1, {
    label: 'Level',
    help: levelWords(),
    source: 'Cothink',
    min: 1,
    max: mostLevels,
    step: 1,
    isBasic: true,
    isLive: true,
  }),
  also: places([], {
    label: 'Also train in',
    help: 'Training problems also come from these other levels, or from other worlds that use the same words. A level or world with weight 2 adds two problems for each problem from the run’s own world and level. Accuracy is measured only in the run’s own world and level; “Measure everywhere” shows the accuracy in all of them.',
    source: 'Cothink',
    isLive: true,
    group: 'Several at once',
  }),
  easier: real(0, {
    label: 'Easier problems',
    help: 'Share of training problems from lower levels, equally many from each level, so that the agents do not forget how to solve such problems. Accuracy is measured only on the chosen level.',
    source: 'Cothink',
    matters: [{ 'world.level': { above: 1 } }, { 'world.raiseAt': { above: 0 } }],
    min: 0,
    max: 0.9,
    step: 0.05,
    isLive: true,
    group: 'Curriculum',
  }),
  raiseAt: real(0, {
    label: 'Raise the level at',
    help: 'Training continues with the next level if at least this share of an iteration’s dialogues on the current level is right and hardly any dialogue was cut short by a full window. 0: the level never changes.',
    source: 'curriculum learning, Bengio 2009',
    min: 0,
    max: 1,
    step: 0.05,
    isLive: true,
    group: 'Curriculum',
  }),
});

const [finished, format, length] = commonParts as [RewardPart, RewardPart, RewardPart];

export const reward = v.object({
  rightAnswer: weightField(rightAnswer),
  finished: weightField(finished),
  format: weightField(format),
  length: weightField(length),
  overlong: real(0, {
    label: 'Too long',
    help: 'Weight of the punishment for long turns. A turn that ends within the last share of its window loses a part of this weight, and a turn that fills its window loses all of it. 0: off. The punishment of a dialogue whose rewards are set to 0 is 0 as well.',
    source: 'DAPO 2503.14476',
    min: 0,
    max: 2,
    step: 0.05,
    isLive: true,
    group: 'Parts',
  }),
  overlongShare: real(0.2, {
    label: 'Last share of the window',
    help: 'The share of a turn’s window in which the punishment for long turns grows from 0 to its full weight. DAPO uses 4,096 of 20,480 tokens.',
    source: 'DAPO 2503.14476',
    min: 0.05,
    max: 1,
    step: 0.05,
    isLive: true,
    matters: [{ 'reward.overlong': { above: 0 } }],
    group: 'Parts',
  }),
  own: weightsByPart({
    label: 'Parts of your world',
    help: 'Weights of the reward parts of your own world. Parts that are not listed here keep the weights that the world declares.',
    source: 'Cothink',
    isBasic: true,
    isLive: true,
    matters: [{ 'world.name': { not: worldNames } }],
    group: 'Parts',
  }),
  across: choice(teamAcross, 'sum', {
    label: 'Across agents',
    help: 'How the rewards of one round become the reward of each agent.',
    source: 'MAPoRL 2502.18439',
    group: 'Sharing',
    matters: [{ 'agents.protocol': protocolIs(isTeam) }],
    labels: { sum: 'sum', mean: 'mean', max: 'max', dictator: 'the first agent', own: 'own' },
  }),
  over: choice(teamOver, 'sparse', {
    label: 'Over turns',
    help: 'Sparse: the whole reward is paid at the end. Dense: each turn gets its own reward. Accumulated: each turn also gets all later rewards.',
    source: 'MAPoRL 2502.18439',
    group: 'Sharing',
    labels: { sparse: 'sparse', dense: 'dense', accumulated: 'accumulated' },
  }),
  gammaTurn: real(1, {
    label: 'Discount of a turn',
    help: 'The factor by which a reward is discounted for each later turn. If rewards are accumulated, REINFORCE++ applies this discount once for each round between a token and the reward; PPO and IPPO use it only if GAE runs over turns.',
    source: 'MAPoRL 2502.18439',
    group: 'Sharing',
    matters: [{ 'reward.over': ['accumulated'] }, { 'reward.shaping': { above: 0 } }, byTurn, joint],
    min: 0,
    max: 1,
    step: 0.01,
  }),
  shaping: real(0, {
    label: 'Progress shaping',
    help: 'Weight of reward shaping with the potential Φ of the world. Φ is 1 as long as the messages so far can still lead to the right answer.',
    min: 0,
    max: 2,
    step: 0.05,
    isLive: true,
    source: 'Ng, Harada, Russell 1999',
    group: 'Parts',
  }),
  ...creditFields,
});
