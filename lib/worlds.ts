// `cothink/worlds`: problems with verifiable answers, and dialogues about them. This part needs no network and no GPU.
import { reasonInEnglish } from '../src/base/spoken.ts';
import { Draws, streams } from '../src/base/random.ts';
import { worldNames, type WorldName } from '../src/config/worlds/registry.ts';
import type { Problem as DrawnProblem } from '../src/records/problem.ts';
import { playTrial } from '../src/rollout/trial.ts';
import { checkWorld, loadWorlds, openWorld as openOwn, worlds } from '../src/tasks/registry.ts';
import type { Split, World } from '../src/tasks/world.ts';
import { completeSettings, inWorld, type Settings } from './settings.ts';

export * from './errors.ts';
export { Draws, worldNames };
export type { Answer, Assessment, Split, TurnAssessment, Utterance, World } from '../src/tasks/world.ts';
export type { Settings, WorldName };

/** One question with a checkable answer, as plain data. */
export interface Problem extends DrawnProblem {}

/** Loads a built-in world. The code of each world is a file of its own, which is loaded only if it is needed. */
export async function openWorld(name: WorldName): Promise<World> {
  await loadWorlds([name]);
  return worlds[name];
}

/**
 * Makes a world from the text of a module, as the page's editor does. The module runs in a sandbox without access to
 * files or the network. Throws SandboxError if the module cannot be run, and ConfigError if it does not define a world.
 */
export async function worldFromCode(source: string): Promise<World> {
  return openOwn(await checkWorld({ kind: 'module', source }));
}

/** Draws one problem. The same world, seed, level and split always give the same problem. */
export function drawProblem(
  world: World,
  { seed, level = 1, split = 'training' }: { seed: number; level?: number; split?: Split },
): Problem {
  return world.draw(level, new Draws(seed, streams.problems, level), split);
}

/** A message of an agent. `isFinish` is true if the message also ends the dialogue, which only some agents may do. */
export interface Message {
  text: string;
  isFinish: boolean;
}

/** A message in a dialogue, with its judgement by the world. */
export interface PlayedTurn extends Message {
  /** The speaker: its number, and its role. */
  agent: number;
  role: string;
  /** Whether the message used up its window of tokens. */
  isTruncated: boolean;
  /** The parts of the reward by name, and the reason for them in English. */
  parts: Readonly<Record<string, number>>;
  reason: string;
  /** Only for an answer: whether it is right, and its score in [0, 1]. */
  isRight?: boolean;
  score?: number;
  /** The text with which the world responds, if it does. */
  observation?: string;
}

/** A dialogue about a problem, as far as its messages are given. */
export interface Dialogue {
  /** The role of each agent, and the text with which its context begins. */
  agents: { role: string; prompt: string }[];
  turns: PlayedTurn[];
  /**
   * The agent that speaks next, what it has read, and whether its message may end the dialogue; null once the dialogue is
   * over.
   */
  awaited: { agent: number; heard: string; mayFinish: boolean } | null;
  /** The answer of the team so far, and whether it is right. */
  answer: string | null;
  isRight: boolean;
}

/**
 * Plays a dialogue from its start with the given messages of each agent, in the order of its turns. The turns are run by
 * the function that runs them in training. If a message is missing, `awaited` says which agent speaks next and what it has
 * read, and the dialogue can be played again with its message added. `settings` selects the protocol; by default a planner
 * and a reasoner talk. Throws FormatError for a word that the vocabulary of the world does not contain.
 */
export async function play(
  world: World,
  problem: Problem,
  said: readonly (readonly Message[])[],
  settings: Settings = {},
): Promise<Dialogue> {
  const config = completeSettings({ settings: inWorld(settings, world.name, problem.level) });
  const { seats, turns, awaited, answer, isRight } = await playTrial({ world, config, problem, said });
  return {
    agents: seats,
    turns: turns.map(({ parts, reason, observation, ...turn }) => ({
      ...turn,
      parts: Object.fromEntries(Object.entries(parts).map(([name, value]) => [name, value ?? 0])),
      reason: reasonInEnglish(reason),
      ...(observation && { observation: observation.text }),
    })),
    ...{ awaited, answer, isRight },
  };
}
