// A world that a visitor wrote: a module that runs in the sandbox and has access only to its arguments. The complete
// interface of a world is built here from `about`, `draw` and `judge`. `view`, `open`, `react`, `demonstrate` and
// `ceiling` are used too if the module has them. No state is kept between calls, so anything that must persist is part
// of a problem or of a state.
import * as v from 'valibot';
import { ConfigError, SandboxError } from '../../base/errors.ts';
import { Draws, streams } from '../../base/random.ts';
import { asGiven } from '../../base/reason.ts';
import { spoken } from '../../base/spoken.ts';
import type { Problem } from '../../records/problem.ts';
import type { Reaction } from '../../records/trajectory.ts';
import { promptText, terminated } from '../../text/chatTemplate.ts';
import { tokenizerJsonOf } from '../../text/lexicon.ts';
import { assessAnswers, type ReadAnswer } from '../answers/answers.ts';
import { demonstrateAnswers } from '../answers/demonstratedAnswers.ts';
import { splitOf } from '../splits.ts';
import type { Utterance, Split, World } from '../world.ts';
import { mostCommonShare } from './ceiling.ts';
import { drawnSchema, formOfModule, judgedSchema, reactionSchema, saidSchema, WorldModule } from './module.ts';
import { assessNewest } from './newestAnswer.ts';

/**
 * Number of consecutive draws without a suitable problem. After these, an error reports that the module does not draw
 * such problems.
 */
const patience = 2_000;
/**
 * Number of consecutive draws that repeat known problems. After these, no further held-out problem of the slice is
 * expected.
 */
const repeats = 50;
/** Number of problems from which a ceiling is computed if the module does not define one. */
const counted = 4_000;

/**
 * The world that a module defines, under the name by which settings refer to it. Throws SandboxError if the text cannot
 * be run, ConfigError if it is not a world.
 */
export async function customWorld(source: string, named?: string): Promise<World> {
  const module = await WorldModule.open(source);
  const { about } = module;
  const form = formOfModule(about, named);
  const plain = ({ role, agent, text, isFinish, isTruncated = false }: Utterance) => ({
    ...{ role, agent: agent ?? 0, text: text.trim(), isFinish, isTruncated },
  });
  const sliceNames = Object.keys(about.slices);

  function drawAny(level: number, draws: Draws, split: Split): Problem {
    const drawn = module.draw('draw', drawnSchema, draws, level, split);
    const absent = Object.keys(about.hidden).find((name) => !Object.hasOwn(drawn.hidden, name));
    if (absent !== undefined)
      throw new SandboxError(spoken`${about.name}: draw returns no hidden text “${absent}”, which about declares.`);
    if (drawn.slice !== '' && !Object.hasOwn(about.slices, drawn.slice))
      throw new SandboxError(
        spoken`${about.name}: draw returns the slice “${drawn.slice}”, which about.slices does not name.`,
      );
    return { id: JSON.stringify([drawn.shown, drawn.hidden]), world: form.name, level, ...drawn };
  }

  /** One problem of a split and, if a slice is given, of that slice. */
  function draw(level: number, draws: Draws, split: Split, slice?: string): Problem {
    for (let tries = 0; tries < patience; tries++) {
      const problem = drawAny(level, draws, split);
      const isOf = split === 'harder' || splitOf(problem.id) === split;
      if (isOf && (slice === undefined || problem.slice === slice)) return problem;
    }
    const what = slice === undefined ? split : spoken`${split} problem of the slice “${slice}”`;
    throw new SandboxError(
      spoken`${about.name}: draw returns no ${what} in ${patience} attempts; make it draw more different problems.`,
    );
  }

  function heldOut(level: number, count: number): Problem[] {
    const draws = new Draws(1, streams.heldOut, level);
    const found = new Map<string, Problem>();
    const another = (slice: string | undefined): boolean => {
      for (let tries = 0; tries <= repeats; tries++) {
        const problem = draw(level, draws, 'heldOut', slice);
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

  const view = (problem: Problem, sees: readonly string[]) => {
    const words = module.has('view')
      ? module.ask('view', v.string(), problem, sees)
      : [...sees.map((name) => problem.hidden[name] ?? ''), problem.shown].join(' ');
    return promptText(null, module.written(words, spoken`a view`, 'prompt'));
  };

  const judgeTurn = (problem: Problem, message: Utterance): ReadAnswer => {
    const { answer, score, parts, reason } = module.ask('judge', judgedSchema, problem, plain(message));
    const foreign = Object.keys(parts).find((name) => !Object.hasOwn(about.parts, name) && name !== 'format');
    if (foreign !== undefined)
      throw new SandboxError(spoken`${about.name}: judge pays for “${foreign}”, which about.parts does not name.`);
    const given = message.isTruncated === true ? null : answer;
    const isRight = given !== null && given === problem.answer;
    const worth = isRight ? 1 : Math.min(score ?? 0, 0.99);
    return { answer: given, isRight, score: worth, parts, reason: asGiven(reason), standing: worth };
  };

  const reactionOf = ({ observation, ...rest }: v.InferOutput<typeof reactionSchema>): Reaction => {
    if (observation && about.room.observation === undefined)
      throw new SandboxError(
        spoken`${about.name}: an observation is shown, but about.room.observation reserves no room for one; declare it there.`,
      );
    return {
      state: rest.state,
      ...(rest.isOver !== undefined && { isOver: rest.isOver }),
      ...(observation && {
        observation: {
          ...{ source: observation.source, text: module.written(observation.text, spoken`an observation`) },
          ...(observation.readers && { readers: observation.readers }),
        },
      }),
    };
  };

  const ceilings = new Map<string, number>();
  /**
   * The ceiling as the module defines it. Otherwise it is counted over random problems, as the share of the most common
   * answer for each view.
   */
  const ceiling = (level: number, sees: readonly string[]): number => {
    if (module.has('ceiling'))
      return module.ask('ceiling', v.pipe(v.number(), v.minValue(0), v.maxValue(1)), level, sees);
    if (form.hidden.every(({ name }) => sees.includes(name))) return 1;
    const key = JSON.stringify([level, sees]);
    const known = ceilings.get(key);
    if (known !== undefined) return known;
    const draws = new Draws(2, streams.heldOut, level);
    const problems = Array.from({ length: counted }, () => drawAny(level, draws, 'training'));
    const most = mostCommonShare(problems, sees);
    ceilings.set(key, most);
    return most;
  };

  /** Answers for a module without demonstrations: right answers, and answers to other problems. */
  const answerer = {
    judge: judgeTurn,
    solve: (problem: Problem, draws: Draws, { isGood }: { isGood: boolean }) =>
      module.written(
        isGood ? problem.answer : drawAny(problem.level, draws, 'training').answer,
        spoken`an answer`,
        'turn',
      ),
  };

  return {
    ...form,
    tokenizers: {
      words: tokenizerJsonOf(
        about.words.map((word) => ` ${word}`),
        ' [^ <]+|.',
      ),
    },
    splits: ['training', 'heldOut', ...(about.hasHarder ? (['harder'] as const) : [])],
    draw: (level, draws, split) => draw(level, draws, split),
    ...{ heldOut, ceiling, view },
    limits: (_, { roles, hasSteps, rounds: usual }) => {
      const { prompt, turn, observation, rounds } = about.room;
      return {
        ...{ roundLimit: hasSteps ? rounds : usual, windows: roles.map(() => turn + 1), promptWindow: prompt + 2 },
        ...(observation !== undefined && { observationWindow: observation }),
      };
    },
    demonstrate: (problem, draws, options, protocol) => {
      if (!module.has('demonstrate')) {
        if (!protocol.hasSteps) return demonstrateAnswers(answerer, problem, draws, options, protocol);
        throw new ConfigError(
          spoken`${about.name}: a dialogue in steps needs a demonstration; export a function demonstrate, or choose one agent.`,
        );
      }
      const { name, roles, sees } = protocol;
      const said = module.draw('demonstrate', saidSchema, draws, problem, options, { name, roles, sees });
      const { rounds } = about.room;
      const stranger = said.find(({ agent, round }) => agent >= roles.length || round >= rounds);
      if (stranger)
        throw new SandboxError(
          spoken`${about.name}: demonstrate returns a turn of agent ${stranger.agent} in round ${stranger.round}; agents are numbered 0 to ${roles.length - 1}, and rounds 0 to ${rounds - 1} by about.room.rounds.`,
        );
      return said.map(({ agent, round, text, isFinish }) => ({
        ...{
          agent,
          round,
          message: terminated({ text: module.written(text, spoken`a demonstration`, 'turn'), isFinish }),
        },
      }));
    },
    judge: (problem, message) => promised(() => judgeTurn(problem, message)),
    assess: (problem, messages, protocol, isOver = true) =>
      promised(() =>
        protocol.hasSteps
          ? assessNewest(problem, messages, { read: (message) => judgeTurn(problem, message), isOver })
          : assessAnswers(problem, messages, protocol, { read: judgeTurn, start: 0, isOver, kind: 'answer' }),
      ),
    ...(module.has('open') && {
      open: (problem) => promised(() => reactionOf(module.ask('open', reactionSchema, problem))),
    }),
    ...(module.has('react') && {
      react: (problem, state, message) =>
        promised(() => reactionOf(module.ask('react', reactionSchema, problem, state, plain(message)))),
    }),
  };
}

/** A synchronous result as a promise; if the function throws, the promise rejects. */
const promised = <T>(work: () => T): Promise<T> => new Promise((resolve) => resolve(work()));
