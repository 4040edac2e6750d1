// The rewards of completions for external trainers. A request contains a problem, either as in the exported
// trajectories or typed, and texts that answer it. Each text is parsed as the single turn of one agent and verified by
// the world as in training.
import { setImmediate } from 'node:timers/promises';
import * as v from 'valibot';
import { reasonInEnglish } from '../../../base/spoken.ts';
import { ConfigError, isNamedError, WorldError } from '../../../base/errors.ts';
import { parseConfig } from '../../../config/parse.ts';
import { soloProtocol } from '../../../config/protocols/registry.ts';
import { partsOf } from '../../../config/worlds/form.ts';
import { worldNames } from '../../../config/worlds/registry.ts';
import { problemSchema, type Problem } from '../../../records/problem.ts';
import { protocolOf } from '../../../records/protocol.ts';
import { worlds } from '../../../tasks/registry.ts';
import type { World } from '../../../tasks/world.ts';
import { readTerminated } from '../../../text/chatTemplate.ts';
import { LeftError, read, refuseUnread } from '../../../../cli/serve/http.ts';

const most = { completions: 1024, signs: 20_000 };
/** Number of completions after which other requests are handled. */
const atOnce = 16;

const text = v.pipe(v.string('a text'), v.maxLength(most.signs, `at most ${most.signs} characters`));
const weight = v.pipe(v.number('a number'), v.finite('a finite number'));
/** `world` and `level` are required if the problem is typed; a complete problem contains its own world and level. */
const askedForm = v.object({
  world: v.exactOptional(v.string('a text')),
  level: v.exactOptional(v.pipe(v.number('a whole number'), v.safeInteger('a whole number'))),
  problem: v.looseObject({ shown: text, hidden: v.record(v.string('a text'), text, 'texts by name') }, 'a problem'),
  completions: v.pipe(
    v.array(text, 'a list of texts'),
    v.maxLength(most.completions, `at most ${most.completions} completions`),
  ),
  weights: v.exactOptional(v.record(v.string('a text'), weight, 'weights by the names of parts'), { rightAnswer: 1 }),
});
type Asked = v.InferOutput<typeof askedForm>;

export interface Rewarded {
  /** The weighted sum of the reward parts for each completion. */
  rewards: number[];
  /** The reasons, in words. */
  why: string[];
  /** The answer that each completion gives; null if it gives none. */
  answers: (string | null)[];
  isRight: boolean[];
  /** The parts of each completion's reward that the world gives, in [0, 1], by name. */
  parts: Readonly<Record<string, number>>[];
}

/**
 * Answers `POST /reward`. `opened` is the world that this server serves, which may not be a built-in one. Throws named
 * errors for invalid requests, and LeftError if no client waits any more.
 */
export async function rewardsFor(body: unknown, opened: World | null, left?: AbortSignal): Promise<Rewarded> {
  const asked = read(askedForm, body);
  refuseUnread(body as object, askedForm.entries);
  const world = worldFor(asked, opened);
  const names = partsOf(world).map(({ name }) => name);
  for (const name of Object.keys(asked.weights))
    if (!names.includes(name))
      throw new ConfigError(`weights.${name}: there is no such part of the reward; use one of ${names.join(', ')}.`);
  if (world.protocols && !world.protocols.includes(soloProtocol))
    throw new ConfigError(
      `world: problems of ${world.name} are not answered in one turn; serve this world with --world, and use /reset and /step.`,
    );
  const problem = await reading(world, () => Promise.resolve(problemOf(asked, world)));
  const protocol = protocolOf(parseConfig({ agents: { protocol: soloProtocol } }).agents, world);
  const role = protocol.roles[0] ?? 'reasoning';
  const rewarded: Rewarded = { rewards: [], why: [], answers: [], isRight: [], parts: [] };
  for (const [i, completion] of asked.completions.entries()) {
    // After every few completions, other requests are handled, and a disconnected client is noticed.
    if (i % atOnce === atOnce - 1) await setImmediate();
    if (left?.aborted) throw new LeftError();
    // External trainers omit the terminator, so a text without one counts as complete.
    const spoken = { ...readTerminated(completion), isTruncated: false, role, agent: 0 };
    const { perTurn, answer, isRight } = await reading(world, () => world.assess(problem, [spoken], protocol));
    const { parts = {}, reason = [] } = perTurn[0] ?? {};
    rewarded.rewards.push(Object.entries(asked.weights).reduce((sum, [name, by]) => sum + by * (parts[name] ?? 0), 0));
    rewarded.why.push(reasonInEnglish(reason));
    rewarded.answers.push(answer);
    rewarded.isRight.push(isRight);
    rewarded.parts.push(parts);
  }
  return rewarded;
}

/** The requested world. Throws ConfigError if the world in the request is not known here. */
function worldFor({ world, problem }: Asked, opened: World | null): World {
  const own = typeof problem['world'] === 'string' ? problem['world'] : undefined;
  if (world !== undefined && own !== undefined && world !== own)
    throw new ConfigError(`world: expected the world of the problem, ${own.slice(0, 60)}, got ${world.slice(0, 60)}.`);
  const name = own ?? world;
  const found = worldNames.find((one) => one === name);
  if (found) return worlds[found];
  if (opened && opened.name === name) return opened;
  const known = [...worldNames, ...(opened && !worldNames.some((one) => one === opened.name) ? [opened.name] : [])];
  throw new ConfigError(`world: expected one of ${known.join(', ')}, got ${name?.slice(0, 60) ?? 'nothing'}.`);
}

/** The problem that was sent in full, or is parsed from a typed text. Throws ConfigError and FormatError. */
export function problemOf({ problem, level }: Pick<Asked, 'problem'> & { level?: number }, world: World): Problem {
  if ('answer' in problem) {
    const whole = read(v.object({ problem: problemSchema }), { problem }).problem;
    if (level !== undefined && level !== whole.level)
      throw new ConfigError(`level: expected the level of the problem, ${whole.level}, got ${level}.`);
    levelIn(world, whole.level);
    return whole;
  }
  if (!world.read)
    throw new ConfigError(`problem: ${world.name} cannot read a typed problem; send a complete problem of this world.`);
  return world.read(problem, levelIn(world, level ?? 1));
}

function levelIn({ levels, name }: World, level: number): number {
  if (levels.some((one) => one.level === level)) return level;
  throw new ConfigError(`level: expected a level from 1 to ${levels.length} of the world ${name}, got ${level}.`);
}

/** Parses a problem from outside. If the world cannot read the problem, throws an error that says so. */
export async function reading<T>({ name }: World, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (isNamedError(error)) throw error;
    throw new WorldError(
      `problem: ${name} cannot read this problem (${(error as Error).message}); send a complete problem that this world has drawn.`,
    );
  }
}
