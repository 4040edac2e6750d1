// Makes a world that the rollout can use from a module that follows the contract (worldModule.ts), no matter where the
// module runs. For functions that the module does not export, defaults are used. No state is stored between calls, so
// all data that a module needs later must be part of a problem or of a dialogue's state.
import { ConfigError, SandboxError } from '../../base/errors.ts';
import { asGiven } from '../../base/reason.ts';
import { Draws, randomAt, randomFrom, streams } from '../../base/random.ts';
import { spoken } from '../../base/spoken.ts';
import { partsOf } from '../../config/worlds/form.ts';
import type { Problem } from '../../records/problem.ts';
import type { Reaction } from '../../records/trajectory.ts';
import { promptText, terminated } from '../../text/chatTemplate.ts';
import { assessAnswers, type ReadAnswer } from '../answers/answers.ts';
import { demonstrateAnswers } from '../answers/demonstratedAnswers.ts';
import { splitOf } from '../splits.ts';
import { withWords } from '../inWords/inWordsFrom.ts';
import type { Assessment, Demonstrated, Split, Utterance, World } from '../world.ts';
import { formFrom, roomOf } from './about.ts';
import { mostCommonShare } from './ceiling.ts';
import { assessNewest } from './newestAnswer.ts';
import { spellingOf } from './spelling.ts';
import type {
  ChosenOptions,
  Demonstrate,
  DrawnProblem,
  JudgedMessage,
  ShownMessage,
  WorldModule,
} from './worldModule.ts';

type Rest<T extends readonly unknown[]> = T extends readonly [unknown, ...infer Others] ? Others : never;

/**
 * The maximum number of consecutive draws that give no suitable problem. If this number is reached, an error reports
 * that the module does not draw such problems.
 */
const patience = 2_000;
/**
 * The maximum number of consecutive draws that give no new problem. If this number is reached, the slice is assumed to
 * have no further held-out problems.
 */
const repeats = 50;
/** The number of problems from which the ceiling is computed if the module does not export one. */
const counted = 4_000;

/** Completes the module's judgement of a message according to the rules of the contract. */
export function answerFrom(problem: Problem, message: Utterance, judged: JudgedMessage): ReadAnswer {
  const { answer, isRight: given, score, parts = {} } = judged;
  const reason = typeof judged.reason === 'string' ? asGiven(judged.reason) : (judged.reason ?? []);
  if (given !== undefined) {
    const worth = score ?? (given ? 1 : 0);
    return { answer, isRight: given, score: worth, parts, reason, standing: worth };
  }
  const whole = message.isTruncated === true ? null : answer;
  const isRight = whole !== null && whole === problem.answer;
  const worth = isRight ? 1 : Math.min(score ?? 0, 0.99);
  return { answer: whole, isRight, score: worth, parts, reason, standing: worth };
}

/** Whether an assessment has one entry per message, and one potential more than there are messages. */
export const coversAll = ({ perTurn, potentials }: Assessment, messages: number): boolean =>
  perTurn.length === messages && potentials.length === messages + 1;

/**
 * Makes the world that a module defines. `name` is the name by which settings refer to the world. Options of the module
 * that are not in `options` are enabled. Throws ConfigError if a required part of the contract is missing in the
 * module.
 */
export function worldFrom(module: WorldModule, named = module.about.name, chosen: ChosenOptions = {}): World {
  const { about } = module;
  const form = formFrom(module, named);
  const spelling = spellingOf(module);
  if (!about.room && !module.limits)
    throw new ConfigError(spoken`${about.name}: about.room: declare the maximum lengths, or export limits.`);
  const sliceNames = Object.keys(form.slices?.words ?? {});
  const partNames = partsOf(form).map(({ name }) => name);
  const optionNames = (form.options ?? []).map(({ name }) => name);
  const options = Object.fromEntries(optionNames.map((name) => [name, chosen[name] !== false]));
  /** Only a module with options receives this argument. */
  const withOptions = (optionNames.length > 0 ? [options] : []) as [ChosenOptions];
  const randomOf = (draws: Draws) => (about.random === 'shared' ? randomFrom(draws) : randomAt(draws.below(2 ** 24)));

  const problemFrom = (
    { id, shown, hidden = {}, answer, slice = '', given = null }: DrawnProblem,
    level: number,
  ): Problem => ({
    ...{ id: id ?? JSON.stringify([shown, hidden]), world: form.name, level, shown, hidden, answer, slice, given },
  });

  /** Makes a problem from the data that the module has drawn. Throws SandboxError if the data do not match `about`. */
  function checked(drawn: DrawnProblem, level: number, by: 'draw' | 'heldOut'): Problem {
    const problem = problemFrom(drawn, level);
    const absent = form.hidden.find(({ name }) => !Object.hasOwn(problem.hidden, name));
    if (absent)
      throw new SandboxError(
        spoken`${about.name}: ${by} returns no hidden text “${absent.name}”, although such a text is declared in about.`,
      );
    if (problem.slice !== '' && !sliceNames.includes(problem.slice))
      throw new SandboxError(
        spoken`${about.name}: ${by} returns the slice “${problem.slice}”, which is not in about.slices.`,
      );
    return problem;
  }

  const drawAny = (level: number, draws: Draws, split: Split) =>
    checked(module.draw(randomOf(draws), level, split), level, 'draw');

  /**
   * One problem of a split and, if `slice` is passed, of this slice. A hash of a problem's id determines the split of
   * the problem.
   */
  function drawOf(level: number, draws: Draws, split: Split, slice?: string): Problem {
    for (let tries = 0; tries < patience; tries++) {
      const problem = drawAny(level, draws, split);
      const isOf = split === 'harder' || splitOf(problem.id) === split;
      if (isOf && (slice === undefined || problem.slice === slice)) return problem;
    }
    const what = slice === undefined ? split : spoken`${split} with the slice “${slice}”`;
    throw new SandboxError(
      spoken`${about.name}: draw returned no problem of the split ${what} in ${patience} attempts; change draw so that its problems differ more from each other.`,
    );
  }

  function heldOutDrawn(level: number, count: number): Problem[] {
    const draws = new Draws(1, streams.heldOut, level);
    const found = new Map<string, Problem>();
    const another = (slice: string | undefined): boolean => {
      for (let tries = 0; tries <= repeats; tries++) {
        const problem = drawOf(level, draws, 'heldOut', slice);
        if (found.has(problem.id)) continue;
        found.set(problem.id, problem);
        return true;
      }
      return false;
    };
    let open: (string | undefined)[] = sliceNames.length === 0 ? [undefined] : sliceNames;
    while (found.size < count && open.length > 0) open = open.filter((slice) => found.size === count || another(slice));
    return [...found.values()];
  }

  function heldOut(level: number, count: number): Problem[] {
    if (!module.heldOut) return heldOutDrawn(level, count);
    const random = randomFrom(new Draws(0, streams.heldOut, level));
    return module.heldOut(random, level, count).map((drawn) => checked(drawn, level, 'heldOut'));
  }

  const view = (problem: Problem, sees: readonly string[]) => {
    const text = module.view
      ? module.view(problem, sees)
      : spelling.joined([...sees.map((name) => problem.hidden[name] ?? ''), problem.shown]);
    return promptText(null, spelling.written(text, { where: spoken`a view`, level: problem.level, room: 'prompt' }));
  };

  function declared(parts: Readonly<Record<string, number>>, by: 'judge' | 'assess', names = partNames) {
    const foreign = Object.keys(parts).find((name) => !names.includes(name));
    if (foreign !== undefined)
      throw new SandboxError(
        spoken`${about.name}: ${by} returns a reward for “${foreign}”, which is not in about.parts.`,
      );
  }
  /**
   * The reward parts that `judge` may give to a message. The parts for the right answer and for finishing are excluded,
   * because they depend on the end of the dialogue.
   */
  const judgedParts = [...form.parts.map(({ name }) => name), 'format'];

  async function readTurn(problem: Problem, message: Utterance): Promise<ReadAnswer> {
    const judged = await module.judge(problem, spelling.heard(message));
    declared(judged.parts ?? {}, 'judge', judgedParts);
    return answerFrom(problem, message, judged);
  }

  const assess: World['assess'] = async (problem, messages, protocol, isOver = true) => {
    if (module.assess) {
      const heard = messages.map(spelling.heardWhole);
      const found = await module.assess(problem, heard, protocol, isOver, ...withOptions);
      for (const { parts } of found.perTurn) declared(parts, 'assess');
      if (coversAll(found, messages.length)) return found;
      throw new SandboxError(
        spoken`${about.name}: assess returns ${found.perTurn.length} turns and ${found.potentials.length} potentials for ${messages.length} messages; return one turn for each message, and one more potential than messages.`,
      );
    }
    const turns = new Map<Utterance, ReadAnswer>();
    for (const message of messages) turns.set(message, await readTurn(problem, message));
    const read = (_: Problem, message: Utterance) => turns.get(message) as ReadAnswer;
    return protocol.hasSteps
      ? assessNewest(problem, messages, { read: (message) => read(problem, message), isOver })
      : assessAnswers(problem, messages, protocol, { read, start: 0, isOver, kind: 'answer' });
  };

  const reactionOf = (given: Partial<Reaction>, level: number): Reaction => {
    const reaction = { ...given, state: given.state ?? null };
    const { observation } = reaction;
    if (!observation) return reaction;
    if (!module.limits && roomOf(about, level)?.observation === undefined)
      throw new SandboxError(
        spoken`${about.name}: an observation is shown, but about.room.observation is missing; set it to the maximum length of an observation.`,
      );
    const text = spelling.written(observation.text, { where: spoken`an observation`, level });
    return { ...reaction, observation: { ...observation, text } };
  };

  const ceilings = new Map<string, number>();
  /**
   * The ceiling that the module defines. If the module defines no ceiling, the ceiling is computed from random
   * problems. It is then the accuracy of an agent that gives the most common right answer for the texts that the agent
   * sees.
   */
  const ceiling = (level: number, sees: readonly string[]): number => {
    if (!module.ceiling && form.hidden.every(({ name }) => sees.includes(name))) return 1;
    const key = JSON.stringify([level, sees]);
    const known = ceilings.get(key);
    if (known !== undefined) return known;
    const found = module.ceiling ? module.ceiling(level, sees) : countedCeiling(level, sees);
    ceilings.set(key, found);
    return found;
  };
  const countedCeiling = (level: number, sees: readonly string[]): number => {
    const draws = new Draws(2, streams.heldOut, level);
    return mostCommonShare(
      Array.from({ length: counted }, () => drawAny(level, draws, 'training')),
      sees,
    );
  };

  const limits: World['limits'] = (level, protocol) => {
    if (module.limits) return module.limits(level, protocol);
    const room = roomOf(about, level);
    if (!room)
      throw new ConfigError(spoken`${about.name}: about.room: there is no entry for level ${level}; declare one.`);
    const { prompt, turn, observation, rounds } = room;
    return {
      roundLimit: protocol.hasSteps ? rounds : protocol.rounds,
      windows: protocol.roles.map(() => turn + 1),
      promptWindow: prompt + 2,
      ...(observation !== undefined && { observationWindow: observation }),
    };
  };

  /**
   * Demonstrations for a module that does not export `demonstrate`. The answers in them are either right, or the right
   * answers of other problems.
   */
  const demonstrateDrawn = (draws: Draws, ...how: Rest<Parameters<Demonstrate>>): readonly ShownMessage[] => {
    const judge = (one: Problem, message: Utterance): ReadAnswer => {
      const judged = module.judge(one, spelling.heard(message));
      if (judged instanceof Promise)
        throw new ConfigError(
          spoken`${about.name}: demonstrations cannot be made automatically, because judge is asynchronous; export a function demonstrate.`,
        );
      return answerFrom(one, message, judged);
    };
    const solve = (one: Problem, _: unknown, { isGood }: { isGood: boolean }) => {
      const { answer } = isGood ? one : drawAny(one.level, draws, 'training');
      return spelling.written(answer, { where: spoken`an answer`, level: one.level, room: 'turn' });
    };
    return demonstrateAnswers({ judge, solve }, draws, ...how);
  };

  const demonstrate: World['demonstrate'] = (problem, draws, how, protocol) => {
    if (!module.demonstrate && protocol.hasSteps)
      throw new ConfigError(
        spoken`${about.name}: demonstrations are required for dialogues that proceed in steps; export a function demonstrate, or choose a team of one agent.`,
      );
    const { level } = problem;
    const messages =
      module.demonstrate?.(randomOf(draws), problem, how, protocol) ?? demonstrateDrawn(draws, problem, how, protocol);
    const agents = protocol.roles.length;
    const rounds = roomOf(about, level)?.rounds ?? Infinity;
    const stranger = messages.find(({ agent, round = 0 }) => agent >= agents || round >= rounds);
    if (stranger)
      throw new SandboxError(
        spoken`${about.name}: demonstrate returned a turn of agent ${stranger.agent} in round ${stranger.round ?? 0}; agents are numbered 0 to ${agents - 1}, and rounds 0 to ${rounds - 1}, according to about.room.rounds.`,
      );
    return messages.map(({ agent, round = 0, text, isFinish = false, score, maskedFor }): Demonstrated => {
      const written = spelling.written(text, { where: spoken`a demonstration`, level, room: 'turn' });
      return {
        ...{ agent, round, message: terminated({ text: written, isFinish }) },
        ...(score !== undefined && { score }),
        ...(maskedFor && { maskedFor: [...maskedFor] }),
      };
    });
  };

  const { open, react, read, isPlain, bestGuess, most } = module;
  const world: World = {
    ...form,
    tokenizers: spelling.tokenizers,
    splits: ['training', 'heldOut', ...(about.hasHarder ? (['harder'] as const) : [])],
    draw: (level, draws, split) => (module.heldOut ? drawAny(level, draws, split) : drawOf(level, draws, split)),
    ...{ heldOut, ceiling, view, limits, demonstrate, assess },
    ...(bestGuess && { bestGuess }),
    ...(most && { most: (level, split) => most(level, split, options) }),
    ...(read && { read: (typed, level) => problemFrom(read(typed, level), level) }),
    ...(isPlain && { isPlain }),
    judge: async (problem, message) => {
      const { answer, isRight, score } = await readTurn(problem, message);
      return { answer, isRight, score };
    },
    ...(open && { open: async (problem) => reactionOf(await open(problem), problem.level) }),
    ...(react && {
      react: async (problem, state, message) =>
        reactionOf(await react(problem, state, spelling.heard(message), ...withOptions), problem.level),
    }),
  };
  const variants = new Map([[JSON.stringify(options), world]]);
  const under: World['under'] = (given) => {
    const isOn = Object.fromEntries(optionNames.map((name) => [name, given[name] !== false]));
    const key = JSON.stringify(isOn);
    const variant = variants.get(key) ?? worldFrom(module, named, isOn);
    variants.set(key, variant);
    return variant;
  };
  return optionNames.length > 0 ? Object.assign(world, { under }) : world;
}

/**
 * The world of a visitor's module, which agents can also talk about in plain words. The words of built-in worlds are
 * loaded when they are needed (registry.ts).
 */
export const visitorsWorld = (module: WorldModule, named?: string): World =>
  withWords(worldFrom(module, named), { ...module, ...module.about });
