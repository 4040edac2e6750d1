// What can go wrong unseen, read off the newest iterations: each a measure, its threshold, and one calm sentence.
import type { LessonName } from '../../lessons/shelf.ts';
import { roles, type Role } from '../../records/ids.ts';
import type { Evaluation } from '../../records/metrics.ts';
import type { MetricLog } from '../../state/run/metricLog.ts';
import { partingOf } from '../../state/run/paidAndTrue.ts';
import { decimal, iterationName, percent, roleWords } from '../words.ts';

export interface HealthCard {
  name: string;
  title: string;
  detail: string;
  /** `look`: past its threshold, worth a look. `unknown`: nothing was measured yet. */
  tone: 'fine' | 'look' | 'unknown';
  /** What is measured and where the threshold lies. */
  about: string;
  /** Shown even where all is well. */
  isMain: boolean;
  /** The lesson in which this can be seen to happen. */
  lesson?: LessonName | undefined;
}

/** What the measures are read off. */
export interface Watched {
  metrics: Pick<MetricLog, 'rows' | 'drawn' | 'recent'>;
  evaluations: readonly Evaluation[];
  failure: { name: string } | null;
}

type Judgement = [tone: 'fine' | 'look', title: string, detail: string];

interface Measure {
  name: string;
  about: string;
  isMain?: true;
  lesson?: LessonName;
  /** Undefined where it was not measured. */
  judge(watched: Reading): Judgement | undefined;
}

/** Iterations the measures look back over. */
export const healthSpan = 5;

/** The newest iterations, and the earlier ones that they are held against, by means over `healthSpan`. */
class Reading {
  readonly watched: Watched;

  constructor(watched: Watched) {
    this.watched = watched;
  }

  recent(name: string): number | undefined {
    return this.watched.metrics.recent(name, healthSpan);
  }

  /** Of the first iterations; undefined before there are later ones. */
  first(name: string): number | undefined {
    return this.#means(name)[0];
  }

  /** The largest that it has been; undefined before there is an earlier one. */
  most(name: string): number | undefined {
    const means = this.#means(name);
    return means.length === 0 ? undefined : means.reduce((a, b) => Math.max(a, b));
  }

  /** Values of the newest iterations, the largest first. */
  peaks(name: string): number[] {
    const values = this.watched.metrics.rows.slice(-healthSpan).flatMap(({ values }) => values[name] ?? []);
    return values.sort((a, b) => b - a);
  }

  /** The same metric of each role that has it. */
  byRole(name: string): { role: Role; name: string; value: number }[] {
    return roles.flatMap((role) => {
      const value = this.recent(`${name}/${role}`);
      return value === undefined ? [] : [{ role, name: `${name}/${role}`, value }];
    });
  }

  /** Means over all spans before the newest one, each after the other; of a long run of stretches. */
  #means(name: string): number[] {
    const values = this.watched.metrics.drawn.slice(0, -healthSpan).flatMap(({ values }) => values[name] ?? []);
    const means: number[] = [];
    let sum = 0;
    for (const [i, value] of values.entries()) {
      sum += value - (i >= healthSpan ? (values[i - healthSpan] as number) : 0);
      if (i >= healthSpan - 1) means.push(sum / healthSpan);
    }
    return means;
  }
}

const nameOf = (role: Role) => roleWords[role].name;

const measures: Measure[] = [
  {
    name: 'Dead groups',
    lesson: 'teach',
    isMain: true,
    about:
      'Share of groups whose rewards are all equal: they carry no gradient. A team that has learned has many, all right. Worth a look above one half when so few dialogues are right that most of these groups must be all wrong.',
    // Dead groups that are not all right are at least `value − right` of all groups, those that are not all wrong at
    // least `value − (1 − right)`: either is the most of them when it is more than half of `value`.
    judge(reading) {
      const [value, right = 0] = [reading.recent('charts/dead_groups'), reading.recent('charts/training_accuracy')];
      if (value === undefined) return undefined;
      const title = `${percent(value)} dead groups`;
      if (value <= 0.5) return ['fine', title, 'the others teach'];
      if (right < value / 2) return ['look', title, 'mostly all wrong: an easier level?'];
      return ['fine', title, 1 - right < value / 2 ? 'mostly all right' : 'all right or all wrong'];
    },
  },
  {
    name: 'Finishes properly',
    isMain: true,
    about:
      'Share of dialogues that end as they should: with the planner’s finish token, or when all have had their say. Worth a look below 0.8.',
    judge(reading) {
      const value = reading.recent('charts/finished');
      if (value === undefined) return undefined;
      return value >= 0.8
        ? ['fine', 'Finishes properly', `${percent(value)} of dialogues`]
        : ['look', 'Rarely finishes', `${percent(value)}: unfinished dialogues earn nothing`];
    },
  },
  {
    name: 'Turns cut',
    isMain: true,
    about: 'Share of dialogues that end because a turn filled its window. Worth a look above 0.1.',
    judge(reading) {
      const value = reading.recent('charts/truncated');
      if (value === undefined) return undefined;
      return value <= 0.1
        ? ['fine', 'Turns fit', value < 0.005 ? 'none cut' : `${percent(value)} cut`]
        : ['look', 'Turns are cut', `${percent(value)}: widen the window?`];
    },
  },
  {
    name: 'Exploring',
    isMain: true,
    about:
      'Mean entropy of the next token, in nats. Near 0 nothing new is tried: normal for a team that answers rightly, worth a look below 0.02 while fewer than four of five dialogues are right. Above 2 an agent is less certain than among seven equal choices.',
    judge(reading) {
      const [value, right = 0] = [reading.recent('losses/entropy'), reading.recent('charts/training_accuracy')];
      if (value === undefined) return undefined;
      const choices = decimal(Math.exp(value), 0);
      if (value > 2) return ['look', 'Random talk', `entropy ${decimal(value)}: as among ${choices} equal choices`];
      if (value >= 0.02) return ['fine', 'Exploring', `entropy ${decimal(value)}`];
      const little = `entropy ${decimal(value, 3)}:`;
      if (right >= 0.8) return ['fine', 'Little exploration', `${little} normal once converged`];
      return ['look', 'Little exploration', `${little} raise the entropy bonus?`];
    },
  },
  {
    name: 'Small updates',
    lesson: 'ratio',
    isMain: true,
    about:
      'How far the updates of one iteration move the policy: KL between what sampled and what was learned, in nats. Worth a look above 0.01, where PPO is often told to stop: above that a run learns less, and less reliably; and where a single iteration reaches 0.1.',
    judge(reading) {
      const [value, [peak = 0]] = [reading.recent('losses/approx_kl'), reading.peaks('losses/approx_kl')];
      if (value === undefined) return undefined;
      if (peak >= 0.1) return ['look', 'A leap', `KL ${decimal(peak)} in one iteration: lower the learning rate?`];
      return value <= 0.01
        ? ['fine', 'Small updates', `KL ${decimal(value, 3)} an iteration`]
        : ['look', 'Large updates', `KL ${decimal(value, 3)}: lower the learning rate?`];
    },
  },
  {
    name: 'Best kept',
    lesson: 'tooFast',
    about:
      'Right answers on the held-out problems, against the best evaluation of the run. Worth a look where the two intervals do not meet.',
    judge({ watched: { evaluations } }) {
      const last = evaluations.at(-1);
      if (!last) return undefined;
      const best = evaluations.reduce((a, b) => (b.accuracy > a.accuracy ? b : a));
      return last.high < best.low
        ? [
            'look',
            'Below its best',
            `${decimal(last.accuracy)}, and ${decimal(best.accuracy)} at ${iterationName(best.iteration)}`,
          ]
        : ['fine', 'At its best', `${decimal(last.accuracy)}; the best was ${decimal(best.accuracy)}`];
    },
  },
  {
    name: 'Messages read',
    lesson: 'twoMinds',
    about:
      'Causal influence: how much likelier, in nats a token, a turn makes what those who heard it say next. Worth a look below 0.05: the plan is not read.',
    judge(reading) {
      const value = reading.recent('charts/causal_influence');
      if (value === undefined) return undefined;
      const detail = `influence ${decimal(value)} nats a token`;
      return value >= 0.05 ? ['fine', 'Messages are read', detail] : ['look', 'Messages not read', detail];
    },
  },
  {
    name: 'Nobody lazy',
    lesson: 'lazyAgent',
    about:
      'Tokens a turn of each role, and its share of empty turns. Worth a look where a role says less than seven tenths of what it said at first, or nothing in more than a fifth of its turns.',
    judge(reading) {
      const spoken = reading.byRole('charts/tokens_per_turn');
      if (spoken.length === 0) return undefined;
      const idle = reading.byRole('charts/empty_turns').find(({ value }) => value > 0.2);
      if (idle) return ['look', `${nameOf(idle.role)} says nothing`, `in ${percent(idle.value)} of its turns`];
      const ofFirst = spoken.map(({ role, name, value }) => ({ role, share: value / (reading.first(name) ?? value) }));
      const [least] = ofFirst.sort((a, b) => a.share - b.share);
      if (!least || least.share >= 0.7) return ['fine', 'Nobody lazy', 'all say about as much as at first'];
      return ['look', `${nameOf(least.role)} says less`, `${percent(least.share)} of the tokens it said at first`];
    },
  },
  {
    name: 'Own words',
    about:
      'The longest run of words that a turn has in common with one it heard, as a share of its own; planners, who point at what was said, are left out. Worth a look above 0.8 while fewer than four of five dialogues are right: those who agree on what is right copy nothing.',
    judge(reading) {
      const copied = reading.byRole('charts/copied').filter(({ role }) => role !== 'metaThinking');
      const [most] = copied.sort((a, b) => b.value - a.value);
      if (!most) return undefined;
      const right = reading.recent('charts/training_accuracy') ?? 0;
      return most.value > 0.8 && right < 0.8
        ? ['look', `${nameOf(most.role)} copies`, `${percent(most.value)} of its words were just said`]
        : ['fine', 'Own words', `${percent(most.value)} of the words were just said`];
    },
  },
  {
    name: 'No leaks',
    about:
      'Share of dialogues in which a plan holds the right answer, less the share in which it holds that of another problem. Worth a look above 0.3: who plans also answers.',
    judge(reading) {
      const value = reading.recent('charts/leaked_answer');
      if (value === undefined) return undefined;
      return value <= 0.3
        ? ['fine', 'No leaks', 'plans do not hold the answer']
        : ['look', 'The plan leaks the answer', `in ${percent(value)} of dialogues beyond chance`];
    },
  },
  {
    name: 'Answers first',
    about: 'Share of dialogues that are finished before anybody has answered. Worth a look above 0.2.',
    judge(reading) {
      const value = reading.recent('charts/unanswered');
      if (value === undefined) return undefined;
      return value <= 0.2
        ? ['fine', 'Answers, then finishes', `${percent(value)} end unanswered`]
        : ['look', 'Finishes unanswered', `${percent(value)} of dialogues`];
    },
  },
  {
    name: 'Recall',
    lesson: 'lookBack',
    about:
      'What notes that are called back bring, mean over turns. Worth a look below half of the most that it has been: recall decays where only the answer is paid.',
    judge(reading) {
      const [called] = reading.byRole('rewards/calledBack');
      if (!called) return undefined;
      const most = reading.most(called.name) ?? called.value;
      return most > 0.01 && called.value < most / 2
        ? ['look', 'Recall decays', `${decimal(called.value, 3)}, and was ${decimal(most, 3)}`]
        : ['fine', 'Notes are called back', `${decimal(called.value, 3)} a turn`];
    },
  },
  {
    name: 'Like with like',
    about:
      'What part of an advantage compares turns that had heard different words: 1 − α times the share of such groups of steps. Worth a look above 0.25.',
    judge(reading) {
      const value = reading.recent('charts/mixed_groups');
      if (value === undefined) return undefined;
      return value <= 0.25
        ? ['fine', 'Like with like', `${percent(value)} compares unlike turns`]
        : ['look', 'Mixed groups', `${percent(value)} compares unlike turns: raise α?`];
    },
  },
  {
    name: 'Steady gradient',
    lesson: 'tooFast',
    about:
      'Norm of the gradient before it is scaled down to the largest that the settings allow, 1 by default. Worth a look where it reaches 2 in two of the newest iterations, as one batch may be odd, and where a number was not finite.',
    judge(reading) {
      if (reading.watched.failure?.name === 'NumericsError')
        return ['look', 'Not finite', 'a number overflowed: lower the learning rate'];
      const [value, second = 0] = reading.peaks('losses/grad_norm');
      if (value === undefined) return undefined;
      return second >= 2
        ? ['look', 'Exploding gradient', `norm ${decimal(value)}: lower rewards or the learning rate?`]
        : ['fine', 'Steady gradient', `norm ${decimal(value)} at most`];
    },
  },
  {
    name: 'Paid is true',
    lesson: 'wrongThing',
    about:
      'Reward as paid against the share of right dialogues. Worth a look where, since the most were right, reward has risen and rightness fallen, each by more than two standard errors of means over ten iterations.',
    judge({ watched: { metrics } }) {
      if (metrics.rows.length === 0) return undefined;
      const parting = partingOf(metrics.rows);
      return parting === null
        ? ['fine', 'Paid for what is right', 'reward and truth go together']
        : ['look', 'Paid for something else', `reward and truth part at iteration ${parting.iteration}`];
    },
  },
];

/** The cards for the newest iterations: those that ask for a look first, then the main ones, then the others. */
export function healthCards(watched: Watched): HealthCard[] {
  const reading = new Reading(watched);
  const judged = measures.map((measure) => ({ measure, judgement: measure.judge(reading) }));
  // A learner that compares no groups has no dead ones: once anything is measured, what is not does not apply.
  const isMeasured = judged.some(({ measure, judgement }) => measure.isMain && judgement);
  return judged
    .filter(({ measure, judgement }) => judgement ?? (!isMeasured && measure.isMain))
    .map(({ measure: { name, about, lesson, isMain = false }, judgement }): HealthCard => {
      if (!judgement) return { name, title: name, detail: 'not measured yet', tone: 'unknown', about, isMain };
      const [tone, title, detail] = judgement;
      return { name, title, detail, tone, about, isMain, lesson };
    });
}
