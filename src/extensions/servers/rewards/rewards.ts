// The rewards of completions for external trainers. A request contains a problem, either in the format of exported
// trajectories or as typed text, and completions that answer it. Each completion is read as the single turn of one
// agent, and the world judges it as in training.
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
/** After this many completions, other requests are handled before the next completion. */
const atOnce = 16;

const text = v.pipe(v.string('a text'), v.maxLength(most.signs, `at most ${most.signs} characters`));
const weight = v.pipe(v.number('a number'), v.finite('a finite number'));
/**
 * `world` and `level` are required for a problem that is given as typed text. A complete problem contains its own world
 * and level.
 */
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
  /** For each completion, the weighted sum of the reward parts. */
  rewards: number[];
  /** The reasons, in words. */
  why: string[];
  /** For each completion, the answer that it contains; null if there is no answer. */
  answers: (string | null)[];
  isRight: boolean[];
  /** For each completion, the parts of the reward from 0 to 1, by name. */
  parts: Readonly<Record<string, number>>[];
}

/**
 * Answers `POST /reward`. `opened` contains the worlds that this server serves, which may have been written by visitors.
 * Throws named errors for invalid requests, and LeftError if the client no longer waits.
 */
export async function rewardsFor(body: unknown, opened: readonly World[] = [], left?: AbortSignal): Promise<Rewarded> {
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
    // After several completions, lets Node handle other requests and notice whether the client has disconnected.
    if (i % atOnce === atOnce - 1) await setImmediate();
    if (left?.aborted) throw new LeftError();
    // External trainers leave out the token that ends a turn, so a text without this token counts as complete.
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

/** The world of a request. Throws ConfigError if this server does not have this world. */
function worldFor({ world, problem }: Asked, opened: readonly World[]): World {
  const own = typeof problem['world'] === 'string' ? problem['world'] : undefined;
  if (world !== undefined && own !== undefined && world !== own)
    throw new ConfigError(`world: expected the world of the problem, ${own.slice(0, 60)}, got ${world.slice(0, 60)}.`);
  const name = own ?? world;
  const found = worldNames.find((one) => one === name);
  if (found) return worlds[found];
  const served = opened.find((one) => one.name === name);
  if (served) return served;
  const known = [...new Set<string>([...worldNames, ...opened.map((one) => one.name)])];
  throw new ConfigError(`world: expected one of ${known.join(', ')}, got ${name?.slice(0, 60) ?? 'nothing'}.`);
}

/** The problem of a request, which is complete or given as typed text. Throws ConfigError and FormatError. */
export function problemOf({ problem, level }: Pick<Asked, 'problem'> & { level?: number }, world: World): Problem {
  if ('answer' in problem) {
    const whole = read(v.object({ problem: problemSchema }), { problem }).problem;
    if (level !== undefined && level !== whole.level)
      throw new ConfigError(`level: expected the level of the problem, ${whole.level}, got ${level}.`);
    levelIn(world, whole.level);
    return whole;
  }
  if (!world.read)
    throw new ConfigError(
      `problem: problems of the world ${world.name} cannot be given as text; send a complete problem of this world.`,
    );
  return world.read(problem, levelIn(world, level ?? 1));
}

function levelIn({ levels, name }: World, level: number): number {
  if (levels.some((one) => one.level === level)) return level;
  throw new ConfigError(`level: expected a level from 1 to ${levels.length} of the world ${name}, got ${level}.`);
}

/**
 * Runs a function of a world on data from a client. If the world cannot read the problem, throws an error that says so.
 */
export async function reading<T>({ name }: World, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (isNamedError(error)) throw error;
    throw new WorldError(
      `problem: this problem is not valid in the world ${name} (${(error as Error).message}); send a complete problem that was drawn from this world.`,
    );
  }
}
