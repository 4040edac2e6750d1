// Writes the problems of each iteration and of the evaluation as chats, with the settings, so that TRL can train a rung as
// Cothink does.
import { Draws, streams } from '../../src/base/random.ts';
import type { Settings } from '../../src/base/errors.ts';
import { withSettings } from '../../src/config/parse.ts';
import { presetConfig } from '../../src/config/presets.ts';
import type { Config } from '../../src/config/schema.ts';
import { colours } from '../../src/extensions/worlds/passItOn/form.ts';
import type { Problem } from '../../src/records/problem.ts';
import { protocolOf } from '../../src/records/protocol.ts';
import type { ChatMessage } from '../../src/records/stored/modelCard.ts';
import { promptsAround, speakerAt } from '../../src/tasks/inWords/worldInWords.ts';
import { loadWords, worldOf } from '../../src/tasks/registry.ts';
import type { HeardInWords } from '../../src/tasks/world.ts';

/** A problem in the words that each role reads. */
interface TaskProblem {
  planner: ChatMessage[];
  /** Contains the placeholder where the planner's message is read. */
  reasoner: ChatMessage[];
  answer: string;
}

export interface TrlTask {
  /** [iteration][problem] */
  training: TaskProblem[][];
  heldOut: TaskProblem[];
  placeholder: string;
  /** All words that can be an answer. */
  words: readonly string[];
  /** The token that ends a turn. */
  end: string;
  /** The maximum number of tokens of a turn. */
  window: number;
  groupSize: number;
  temperature: number;
  rank: number;
  alpha: number;
  learningRate: number;
  beta2: number;
  maxGradNorm: number;
  /** Where TRL writes its own files. */
  folder: string;
}

/** The task of the preset Pass it on. The problems of each iteration are those of a run of Cothink with the same seed. */
export async function trlTask(settings: Settings, iterations: number, folder: string): Promise<TrlTask> {
  const config = withSettings(presetConfig('passItOn'), settings);
  await loadWords(config);
  const world = worldOf(config);
  const inWords = inTwoRoles(config);
  const { agents, learning, optimiser } = config;
  const training = Array.from({ length: iterations }, (_, at) => {
    const draws = new Draws(config.run.seed, streams.problems, at);
    return Array.from({ length: learning.problemsPerIteration }, () =>
      inWords(world.draw(config.world.level, draws, 'training')),
    );
  });
  return {
    training,
    heldOut: world.heldOut(config.world.level, config.evaluation.problems).map(inWords),
    ...{ placeholder, words: colours, end: '<|im_end|>', folder },
    ...{ window: agents.reasonWindow, temperature: agents.temperature, groupSize: learning.groupSize },
    ...{ rank: agents.loraRank, alpha: agents.loraAlpha },
    ...{ learningRate: optimiser.learningRate, beta2: optimiser.beta2, maxGradNorm: optimiser.maxGradNorm },
  };
}

const placeholder = '<<message>>';

/** Returns the function that writes a problem in the words of planner and reasoner. */
function inTwoRoles(config: Config): (problem: Problem) => TaskProblem {
  const world = worldOf(config);
  const { inWords } = world;
  if (!inWords) throw new Error(`the world ${config.world.name} has no words`);
  const protocol = protocolOf(config.agents, world);
  const around = promptsAround(config, world);
  const message: HeardInWords = { role: 'metaThinking', agent: 0, isOwn: false, text: placeholder };
  const chatOf = (problem: Problem, agent: number, heard: readonly HeardInWords[]) =>
    inWords.chat(problem, { ...speakerAt(protocol, agent), heard }, around);
  return (problem) => ({
    ...{ planner: chatOf(problem, 0, []), reasoner: chatOf(problem, 1, [message]) },
    answer: problem.answer,
  });
}
