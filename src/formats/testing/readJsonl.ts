// Reads trajectories back from JSON Lines: that nothing is lost in them is what tests ask.
import * as v from 'valibot';
import { FormatError } from '../../base/errors.ts';
import { whole } from '../../records/problem.ts';
import { jsonTrajectorySchema, type Trajectory } from '../../records/trajectory.ts';
import { renamed, snake } from '../jsonl.ts';

export interface JsonlTrajectory {
  iteration: number;
  trajectory: Trajectory;
}

const camel = (name: string) => name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());

/** Reads what `writeJsonl` wrote; empty lines are skipped. Throws FormatError with the line and the field. */
export function readJsonl(text: string): JsonlTrajectory[] {
  return text
    .split('\n')
    .flatMap((line, i) => (line.trim() === '' ? [] : [inLine(i + 1, () => readLine(JSON.parse(line)))]));
}

/** Runs `read`; what is wrong is told with the number of its line. */
function inLine<T>(number: number, read: () => T): T {
  try {
    return read();
  } catch (cause) {
    if (cause instanceof FormatError) throw new FormatError(`line ${number}: ${cause.message}`);
    if (!(cause instanceof SyntaxError)) throw cause;
    throw new FormatError(`line ${number}: expected JSON, got something else (${cause.message}).`);
  }
}

const messages = v.array(v.object({ role: v.string(), content: v.string() }));
const chat = v.object({ iteration: whole, messages, turns: v.array(v.looseObject({})) });

function readLine(json: unknown): JsonlTrajectory {
  const line = checked(chat, json);
  const said = line.messages.filter(({ role }) => role === 'assistant');
  const expectEach = (what: string, expected: number, got: number) => {
    if (expected !== got) throw new FormatError(`${what}: expected ${expected}, one for each, got ${got}.`);
  };
  expectEach('assistant messages', line.turns.length, said.length);
  const turns = line.turns.map((turn, i) => ({ ...renamed(turn, camel), text: said[i]?.content }));
  const trajectory = checked(jsonTrajectorySchema, { ...renamed(json, camel), turns });
  trajectory.turns.forEach((turn, i) => {
    expectEach(`turns.${i}.logprobs`, turn.tokens.length, turn.logprobs.length);
    turn.logprobs = turn.logprobs.map(Math.fround);
  });
  return { iteration: line.iteration, trajectory };
}

function checked<T>(schema: v.GenericSchema<unknown, T>, json: unknown): T {
  const parsed = v.safeParse(schema, json);
  if (parsed.success) return parsed.output;
  const [issue] = parsed.issues;
  const field = snake(v.getDotPath(issue) ?? 'the whole line');
  throw new FormatError(`${field}: expected ${issue.expected ?? 'less'}, got ${issue.received}.`);
}
