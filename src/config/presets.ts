// The presets: named settings from which a run can start. For each preset, this file lists the differences from the
// schema's defaults and explains when to use the preset.
import { ConfigError, type Settings } from '../base/errors.ts';
import { didYouMean } from '../base/nearest.ts';
import { spoken } from '../base/spoken.ts';
import { quoted } from '../base/quote.ts';
import { learnerFacts, type LearnerName } from './learners/registry.ts';
import { parseConfig, withSettings } from './parse.ts';
import { ownForm } from './recipe.ts';
import type { Config, ConfigInput } from './schema.ts';

interface Preset {
  label: string;
  help: string;
  settings: ConfigInput;
  /** True if the preset is not in the menu and can only be opened by a link. */
  isUnlisted?: true;
  /**
   * Present if the agents are a language model that the visitor opens: the model learns a task, or the preset follows a
   * published recipe.
   */
  model?: 'task' | 'recipe';
}

const base = parseConfig({});

const published = (name: LearnerName, settings: Settings = {}): ConfigInput =>
  withSettings({} as Config, ownForm(name, withSettings(base, settings)));

const learner = (name: LearnerName, help: string): Preset => ({
  label: learnerFacts[name].label,
  help,
  settings: published(name),
});

/** The preset of a link that does not specify one. */
export const firstPreset = 'quick';

/** Settings for fast iterations: many problems with one rollout each, and one pass over the rollouts. */
const quick = {
  learning: {
    learner: 'reinforcePlusPlus',
    ...{ problemsPerIteration: 256, groupSize: 1, normAdv: true, updateEpochs: 1, numMinibatches: 8 },
  },
  optimiser: { warmupUpdates: 0 },
} as const satisfies ConfigInput;

/**
 * Settings for a language model with one adapter for all roles: short turns, 4 problems × 8 rollouts, and one on-policy
 * update.
 */
const oneAdapter = {
  agents: {
    ...{ parameters: 'lora', adapterPer: 'run', loraRank: 8, loraAlpha: 16, temperature: 0.8 },
    ...{ stopWhenTruncated: false, maskUnfinished: false },
  },
  learning: {
    ...{ learner: 'grpo', problemsPerIteration: 4, groupSize: 8, updateEpochs: 1, numMinibatches: 1 },
    ...{ ratioLevel: 'token', aggregation: 'constant', entCoef: 0 },
  },
  kl: { place: 'off' },
  optimiser: { learningRate: 3e-4, warmupUpdates: 0, weightDecay: 0, beta2: 0.999, maxGradNorm: 1 },
  warmStart: { source: 'train', steps: 400 },
  evaluation: { problems: 36 },
  run: { iterations: 20 },
} as const satisfies ConfigInput;

/** Supervised steps on 8 demonstrations each, in which plans and results are right. */
const imitatedFirst = (modelSteps: number) => ({ modelSteps, batchSize: 8, goodPlans: 1, resultNoise: 0 }) as const;

/** Settings that the published recipes on a language model have in common; docs/recipes.md lists all deviations. */
const recipe = {
  agents: { parameters: 'lora', loraRank: 8, loraAlpha: 16, metaWindow: 48, reasonWindow: 48, temperature: 1 },
  optimiser: { learningRate: 1e-4, warmupUpdates: 0, weightDecay: 0.01, beta2: 0.999, maxGradNorm: 1 },
  warmStart: { source: 'train', ...imitatedFirst(37) },
  run: { iterations: 60 },
} as const satisfies ConfigInput;

/** The settings of both scripts of ReMA. */
const reMA = {
  ...recipe,
  world: { name: 'wordProblems' },
  learning: {
    ...{ learner: 'grpo', problemsPerIteration: 4, groupSize: 8, updateEpochs: 1, numMinibatches: 4 },
    ...{ ratioLevel: 'turn', aggregation: 'trajectory', entCoef: 0 },
  },
  kl: { place: 'off' },
} as const satisfies ConfigInput;

export const presets = {
  quick: {
    label: 'Two minds, one sum',
    help: 'Both agents see a sum. The planner alone knows the rule for the order of its operations and says what to calculate; the reasoner calculates and answers.',
    settings: quick,
  },
  // The settings on which all other presets are built; links and stored runs refer to them by this name.
  default: {
    label: 'Eight tries at a sum',
    help: 'A planner and a reasoner learn with GRPO: eight rollouts of each problem are compared with each other.',
    settings: {},
  },
  longSum: {
    label: 'Two minds, a long sum',
    help: 'Sums with four operations instead of two. At the learning rate for short sums the team improves only a little. This preset uses a sixth of that rate and keeps the team near the warm start.',
    settings: {
      ...quick,
      world: { level: 3 },
      optimiser: { ...quick.optimiser, learningRate: 5e-5 },
      kl: { place: 'loss', coef: 0.05 },
    },
  },
  tooFast: {
    label: 'Too fast',
    help: 'At a learning rate of 1e-3 the team learns less than at 3e-4, and less reliably.',
    settings: { optimiser: { learningRate: 1e-3 } },
  },
  separate: {
    label: 'Two brains',
    help: 'Each agent has its own network.',
    settings: { agents: { parameters: 'separate' } },
  },
  adapters: {
    label: 'One brain, two adapters',
    help: 'Both agents share one frozen network, and each learns a low-rank adapter for it.',
    settings: { agents: { parameters: 'lora' }, optimiser: { learningRate: 1e-3 } },
  },
  alone: {
    label: 'One agent',
    help: 'One agent sees the problem and the rule, and answers alone.',
    settings: { agents: { protocol: 'single' } },
  },
  pioneer: {
    label: 'Pioneer and observer',
    help: 'One agent answers. The other agent reads this answer and then answers too. Each agent is rewarded for both answers.',
    settings: {
      agents: { protocol: 'pioneerObserver' },
    },
  },
  debate: {
    label: 'Debate',
    help: 'Two agents answer at the same time, read each other’s answers and answer again; only one of the two knows the rule.',
    settings: {
      agents: { protocol: 'debate', count: 2 },
      reward: { across: 'mean' },
    },
  },
  vote: {
    label: 'Vote',
    help: 'Three agents that know the rule answer alone, and the most common answer is the team’s answer. A talking team must beat this baseline.',
    settings: {
      agents: { protocol: 'vote' },
      reward: { across: 'mean' },
    },
  },
  story: {
    label: 'A story and a sum',
    help: 'The planner reads a story with numbers and says what to calculate. The reasoner does not see the story; it calculates and answers.',
    settings: { world: { name: 'wordProblems' } },
  },
  algebra: {
    label: 'The unknown to be found',
    help: 'Both agents see the equations. The planner alone knows which unknown to find and says the next step; the reasoner carries out this step and answers.',
    settings: { world: { name: 'algebra' } },
  },
  entailment: {
    label: 'Two halves of a proof',
    help: 'Does a claim follow from some statements? Each agent sees half of the statements, so they must tell each other what matters. Then both answer.',
    settings: {
      world: { name: 'entailment' },
      agents: { protocol: 'debate', count: 2 },
      reward: { across: 'mean' },
    },
  },
  court: {
    label: 'Before a judge',
    help: 'Is a claim true? Each agent knows a part of the evidence, and they speak in turn. The judge, a fixed program, knows only what they said and decides. Both are rewarded if the judge is right.',
    settings: {
      world: { name: 'debate' },
      agents: { protocol: 'inTurn' },
      reward: { across: 'mean' },
    },
  },
  grid: {
    label: 'Map and walker',
    help: 'The planner has the map, which shows the treasure but no rocks, and names the steps. The reasoner walks, sees only the cells around itself, and reports. Neither can find the treasure alone.',
    settings: { world: { name: 'grid' } },
  },
  code: {
    label: 'A function from two examples',
    help: 'The planner reads in words what a small program should do and names this kind of program. The reasoner sees only two examples, which fit several programs, and writes it. Tests decide whether it is right.',
    settings: { world: { name: 'code' } },
  },
  memory: {
    label: 'A text and one note',
    help: 'Both agents see the question. The planner reads a long text piece by piece and keeps one short note. The reasoner does not see the text; it answers from the note.',
    settings: {
      world: { name: 'memory' },
      agents: { protocol: 'memoryLoop' },
      learning: { problemsPerIteration: 16 },
    },
  },
  recall: {
    label: 'Looking back',
    help: 'One agent reads a text piece by piece, recalls an old note when this note is needed, and answers from the notes.',
    settings: {
      world: { name: 'memory', level: 3 },
      agents: { protocol: 'memoryAlone' },
      learning: { problemsPerIteration: 16, outcomeShare: 0.8, groupStd: false },
      memory: { kept: 2, calledBack: 1 },
      run: { iterations: 40 },
    },
  },
  tools: {
    label: 'Planner and tool user',
    help: 'The planner reads a question about people and towns and says what to look up. The reasoner does not see the question; it calls tools, such as a search or a calculator, and answers.',
    settings: { world: { name: 'tools' } },
  },
  toolLoop: {
    label: 'Alone with tools',
    help: 'One agent reads a question, calls a tool, such as a search or a calculator, and reads the result. It may call more tools before it answers.',
    settings: { world: { name: 'tools' }, agents: { protocol: 'toolLoop' } },
  },
  passItOn: {
    model: 'task',
    label: 'Pass it on',
    help: 'One language model plays both roles in turn. As the planner it reads a secret colour and writes a message; as the reasoner it sees only the message and must name the colour.',
    settings: {
      ...oneAdapter,
      world: { name: 'passItOn' },
      agents: { ...oneAdapter.agents, protocol: 'tell', metaWindow: 14, reasonWindow: 14 },
    },
  },
  passTwoOn: {
    model: 'task',
    label: 'Pass two things on',
    help: 'As “Pass it on”, with two things: the planner must tell both colours, and the reasoner must name them in the order of the question. Both roles first imitate 64 dialogues, then learn from the answers.',
    settings: {
      ...oneAdapter,
      world: { name: 'passItOn', level: 2 },
      agents: { ...oneAdapter.agents, protocol: 'tell', metaWindow: 14, reasonWindow: 14, temperature: 1 },
      learning: { ...oneAdapter.learning, problemsPerIteration: 8, groupSize: 4 },
      warmStart: { ...oneAdapter.warmStart, ...imitatedFirst(8) },
      run: { iterations: 15 },
    },
  },
  sayTheOrder: {
    model: 'task',
    label: 'Say the order',
    help: 'A language model plays both roles: as the planner it knows in which order three runners arrived, and as the reasoner it must name them in this order. Both roles first imitate 64 dialogues, then learn from the answers.',
    settings: {
      ...oneAdapter,
      world: { name: 'sayOrder' },
      agents: { ...oneAdapter.agents, protocol: 'tell', metaWindow: 14, reasonWindow: 14, temperature: 1 },
      learning: { ...oneAdapter.learning, problemsPerIteration: 8, groupSize: 4 },
      warmStart: { ...oneAdapter.warmStart, ...imitatedFirst(8) },
      run: { iterations: 15 },
    },
  },
  countLegs: {
    model: 'task',
    label: 'Count the legs',
    help: 'A language model plays both roles: as the planner it knows an animal, and as the reasoner it must say how many legs the animal has. Both roles first imitate some dialogues, then learn from the answers.',
    settings: {
      ...oneAdapter,
      world: { name: 'legs' },
      agents: { ...oneAdapter.agents, protocol: 'tell', metaWindow: 14, reasonWindow: 8, temperature: 1 },
      warmStart: { ...oneAdapter.warmStart, ...imitatedFirst(37) },
      evaluation: { problems: 40 },
    },
  },
  followThePlan: {
    model: 'task',
    label: 'Follow the plan',
    help: 'A language model plays both roles: as the planner it reads a story and writes the calculation, and as the reasoner it calculates without the story. Both roles first imitate 296 dialogues, then learn from the answers.',
    settings: {
      ...oneAdapter,
      world: { name: 'wordProblems' },
      agents: { ...oneAdapter.agents, metaWindow: 14, reasonWindow: 8, roundLimit: 2 },
      warmStart: { ...oneAdapter.warmStart, ...imitatedFirst(37) },
    },
  },
  remaShared: {
    model: 'recipe',
    label: 'ReMA, shared parameters',
    help: 'The published script with one adapter for both roles: turn ratio, aggregation by trajectory, no KL.',
    settings: { ...reMA, agents: { ...recipe.agents, adapterPer: 'run' } },
  },
  remaSeparate: {
    model: 'recipe',
    label: 'ReMA, separate parameters',
    help: 'The published script with an adapter for each role. Only one role learns at a time; after 10 iterations, the other one does.',
    settings: { ...reMA, learning: { ...reMA.learning, switchEvery: 10 } },
  },
  maporl: {
    model: 'recipe',
    label: 'MAPoRL debate',
    help: 'Two agents answer in three rounds, each reading the other’s answers. Each has an adapter and a critic, and is rewarded for all later answers too.',
    settings: {
      ...recipe,
      world: { name: 'wordProblems' },
      agents: { ...recipe.agents, protocol: 'debate', count: 2, roundLimit: 3 },
      learning: {
        ...{ learner: 'ippo', critic: 'head', vfCoef: 0.1, problemsPerIteration: 12, groupSize: 1 },
        ...{ updateEpochs: 4, numMinibatches: 8, entCoef: 0 },
      },
      reward: { across: 'own', over: 'dense', influence: 'discounted', influenceShare: 'all', influenceGamma: 0.3 },
      kl: { place: 'reward', coef: 0.002 },
      optimiser: { ...recipe.optimiser, warmupUpdates: 10, beta2: 0.95 },
    },
  },
  coryOnModel: {
    model: 'recipe',
    label: 'CORY on a language model',
    help: 'A pioneer and an observer, each with its own adapter. They exchange roles every 5 iterations, and the KL to the model is deducted from the reward.',
    settings: {
      ...published('cory'),
      ...recipe,
      world: { name: 'wordProblems' },
      agents: { ...recipe.agents, protocol: 'pioneerObserver', swapEvery: 5 },
    },
  },
  rememr1: {
    model: 'recipe',
    label: 'ReMemR1 memory',
    help: 'One agent reads a text piece by piece, recalls an old note, and answers from its notes. Right answers and good notes are both rewarded, 0.8 to 0.2.',
    settings: {
      ...recipe,
      world: { name: 'memory', level: 3 },
      agents: { ...recipe.agents, adapterPer: 'run', protocol: 'memoryAlone' },
      learning: {
        ...{ learner: 'grpo', problemsPerIteration: 4, groupSize: 8, updateEpochs: 1, numMinibatches: 4 },
        ...{ outcomeShare: 0.8, groupStd: false, entCoef: 0 },
      },
      memory: { kept: 2, calledBack: 1 },
      kl: { place: 'loss', coef: 0.001, estimator: 'k3' },
      optimiser: { ...recipe.optimiser, warmupUpdates: 20 },
    },
  },
  grpo: learner(
    'grpo',
    'The advantages are the rewards of eight dialogues about one problem, minus their mean and divided by their standard deviation.',
  ),
  rloo: learner(
    'rloo',
    'The reward of each of four dialogues about one problem, minus the mean reward of the other three.',
  ),
  reinforcePlusPlus: learner(
    'reinforcePlusPlus',
    'The returns of all tokens in the batch are normalised together; there are no groups and no critic.',
  ),
  ppo: learner('ppo', 'A separate network predicts the return at each token from the text that the agent sees.'),
  ippo: learner('ippo', 'PPO for each agent separately: each has its own network, critic and reward.'),
  mappo: learner('mappo', 'PPO with one critic that reads all messages.'),
  happo: learner('happo', 'MAPPO with separate networks that are updated one after another.'),
  cory: {
    label: 'CORY',
    help: 'A pioneer and an observer, each with its own network. They exchange roles every 5 iterations and are kept near their warm start.',
    settings: {
      ...published('cory'),
      agents: { protocol: 'pioneerObserver', parameters: 'separate', swapEvery: 5 },
      optimiser: { learningRate: 2e-4 },
    },
  },
  dpo: learner('dpo', 'The better of two dialogues about one problem is made likelier, and the worse one less likely.'),
  sft: learner('sft', 'The team’s own dialogues with a right answer are imitated; rewards are not compared.'),
  vdn: {
    ...learner(
      'vdn',
      'A critic splits the value of a round into a sum with one value for each message. A message is credited with its own value plus the critic’s prediction error.',
    ),
    label: 'VDN + residual',
  },
  qmix: {
    ...learner(
      'qmix',
      'Like VDN, but a network combines the values of the messages. A higher value of one message never lowers the value of the round.',
    ),
    label: 'QMIX + residual',
  },
  tree: {
    label: 'AT-GRPO',
    help: 'Four candidates per turn are compared with one another, and the dialogue continues from the best candidate.',
    settings: { ...published('grpo', { 'agents.candidates': 4, 'learning.groupSize': 2 }), agents: { candidates: 4 } },
  },
  micro: {
    label: 'Micro',
    help: 'The smallest run that uses all parts of the program: for tests and slow devices.',
    isUnlisted: true,
    settings: {
      agents: { size: 'micro' },
      learning: { problemsPerIteration: 4, groupSize: 4 },
      warmStart: { source: 'train', steps: 20, batchSize: 16 },
      evaluation: { problems: 16 },
      run: { iterations: 20 },
    },
  },
} as const satisfies Record<string, Preset>;

export type PresetName = keyof typeof presets;

/** Whether a preset is about a learner. Except for `tree`, such a preset has the name of the learner. */
const isOfLearner = (name: PresetName) => name === 'tree' || Object.hasOwn(learnerFacts, name);

const modelOf = (name: PresetName): Preset['model'] => (presets[name] as Preset).model;

function groupOf(name: PresetName) {
  const { world }: ConfigInput = presets[name].settings;
  const model = modelOf(name);
  if (model) return model === 'task' ? 'Real language models' : 'Published recipes';
  return world?.name ? 'Worlds' : isOfLearner(name) ? 'Learners' : 'House rule';
}

const groupsOf = (labels: readonly string[]) =>
  labels.map((label) => ({
    label,
    names: (Object.keys(presets) as PresetName[]).filter((name) => groupOf(name) === label),
  }));

/** The presets in which a language model learns, in the order of the menu. */
export const modelGroups = groupsOf(['Real language models', 'Published recipes']);

/** The presets in the order of the menu. */
export const presetGroups = [...groupsOf(['House rule', 'Learners', 'Worlds']), ...modelGroups];

/** Whether the run needs a language model that has not been opened yet. */
export const needsModel = (preset: string, { agents }: Pick<Config, 'agents'>): boolean =>
  isPreset(preset) && modelOf(preset) !== undefined && agents.start === 'warmStart';

/** Whether a preset of this name exists. */
export const isPreset = (name: string): name is PresetName => Object.hasOwn(presets, name);

/** All settings of a preset. Throws ConfigError if there is no preset of this name. */
export function presetConfig(name: string): Config {
  if (!isPreset(name)) {
    const known = Object.keys(presets);
    const expected = spoken`preset: expected one of ${known.join(', ')}, got ${quoted(name)}.`;
    throw new ConfigError(`${expected}${didYouMean(name, known)}`);
  }
  return parseConfig(presets[name].settings);
}
