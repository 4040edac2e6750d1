// The four methods of a world that may take long, as remote calls. Their arguments and results are plain data. The
// server keeps no state between calls, so a trainer may repeat calls and may fork and resume runs.
import * as v from 'valibot';
import { ConfigError, isNamedError, WorldError } from '../../../src/base/errors.ts';
import { type Reason } from '../../../src/base/reason.ts';
import { reasonInEnglish } from '../../../src/base/spoken.ts';
import { sha256 } from '../../../src/base/sha256.ts';
import { roles } from '../../../src/records/ids.ts';
import { problemSchema } from '../../../src/records/problem.ts';
import type { Protocol } from '../../../src/records/protocol.ts';
import type { Answer, Utterance, World } from '../../../src/tasks/world.ts';
import { read } from '../http.ts';

export const calls = ['open', 'react', 'judge', 'assess'] as const;
export type WorldCall = (typeof calls)[number];

const text = v.pipe(v.string('a text'), v.maxLength(20_000, 'at most 20000 characters'));
const agents = v.array(v.number());
const spoken = v.object({
  role: v.picklist(roles, 'a role'),
  agent: v.exactOptional(v.number()),
  text,
  isFinish: v.boolean(),
  isTruncated: v.exactOptional(v.boolean()),
  belief: v.exactOptional(v.number()),
  reaction: v.exactOptional(
    v.object({ state: v.unknown(), observation: v.exactOptional(v.any()), isOver: v.exactOptional(v.boolean()) }),
  ),
});
/** The properties of a protocol that worlds read. */
const protocolForm = v.looseObject({
  name: v.string(),
  roles: v.array(v.picklist(roles)),
  sees: v.array(v.array(v.string())),
  round: v.array(agents),
  answerFrom: v.union([v.number(), v.literal('majority')]),
  messengers: agents,
});
const forms = {
  open: v.object({ problem: problemSchema }),
  react: v.object({ problem: problemSchema, state: v.unknown(), message: spoken }),
  judge: v.object({ problem: problemSchema, message: spoken }),
  assess: v.object({
    problem: problemSchema,
    messages: v.pipe(v.array(spoken), v.maxLength(256, 'at most 256 messages')),
    protocol: protocolForm,
    isOver: v.exactOptional(v.boolean()),
  }),
} as const;

/**
 * The world's answer to a call. Throws ConfigError for an invalid call, WorldError for data that the world cannot read.
 */
export async function answerQuestion(world: World, call: string, given: unknown): Promise<unknown> {
  const known = calls.find((one) => one === call);
  if (!known)
    throw new ConfigError(`call: expected one of ${calls.join(', ')}, got ${JSON.stringify(call.slice(0, 40))}.`);
  const body = read(forms[known], given);
  if (body.problem.world !== world.name)
    throw new ConfigError(
      `problem.world: expected ${world.name}, the world that is served, got ${body.problem.world.slice(0, 60)}.`,
    );
  try {
    return await asked(world, known, body);
  } catch (error) {
    if (isNamedError(error)) throw error;
    throw new WorldError(
      `${call}: the request is not valid for the world ${world.name} (${(error as Error).message}).`,
    );
  }
}

type Body = v.InferOutput<(typeof forms)[WorldCall]>;

/** Replaces a reason by its English text, because the internal form of reasons is not part of the interface. */
const plain = <T extends { reason?: Reason }>(judged: T) =>
  judged.reason ? { ...judged, reason: reasonInEnglish(judged.reason) } : judged;

async function asked(world: World, call: WorldCall, body: Body): Promise<unknown> {
  const { problem, state, message, messages, protocol, isOver } = body as v.InferOutput<typeof forms.react> &
    v.InferOutput<typeof forms.assess>;
  switch (call) {
    case 'open':
      return (await world.open?.(problem)) ?? { state: null };
    case 'react':
      return (await world.react?.(problem, state, message as Utterance)) ?? { state };
    case 'judge':
      return plain<Answer & { reason?: Reason }>(await world.judge(problem, message as Utterance));
    case 'assess': {
      const found = await world.assess(problem, messages as Utterance[], protocol as unknown as Protocol, isOver);
      return { ...found, perTurn: found.perTurn.map(plain) };
    }
  }
}

/**
 * A digest that distinguishes a world from others with the same name. The digest is computed from the held-out problems
 * and the levels of the world, and from the options that are enabled in a run.
 */
export function worldDigest(world: World, options: unknown): string {
  const problems = world.levels.map(({ level }) => world.heldOut(level, 4));
  return sha256(JSON.stringify([world.name, problems, options ?? null]));
}
