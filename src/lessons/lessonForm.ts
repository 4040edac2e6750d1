// Describes the fields of a lesson's file. The code that reads lessons uses this description, and docs/lessons.md is
// generated from it.
import * as v from 'valibot';
import { spoken } from '../base/spoken.ts';
import type { AnalysisName } from '../config/analyses/facts.ts';
import { analyses, analysisMeasures, askedInLessons } from '../config/analyses/registry.ts';
import { metricTable } from '../records/metrics.ts';
import { roles } from '../records/ids.ts';

/** Parts of the page that a lesson may hide. */
export const hideable = ['tokens', 'charts', 'health', 'takeAway', 'timeline', 'readouts'] as const;
export type Hideable = (typeof hideable)[number];

const ownPlaces = ['problem', 'dialogue', 'tokens', 'accuracy', 'health', 'guard', 'timeline'] as const;
/** Parts of the page that a step may highlight. */
export const places: readonly LessonPlace[] = [...ownPlaces, ...askedInLessons];
export type LessonPlace = (typeof ownPlaces)[number] | AnalysisName;

const ownDeeds = ['train', 'step', 'restart', 'fork', 'clipped', 'change', 'openModel'] as const;
/** The actions that the button of a step may have: actions of the page, and analyses. */
export const deeds: readonly Deed[] = [...ownDeeds, ...askedInLessons];
export type Deed = (typeof ownDeeds)[number] | AnalysisName;

/** The measures that checks can use in addition to the metrics of the run, each with its meaning. */
const measuresOfPage = {
  accuracy: 'the share of held-out problems answered right in the newest evaluation after the start',
  gain: 'the accuracy minus the accuracy of the warm start',
  beyond:
    'the lower end of the 95 % interval of the accuracy, minus the highest average accuracy that is possible without messages; if this measure is above 0, guessing cannot explain the accuracy',
  influence:
    'the accuracy minus the accuracy of the same team when messages are suddenly hidden, although the team was never trained without messages',
  beginsAtEnd: '1 if the evaluation of the displayed sum begins at its right end under the rule, otherwise 0',
  iteration: 'the number of completed iterations',
  wentBack: 'how often the run has gone back to a checkpoint',
  changes: 'the number of changes in the dialogue that is being edited',
  clipped: '1 if the opened token was clipped, otherwise 0',
  tokenRatio: 'the ratio of the opened token',
  forks: 'the number of same-luck forks that have finished',
  forkGain: 'the accuracy of the changed arm minus the accuracy of the other arm in the newest fork',
  forkIsSure: '1 if the 95 % interval of `forkGain` excludes 0, otherwise 0',
  model: '1 if the agents of the run are an opened language model that talks in plain English, otherwise 0',
} as const;
export type OwnMeasure = keyof typeof measuresOfPage;
/** All measures: the measures above, and the measures that analyses add. */
export const ownMeasures: Readonly<Record<string, string>> = {
  ...measuresOfPage,
  ...Object.fromEntries(Object.entries(analysisMeasures).map(([name, { meaning }]) => [name, meaning])),
};

const metricNames = new Set<string>(
  metricTable.flatMap(({ name }) => [name, ...roles.map((role) => `${name}/${role}`)]),
);
/** Whether a check can use a measure of this name. */
export const isMeasure = (name: string) => Object.hasOwn(ownMeasures, name) || metricNames.has(name);

const whole = (what: () => string) =>
  v.custom<number>((value) => Number.isSafeInteger(value) && (value as number) > 0, what);
const word = v.pipe(
  v.string(() => spoken`a name`),
  v.regex(
    /^[a-z][A-Za-z0-9]*$/,
    () => spoken`a name that has only letters and digits and begins with a lowercase letter`,
  ),
);
const measure = v.pipe(
  v.string(() => spoken`what is measured`),
  v.check(
    isMeasure,
    () => spoken`one of ${Object.keys(ownMeasures).join(', ')}, or the name of a metric in docs/metrics.md`,
  ),
);
const bound = v.number(() => spoken`a number`);
/** A language tag, such as `en` or `de-AT`. */
const languageTag = /^[a-z]{2,3}(-[A-Za-z0-9]{1,8}){0,3}$/;
const several = () => spoken`a list of 2 to 8 different names`;
const told = <S extends v.GenericSchema>(form: S, text: string) => v.pipe(form, v.description(text));

export const lessonForms = {
  minutes: told(
    whole(() => spoken`a whole number of minutes`),
    'How long the lesson takes on two cores without a GPU.',
  ),
  claim: told(
    v.optional(v.string(() => spoken`the id of a claim`)),
    'The claim of `bench/results/claims.json` on which the lesson is based.',
  ),
  isShown: told(
    v.optional(v.boolean(() => spoken`true or false`)),
    'Whether the claim is confirmed in this file. If the claim is not confirmed, the lesson contains a note about this.',
  ),
  run: told(v.unknown(), 'The preset and the settings, written as in a run file.'),
  hides: told(
    v.optional(
      v.array(
        v.picklist(hideable, () => spoken`one of ${hideable.join(', ')}`),
        () => spoken`a list`,
      ),
    ),
    `The parts of the page that the lesson hides: ${hideable.join(', ')}.`,
  ),
  language: told(
    v.optional(
      v.pipe(
        v.string(() => spoken`a language`),
        v.regex(languageTag, () => spoken`a language code such as en or de`),
      ),
    ),
    'The language of the texts: `en`, `de` or another code.',
  ),
  steps: told(v.unknown(), 'A list of steps, one after the other.'),
  texts: told(
    v.unknown(),
    'The texts of the lesson: `title`, `aim` and `end`; for each step `STEP`, `STEP.title`, `STEP.look`, `STEP.button`, `STEP.ask`, `STEP.choice.OPTION` and `STEP.hint`; for the teacher’s sheet `sheet.talk` and `sheet.wrong`, with one line for each point.',
  ),
} as const;

/**
 * The maximum numbers of steps, of checks in a step, and of characters in a text. These limits are needed because a
 * lesson may come from an untrusted source.
 */
export const most = { steps: 40, checks: 8, textSigns: 3000 } as const;

const actions = analyses.flatMap(({ lesson }) => lesson?.action ?? []).join(', ');

export const stepForms = {
  name: told(
    word,
    'The name of the step. Its text has the key `NAME`; the text that says what to look for has the key `NAME.look`.',
  ),
  points: told(
    v.optional(v.picklist(places, () => spoken`one of ${places.join(', ')}`)),
    `The part of the page that the step is about: ${places.join(', ')}.`,
  ),
  does: told(
    v.optional(v.picklist(deeds, () => spoken`one of ${deeds.join(', ')}`)),
    `The action of the button: train, train for one iteration, start a new run with \`sets\`, make a same-luck fork that changes \`sets\`, open a clipped token, open a dialogue to change it, show the models so that one can be opened, ${actions}.`,
  ),
  sets: told(
    v.optional(v.record(v.string(), v.unknown(), () => spoken`settings`)),
    'The settings for `restart` and `fork`, each by its path.',
  ),
  iterations: told(
    v.optional(whole(() => spoken`a whole number from 1`)),
    'The number of iterations of both arms of a fork.',
  ),
  checks: told(
    v.unknown(),
    'A list of checks, all of which must be passed. If a step has no checks, visitors only have to read its text.',
  ),
} as const;

/** The three kinds of checks. The first field of a check determines its kind. */
export const checkForms = {
  measure: {
    measure: told(measure, 'The name of a measure that is compared with a bound.'),
    above: told(v.optional(bound), 'The measure must be above this number.'),
    below: told(v.optional(bound), 'The measure must be below this number.'),
  },
  typed: {
    typed: told(measure, 'The name of a measure whose value the visitor works out and types.'),
    within: told(bound, 'The largest error that is accepted.'),
  },
  choice: {
    choice: told(
      v.pipe(
        v.array(word, several),
        v.check((names) => names.length > 1 && names.length < 9 && new Set(names).size === names.length, several),
      ),
      'The options from which the visitor chooses.',
    ),
    right: told(v.optional(word), 'The option that is right.'),
    asks: told(
      v.optional(measure),
      'The measure that determines the right option, if the options are `yes` and `no` and there is no `right`.',
    ),
    above: told(v.optional(bound), 'The option `yes` is right if the measure is above this number.'),
    below: told(v.optional(bound), 'The option `yes` is right if the measure is below this number.'),
  },
} as const;
