// Tables that give, for each setting of Cothink, its counterpart in another trainer, or the reason why there is no
// counterpart. Each settings file of a trainer has one table, whose keys are settings or sections of Cothink. The
// settings file and the list in the README are generated from the table. In other trainers a completion is the last
// turn of one agent, so a ratio per turn becomes a ratio per sequence. The entries that follow from this are the same
// for all trainers and are in this file.
import { describeFields, type Field } from '../../src/config/describe.ts';
import { soloProtocol } from '../../src/config/protocols/registry.ts';
import { factsOf } from '../../src/config/learners/registry.ts';
import { canMatter } from '../../src/config/matters.ts';
import { isSameValue } from '../../src/config/parse.ts';
import { valueAt, type Config } from '../../src/config/schema.ts';
import { worldSections } from '../../src/config/worlds/registry.ts';

/** The facts about a run that are needed to write its settings for another trainer. */
export interface Recipe {
  config: Config;
  /** Maximum number of tokens of a completion, and of a prompt. */
  window: number;
  promptWindow: number;
  /** Number of prompts. */
  prompts: number;
}

export type CounterpartValue = string | number | boolean | readonly (string | number)[];
interface Found {
  /** Settings in the other trainer. */
  sets?: Readonly<Record<string, CounterpartValue>>;
  /** The part of the folder that contains the setting, if the setting is not in the settings file. */
  keptIn?: string;
  lost?: string;
}
type Say = (recipe: Recipe, field: Field) => Found;

/** The table's entries, by setting, or by section for settings that have no entry of their own. */
export type CounterpartTable = Readonly<Record<string, Say>>;

/** The entry for a setting that is written together with another setting, or that the trainer does not need. */
export const nothing: Say = () => ({});
export const keptIn =
  (file: string): Say =>
  () => ({ keptIn: file });
export const lost =
  (why: string): Say =>
  () => ({ lost: why });
/**
 * The entry for a setting without a counterpart. If the setting has its default value, the feature is off and nothing
 * is lost; any other value is reported as lost.
 */
export const off =
  (why: string): Say =>
  ({ config }, field) =>
    isSameValue(valueAt(config, field.path), field.fallback) ? {} : { lost: why };
export const sets =
  (make: (recipe: Recipe) => Readonly<Record<string, CounterpartValue>>): Say =>
  (recipe) => ({ sets: make(recipe) });
/** The entry for a setting whose counterpart depends on the configuration; `of` may return an empty object. */
export const sometimes =
  (of: (config: Config) => Found): Say =>
  (recipe) =>
    of(recipe.config);

/** Number of completions per prompt. There are at least two if the trainer compares the completions of a prompt. */
export const groupOf = (config: Config, compares: boolean) => Math.max(compares ? 2 : 1, config.learning.groupSize);
/**
 * Number of prompts per optimiser step, chosen so that a step uses as many completions as in the run. The result is at
 * most the number of available prompts.
 */
export function promptsAStep({ config, prompts }: Recipe, compares: boolean): number {
  const { problemsPerIteration, groupSize, numMinibatches } = config.learning;
  const asked = (problemsPerIteration * groupSize) / groupOf(config, compares);
  return Math.max(1, Math.floor(Math.min(asked, prompts) / numMinibatches));
}
/** Sets the other trainer's setting `name` to the number of completions per prompt. */
export const groups = (config: Config, compares: boolean, name: string): Found => ({
  sets: { [name]: groupOf(config, compares) },
  ...(groupOf(config, compares) > config.learning.groupSize && {
    lost: 'completions of the same prompt are compared, so each prompt gets 2 completions and there are fewer prompts',
  }),
});

/** The remark that another learner, `by`, is used instead of the run's learner. */
export const otherLearner = (config: Config, by: string) => `${by} is used instead of ${factsOf(config).label}`;

const others = 'only one network learns, and only from one turn; the earlier messages are fixed text in the prompts';

/**
 * The settings that have the same counterpart in all trainers, because a completion is always one turn of one agent.
 */
export const ofOneTurn: CounterpartTable = {
  world: keptIn('the prompts'),
  'world.raiseAt': off('there is no curriculum; the prompts come from the run'),
  agents: keptIn('the prompts'),
  'agents.protocol': sometimes(({ agents }) => (agents.protocol === soloProtocol ? {} : { lost: others })),
  'agents.swapEvery': off(others),
  'agents.start': keptIn('the model'),
  'agents.otherStart': keptIn('the model'),
  'agents.size': keptIn('the model'),
  'agents.otherSize': keptIn('the model'),
  'agents.otherVocabulary': keptIn('the model'),
  'agents.candidates': off('there are no trees of turns'),
  reward: keptIn('reward.json'),
  'reward.length': off('the served world does not report it'),
  'reward.overlong': off('the reward function does not know the window of a completion'),
  'reward.overlongShare': off('the reward function does not know the window of a completion'),
  'reward.across': lost('an agent is rewarded for its own answer'),
  'reward.over': off('a completion is rewarded as a whole'),
  'reward.gammaTurn': off('a completion is one turn'),
  'reward.shaping': off('a completion is one turn'),
  ...Object.fromEntries(
    [
      'influence',
      'influenceShare',
      'influenceGamma',
      'influenceAlpha0',
      'influenceAlpha1',
      'influenceBeta0',
      'influenceBeta1',
      'umadConfidence',
      'umadInfluence',
      'causal',
    ].map((name) => [`reward.${name}`, off('no other agent reads a completion')]),
  ),
  ...Object.fromEntries(Object.keys(worldSections).map((name) => [name, keptIn('reward.json')])),
  verifier: off('no verifier is trained; POST /verify uses the verifier of the run'),
  learning: off('it belongs to a learner or a critic that is not used here'),
  'learning.turnMean': off('the mean of a turn is geometric'),
  'learning.groupKey': nothing,
  'learning.outcomeShare': off('a completion is one turn'),
  'learning.livingEntropy': off('the entropy bonus applies everywhere'),
  'learning.switchEvery': off(others),
  'learning.switchOver': off(others),
  'learning.startAgent': off(others),
  'learning.frozen': off(others),
  'kl.targetKl': off('epochs are not ended early'),
  'optimiser.method': off('AdamW also updates the matrices'),
  'optimiser.muonRate': lost('AdamW also updates the matrices'),
  warmStart: keptIn('the model'),
  'evaluation.problems': lost('evaluation uses problems of the run that were held out'),
  'evaluation.everywhere': off('cothink eval --beside everywhere measures it'),
  'evaluation.creditDraws': off('no other agent reads a completion'),
  'run.backend': nothing,
  'run.capture': nothing,
  'run.untilConverged': sometimes(({ run }) =>
    run.untilConverged ? { lost: 'a run that has converged is not stopped' } : {},
  ),
  'run.guard': sometimes(({ run }) => (run.guard ? { lost: 'a run that collapses is not stopped' } : {})),
};

/** The table's entry for a setting, or for its section if the setting has no entry. */
export const entryOf = (table: CounterpartTable, { path, section }: Pick<Field, 'path' | 'section'>) =>
  table[path] ?? table[section];

export interface Counterparts {
  /** Settings of the other trainer by name, in the order of the corresponding settings of Cothink. */
  sets: Readonly<Record<string, CounterpartValue>>;
  /** Each setting of the run that has an effect, with its value and its counterpart. */
  rows: readonly ({ path: string; value: unknown } & Found)[];
}

/** The counterparts of a run's settings according to one table. */
export function counterpartsOf(recipe: Recipe, table: CounterpartTable): Counterparts {
  const rows = describeFields()
    .filter((field) => canMatter(field, recipe.config))
    .map((field) => {
      const { path } = field;
      return { path, value: valueAt(recipe.config, path), ...entryOf(table, field)?.(recipe, field) };
    });
  return { sets: Object.assign({}, ...rows.map((row) => row.sets ?? {})) as Counterparts['sets'], rows };
}
