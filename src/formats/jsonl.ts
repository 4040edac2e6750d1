// Trajectories as JSON Lines of chat messages: one trajectory a line, so a run can be written iteration by iteration
// and read by anything that reads chat data. First comes each hidden text, as `system` under its name, then the question,
// `user`; each turn is an `assistant` whose `name` is its role, and what the world shows of it is a `tool`. Beside the
// messages stand the fields of the schema (records/trajectory.ts), named_like_this; a turn's text is its message.
// Log-probabilities are float32 numbers, written with the nine digits that give the same float32 back.
import * as v from 'valibot';
import { FormatError } from '../base/errors.ts';
import { whole } from '../records/problem.ts';
import { jsonTrajectorySchema, type Trajectory } from '../records/trajectory.ts';

export interface JsonlTrajectory {
  iteration: number;
  trajectory: Trajectory;
}

type Fields = Record<string, unknown>;
const renamed = (record: unknown, rename: (name: string) => string): Fields =>
  Object.fromEntries(Object.entries(record ?? {}).map(([name, value]) => [rename(name), value]));
const snake = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
const camel = (name: string) => name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());

const short = (logprob: number) => (Number.isFinite(logprob) ? Number(logprob.toPrecision(9)) : null);

/** The lines of one iteration, the last one ended too: chunks may simply be put one after the other. */
export function writeJsonl(iteration: number, trajectories: readonly Trajectory[]): string {
  return trajectories.map((trajectory) => `${JSON.stringify(toLine(iteration, trajectory))}\n`).join('');
}

function toLine(iteration: number, { turns, ...trajectory }: Trajectory): Fields {
  const { index, problem } = trajectory;
  return {
    id: `${iteration}-${index}`,
    iteration,
    ...renamed(trajectory, snake),
    messages: [
      ...Object.entries(problem.hidden).map(([name, content]) => ({ role: 'system', name, content })),
      { role: 'user', content: problem.shown },
      ...turns.flatMap(({ role, text, reaction }) => [
        { role: 'assistant', name: role, content: text },
        ...(reaction?.observation
          ? [{ role: 'tool', name: reaction.observation.source, content: reaction.observation.text }]
          : []),
      ]),
    ],
    turns: turns.map(({ text: _, logprobs, ...turn }) => ({ ...renamed(turn, snake), logprobs: logprobs.map(short) })),
  };
}

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
