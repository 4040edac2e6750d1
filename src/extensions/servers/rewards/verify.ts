// `POST /verify`: the scores that the verifier of a stored run gives to completions.
import * as v from 'valibot';
import { ConfigError } from '../../../base/errors.ts';
import { agentId } from '../../../records/ids.ts';
import type { Turn } from '../../../records/trajectory.ts';
import { readTerminated } from '../../../text/chatTemplate.ts';
import type { Tokenizer } from '../../../text/tokenizer.ts';
import { encoded } from '../../../rollout/trial.ts';
import type { Session } from '../../../training/run/session.ts';
import type { Team } from '../../../training/team/team.ts';
import { answerRow, scoreAnswers } from '../../../training/verifier/verifier.ts';
import { inTime, read, refuseUnread, RequestError } from '../../../../cli/serve/http.ts';
import { problemOf, reading } from './rewards.ts';

const most = { completions: 256, signs: 2_000, turns: 32 };
const text = v.pipe(v.string('a text'), v.maxLength(most.signs, `at most ${most.signs} characters`));
const askedForm = v.object({
  level: v.exactOptional(v.pipe(v.number('a whole number'), v.safeInteger('a whole number'))),
  problem: v.looseObject({ shown: text, hidden: v.record(v.string('a text'), text, 'texts by name') }, 'a problem'),
  /** Each completion is either an answer, or a list of the turns of a dialogue in order. */
  completions: v.pipe(
    v.array(
      v.union(
        [text, v.pipe(v.array(text), v.minLength(1), v.maxLength(most.turns))],
        'a text, or the texts of 1 to 32 turns',
      ),
      'a list',
    ),
    v.maxLength(most.completions, `at most ${most.completions} completions`),
  ),
});

/**
 * For each completion, the probability from 0 to 1 that it is right. Throws RequestError if the run has no verifier,
 * and named errors for invalid requests.
 */
export async function beliefsIn(body: unknown, session: Session | null): Promise<{ beliefs: number[] }> {
  const { verifier, team, gate } = session?.trainState ?? {};
  if (!verifier || !team || !gate)
    throw new RequestError(
      404,
      'no verifier is served; start cothink serve with a run that trains one (verifier.isTrained).',
    );
  const rows = await rowsAsked(body, team);
  return { beliefs: rows.length > 0 ? [...(await scoreAnswers(verifier.network, rows, gate))] : [] };
}

/**
 * The rows of tokens that the verifier reads, one for each completion. Throws named errors for invalid requests, and
 * RequestError if this takes too long.
 */
export async function rowsAsked(body: unknown, team: Team): Promise<ReturnType<typeof answerRow>[]> {
  const asked = read(askedForm, body);
  refuseUnread(body as object, askedForm.entries);
  const { world } = team;
  const problem = await reading(world, () => Promise.resolve(problemOf(asked, world)));
  if (problem.world !== world.name)
    throw new ConfigError(
      `problem.world: expected ${world.name}, the world of the verifier, got ${problem.world.slice(0, 60)}.`,
    );
  const rowOf = (completion: string | string[]) => {
    const turns = [completion].flat().map((said, at, { length }) => turnOf(team, said, { at, length }));
    const row = answerRow({ problem, turns }, turns.at(-1) as Turn, team);
    if (row.tokens.length > team.shape.maxPositions)
      throw new ConfigError(
        `completions: expected at most ${team.shape.maxPositions} tokens including the problem, got ${row.tokens.length}.`,
      );
    return row;
  };
  // There is a time limit, because the run may use the tokenizer of an external model, which may be slow.
  return inTime(() => asked.completions.map(rowOf));
}

/** A turn of a dialogue in a request. A plain text is a turn of the agent that gives the answer. */
function turnOf(
  { protocol, tokenizers, tokenizer }: Team,
  said: string,
  { at, length }: { at: number; length: number },
): Turn {
  const order = protocol.round.flat();
  const answers = protocol.answerFrom === 'majority' ? (order.at(-1) ?? 0) : protocol.answerFrom;
  const agent = length === 1 ? answers : (order[at % order.length] as number);
  const { text: words, isFinish } = readTerminated(said);
  const own: Tokenizer = tokenizers[agent] ?? tokenizer;
  const role = protocol.roles[agent] as Turn['role'];
  return {
    ...{
      index: at,
      round: Math.floor(at / order.length),
      agent: agentId(agent),
      role,
      logprobs: [],
      isTruncated: false,
      isFinish,
    },
    ...{ text: words, tokens: encoded(own, { text: words, isFinish }, `turn ${at + 1}`) },
    ...{ parts: {}, reason: [], reward: 0 },
  };
}
