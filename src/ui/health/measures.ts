// Detects faults in the newest iterations that a visitor could overlook. Each fault has a measure with a threshold, and
// a short sentence that explains the fault.
import { factsOf } from '../../config/learners/registry.ts';
import { chosenProtocol } from '../../config/protocols/registry.ts';
import type { Config } from '../../config/schema.ts';
import { lessonShowing } from '../../lessons/registry.ts';
import { partingOf } from '../../state/run/paidAndTrue.ts';
import { say } from '../../state/visitor/language.svelte.ts';
import { decimal, iterationName, percent, roleName } from '../words.ts';
import { healthSpan, HealthWindow, type HealthCard, type Measure, type HealthInputs } from './reading.ts';

/** Unfinished dialogues get no rewards, unless the settings of the run say otherwise. */
const unfinished = (value: string, config: Config | undefined) =>
  config?.agents.maskUnfinished === false
    ? say('{value} of dialogues finish; the others are rewarded too', { value })
    : say('{value} of dialogues finish; the others earn nothing', { value });

/** Whether at least four of five dialogues of the newest iterations are right. */
const isMostlyRight = (reading: HealthWindow) => (reading.recent('charts/training_accuracy') ?? 0) >= 0.8;

/** Whether a turn that fills its window ends the dialogue. */
const isEndedByCut = ({ watched: { run } }: HealthWindow) => run?.config.agents.stopWhenTruncated !== false;

/** All measures, with texts in the current language. */
const measures = (): Measure[] => [
  {
    name: say('Dead groups'),
    id: 'deadGroups',
    isMain: true,
    isOf: (config) => factsOf(config).groups !== 'none',
    about: say(
      'Share of groups that add nothing to the policy gradient because all their advantages are 0, for example if all rewards are equal. After successful training many groups are dead, because all their dialogues are right. Worth a look above one half if accuracy is below half of this share, because then most of these groups contain only wrong dialogues.',
    ),
    // `value` is the share of dead groups. At least `value − right` of all groups are dead without being all right, and
    // at least `value − (1 − right)` are dead without being all wrong. If one of these two shares is above half of
    // `value`, most dead groups are of the corresponding kind.
    judge(reading) {
      const [value, right = 0] = [reading.recent('charts/dead_groups'), reading.recent('charts/training_accuracy')];
      if (value === undefined) return undefined;
      const title = say('{value} of groups have no gradient', { value: percent(value) });
      if (value <= 0.5) return ['fine', title, say('all attempts in a group without gradient earned the same reward')];
      if (right < value / 2)
        return ['look', title, say('in most groups without gradient, all attempts are wrong: try an easier level?')];
      return [
        'fine',
        title,
        1 - right < value / 2
          ? say('in most groups without gradient, all attempts are right')
          : say('all right or all wrong'),
      ];
    },
  },
  {
    name: say('Finishes properly'),
    isMain: true,
    about: say(
      'Share of dialogues that end as they should: with the planner’s finish token, or after all agents have spoken. Worth a look below 0.8, or below 0.5 if a cut turn does not end the dialogue, unless at least four of five dialogues are right.',
    ),
    judge(reading) {
      const value = reading.recent('charts/finished');
      if (value === undefined) return undefined;
      return value >= (isEndedByCut(reading) ? 0.8 : 0.5) || isMostlyRight(reading)
        ? ['fine', say('Finishes properly'), say('{value} of dialogues', { value: percent(value) })]
        : ['look', say('Rarely finishes'), unfinished(percent(value), reading.watched.run?.config)];
    },
  },
  {
    name: say('Turns cut'),
    isMain: true,
    about: say(
      'Share of dialogues with a turn that was cut because it filled its window. Worth a look above 0.1, or above 0.5 if a cut turn does not end the dialogue, unless at least four of five dialogues are right.',
    ),
    judge(reading) {
      const value = reading.recent('charts/truncated');
      if (value === undefined) return undefined;
      if (value <= (isEndedByCut(reading) ? 0.1 : 0.5))
        return [
          'fine',
          say('Turns fit'),
          value < 0.005 ? say('none cut') : say('{value} cut', { value: percent(value) }),
        ];
      return isMostlyRight(reading)
        ? ['fine', say('Turns are cut'), say('{value} of dialogues; most answers are right', { value: percent(value) })]
        : ['look', say('Turns are cut'), say('{value} of dialogues: allow longer turns?', { value: percent(value) })];
    },
  },
  {
    name: say('Exploring'),
    isMain: true,
    about: say(
      'Mean entropy of the next token, in nats. Near 0 the agents try nothing new. This is normal for a team that answers correctly, but worth a look if the entropy is below 0.02 while fewer than four of five dialogues are right. Above 2 an agent is less certain than if it chose among seven equally likely tokens.',
    ),
    judge(reading) {
      const value = reading.recent('losses/entropy');
      if (value === undefined) return undefined;
      const choices = decimal(Math.exp(value), 0);
      if (value > 2)
        return [
          'look',
          say('Random talk'),
          say('entropy {value}, as for {choices} equally likely choices', { value: decimal(value), choices }),
        ];
      if (value >= 0.02) return ['fine', say('Exploring'), say('entropy {value}', { value: decimal(value) })];
      const little = say('entropy {value}:', { value: decimal(value, 3) });
      if (isMostlyRight(reading))
        return ['fine', say('Little exploration'), say('{little} this is normal after convergence', { little })];
      return ['look', say('Little exploration'), say('{little} raise the entropy bonus?', { little })];
    },
  },
  {
    name: say('Small updates'),
    isSudden: true,
    id: 'smallUpdates',
    isMain: true,
    about: say(
      'How far the updates of one iteration move the policy: KL between the sampling policy and the updated one, in nats. Worth a look if its mean over the newest iterations is above 0.01, or if it reaches 0.1 in a single iteration. PPO is often stopped at 0.01, because larger updates make learning slower and less reliable.',
    ),
    judge(reading) {
      const [value, [peak = 0]] = [reading.recent('losses/approx_kl'), reading.peaks('losses/approx_kl')];
      if (value === undefined) return undefined;
      if (peak >= 0.1)
        return [
          'look',
          say('One large update'),
          say('KL was {peak} in one iteration: lower the learning rate?', { peak: decimal(peak) }),
        ];
      return value <= 0.01
        ? ['fine', say('Small updates'), say('KL {value} per iteration', { value: decimal(value, 3) })]
        : ['look', say('Large updates'), say('KL is {value}: lower the learning rate?', { value: decimal(value, 3) })];
    },
  },
  {
    name: say('Best kept'),
    isSudden: true,
    id: 'bestKept',
    about: say(
      'Accuracy on the held-out problems, compared with the best evaluation of the run. Worth a look if the two confidence intervals do not overlap.',
    ),
    judge({ watched: { evaluations } }) {
      const last = evaluations.at(-1);
      if (!last) return undefined;
      const best = evaluations.reduce((a, b) => (b.accuracy > a.accuracy ? b : a));
      return last.high < best.low
        ? [
            'look',
            say('Below its best'),
            say('{accuracy} now, {accuracy2} at {iteration}', {
              accuracy: decimal(last.accuracy),
              accuracy2: decimal(best.accuracy),
              iteration: iterationName(best.iteration),
            }),
          ]
        : [
            'fine',
            say('Close to its best'),
            say('{accuracy}; the best was {accuracy2}', {
              accuracy: decimal(last.accuracy),
              accuracy2: decimal(best.accuracy),
            }),
          ];
    },
  },
  {
    name: say('Messages read'),
    id: 'messagesRead',
    about: say(
      'Causal influence: how much likelier, in nats per token, a turn makes the next messages of the agents that heard it. Worth a look below 0.05, because then the turns have hardly any effect on the next messages.',
    ),
    judge(reading) {
      const value = reading.recent('charts/causal_influence');
      if (value === undefined) return undefined;
      const detail = say('influence of {value} nats per token', { value: decimal(value) });
      return value >= 0.05 ? ['fine', say('Messages are read'), detail] : ['look', say('Messages not read'), detail];
    },
  },
  {
    name: say('No lazy agent'),
    id: 'nobodyLazy',
    about: say(
      'Tokens per turn of each role, and the share of empty turns. Worth a look if the turns of a role have become shorter than 70 % of their initial length, or if more than 20 % of the turns are empty.',
    ),
    judge(reading) {
      const spoken = reading.byRole('charts/tokens_per_turn');
      if (spoken.length === 0) return undefined;
      const idle = reading.byRole('charts/empty_turns').find(({ value }) => value > 0.2);
      if (idle)
        return [
          'look',
          say('{role} says nothing', { role: roleName(idle.role) }),
          say('in {value} of its turns', { value: percent(idle.value) }),
        ];
      const ofFirst = spoken.map(({ role, name, value }) => ({ role, share: value / (reading.first(name) ?? value) }));
      const [least] = ofFirst.sort((a, b) => a.share - b.share);
      if (!least || least.share >= 0.7)
        return ['fine', say('No lazy agent'), say('all roles use about as many tokens as in the first iterations')];
      return [
        'look',
        say('{role} says less', { role: roleName(least.role) }),
        say('{share} of the initial tokens per turn', { share: percent(least.share) }),
      ];
    },
  },
  {
    name: say('Own words'),
    about: say(
      'The longest sequence of words that an agent copies from a message of another agent into a turn, as a share of the turn. Planners are left out, because planners quote earlier messages. Worth a look above 0.8 if fewer than four of five dialogues are right. If more dialogues are right, the words may be the same because the agents agree on the right answer.',
    ),
    judge(reading) {
      const copied = reading.byRole('charts/copied').filter(({ role }) => role !== 'metaThinking');
      const [most] = copied.sort((a, b) => b.value - a.value);
      if (!most) return undefined;
      return most.value > 0.8 && !isMostlyRight(reading)
        ? [
            'look',
            say('{role} copies', { role: roleName(most.role) }),
            say('{value} of the words are copied', { value: percent(most.value) }),
          ]
        : ['fine', say('Own words'), say('{value} of the words are copied', { value: percent(most.value) })];
    },
  },
  {
    name: say('No repetition'),
    about: say(
      'The share of the words of a turn that end a sequence of three words which the turn already contains. Worth a look above 0.3.',
    ),
    judge(reading) {
      const [most] = reading.byRole('charts/repeated').sort((a, b) => b.value - a.value);
      if (!most) return undefined;
      const detail = say('{value} of the words are repeated', { value: percent(most.value) });
      return most.value <= 0.3
        ? ['fine', say('No repetition'), detail]
        : ['look', say('{role} repeats itself', { role: roleName(most.role) }), detail];
    },
  },
  {
    name: say('No leaks'),
    about: say(
      'Share of dialogues in which a plan contains the right answer, minus the share in which it contains the answer to another problem. Worth a look above 0.3, because the planner then solves the problem for the reasoner.',
    ),
    judge(reading) {
      const value = reading.recent('charts/leaked_answer');
      if (value === undefined) return undefined;
      return value <= 0.3
        ? ['fine', say('No leaks'), say('plans do not contain the answer')]
        : [
            'look',
            say('The plan leaks the answer'),
            say('the share of dialogues with a leaked answer is {value} above chance', { value: percent(value) }),
          ];
    },
  },
  {
    name: say('Answers first'),
    about: say('Share of dialogues that are finished before any agent has answered. Worth a look above 0.2.'),
    judge(reading) {
      const value = reading.recent('charts/unanswered');
      const { config } = reading.watched.run ?? {};
      // If no agent can end a dialogue early, a dialogue without an answer has an answer that cannot be read.
      if (value === undefined || (config && chosenProtocol(config.agents).finisher === null)) return undefined;
      return value <= 0.2
        ? ['fine', say('Answers, then finishes'), say('{value} end unanswered', { value: percent(value) })]
        : ['look', say('Finishes unanswered'), say('{value} of dialogues', { value: percent(value) })];
    },
  },
  {
    name: say('Recall'),
    id: 'recall',
    about: say(
      'Mean reward per turn from recalled notes. Worth a look if it falls below half of its highest value. Agents tend to stop recalling notes if only the answer is rewarded.',
    ),
    judge(reading) {
      const [called] = reading.byRole('rewards/calledBack');
      if (!called) return undefined;
      const most = reading.most(called.name) ?? called.value;
      return most > 0.01 && called.value < most / 2
        ? [
            'look',
            say('Recall decays'),
            say('{value}; it was {most}', { value: decimal(called.value, 3), most: decimal(most, 3) }),
          ]
        : ['fine', say('Notes are called back'), say('{value} per turn', { value: decimal(called.value, 3) })];
    },
  },
  {
    name: say('Turns of one kind'),
    about: say(
      'The share of the advantage that comes from comparing turns with different contexts: the weight of the step advantage, 1 − α, times the share of turn groups whose members have different contexts. Worth a look if this share is above 0.25.',
    ),
    judge(reading) {
      const value = reading.recent('charts/mixed_groups');
      if (value === undefined) return undefined;
      return value <= 0.25
        ? [
            'fine',
            say('Turns of one kind'),
            say('{value} of the advantage comes from turns with different contexts', { value: percent(value) }),
          ]
        : [
            'look',
            say('Mixed groups'),
            say('{value} of the advantage comes from turns with different contexts: raise “Outcome against steps α”?', {
              value: percent(value),
            }),
          ];
    },
  },
  {
    name: say('Steady gradient'),
    isSudden: true,
    id: 'steadyGradient',
    about: say(
      'Norm of the gradient before the gradient is clipped to the maximum in the settings, 1 by default. Worth a look if the norm reaches 2 in two of the newest iterations (a single batch may be unusual), or if a number in the run became infinite or undefined.',
    ),
    judge(reading) {
      if (reading.watched.failure?.name === 'NumericsError')
        return ['look', say('Not finite'), say('a number overflowed: lower the learning rate')];
      const [value, second = 0] = reading.peaks('losses/grad_norm');
      if (value === undefined) return undefined;
      return second >= 2
        ? [
            'look',
            say('Exploding gradient'),
            say('gradient norm {value}: lower the reward weights or the learning rate?', { value: decimal(value) }),
          ]
        : ['fine', say('Steady gradient'), say('norm up to {value}', { value: decimal(value) })];
    },
  },
  {
    name: say('Reward and accuracy'),
    isSudden: true,
    id: 'paidIsTrue',
    about: say(
      'Mean reward compared with accuracy. Worth a look if, since the best accuracy, the reward has risen and accuracy has fallen, each by more than two standard errors (means over ten iterations). Also worth a look if accuracy has halved while the reward has not fallen.',
    ),
    judge({ watched: { metrics } }) {
      if (metrics.drawn.length === 0) return undefined;
      const parting = partingOf(metrics.drawn);
      return parting === null
        ? ['fine', say('Right answers are paid'), say('reward and accuracy rise together')]
        : [
            'look',
            say('Paid for something else'),
            say('reward and accuracy diverge at iteration {iteration}', { iteration: parting.iteration }),
          ];
    },
  },
];

/**
 * The cards for the newest iterations: highlighted cards first, then the main ones, then the others. A property that
 * the team had from the beginning counts as a fault only after a few iterations, because training can change the
 * property in these iterations.
 */
export function healthCards(watched: HealthInputs): HealthCard[] {
  const reading = new HealthWindow(watched);
  const judged = measures().map((measure) => ({ measure, judgement: measure.judge(reading) }));
  const { run } = watched;
  // Once a main measure has a value, measures without a value are left out, because they do not apply to the run.
  const isMeasured = judged.some(({ measure, judgement }) => measure.isMain && judgement);
  return judged
    .filter(
      ({ measure, judgement }) =>
        judgement ?? (!isMeasured && measure.isMain && (!run || (measure.isOf?.(run.config) ?? true))),
    )
    .map(({ measure: { id, name, about, isMain = false, isSudden = false }, judgement }): HealthCard => {
      const isEarly = judgement?.[0] === 'look' && !isSudden && watched.metrics.newestRows.length < healthSpan;
      if (isEarly)
        return {
          name,
          title: name,
          detail: say('no verdict before iteration {healthSpan}', { healthSpan }),
          tone: 'unknown',
          about,
          isMain,
        };
      if (!judgement) return { name, title: name, detail: say('not measured yet'), tone: 'unknown', about, isMain };
      const [tone, title, detail] = judgement;
      return { name, title, detail, tone, about, isMain, lesson: id && lessonShowing(id) };
    });
}
