// Trajectories as JSON Lines of chat messages, one trajectory per line. The lines can be written iteration by
// iteration, and any program that reads chat data can read them. The hidden texts come first, each as a `system`
// message with its own name, followed by the question (`user`) and the world's opening observation. Each turn is an
// `assistant` message whose `name` is the agent's role. The world's observations are `tool` messages. After the
// messages, a line contains the fields of the schema (records/trajectory.ts), with names in snake case. The text of a
// turn is only in its message. The reason for the score of a turn is written as English text. Log-probabilities are
// float32 numbers, written with nine digits, which are enough to restore exactly the same float32.
import { reasonInEnglish } from '../base/spoken.ts';
import type { KeptBranch } from '../records/stored/keptBranch.ts';
import type { Reaction, Trajectory } from '../records/trajectory.ts';

type Fields = Record<string, unknown>;
/** A copy of a record in which `rename` is applied to the name of every field. */
const renamed = (record: unknown, rename: (name: string) => string): Fields =>
  Object.fromEntries(Object.entries(record ?? {}).map(([name, value]) => [rename(name), value]));
/** Converts a name to snake case: `promptTexts` becomes `prompt_texts`. */
const snake = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
const camel = (name: string) => name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());

const short = (logprob: number) => (Number.isFinite(logprob) ? Number(logprob.toPrecision(9)) : null);

/**
 * Writes dialogues in one of the file formats, one iteration at a time. Each call returns the next bytes of the file.
 */
export interface TrajectoryWriter {
  add(iteration: number, trajectories: readonly Trajectory[]): Uint8Array<ArrayBuffer>;
  end(): Uint8Array<ArrayBuffer>;
}

/** The lines of one iteration, with a line break after the last, so that chunks can simply be concatenated. */
export function writeJsonl(iteration: number, trajectories: readonly Trajectory[]): string {
  return trajectories.map((trajectory) => `${JSON.stringify(toLine(iteration, trajectory))}\n`).join('');
}

/**
 * A dialogue that the visitor changed and stored, as two lines: first the original dialogue, then the changed one. Both
 * lines contain the same name in the field `tried`, so that they can be matched.
 */
export function writeBranch({ name, changes, left, right }: KeptBranch): string {
  return (
    [
      { side: 'left', ...left },
      { side: 'right', ...right },
    ] as const
  )
    .map(({ side, seats, hidden, trajectory }) => {
      const tried = {
        name,
        side,
        changes: side === 'right' ? changes : [],
        hidden,
        seats: seats.map((seat) => renamed(seat, snake)),
      };
      return `${JSON.stringify({ ...toLine(0, trajectory), id: `${name}-${side}`, tried })}\n`;
    })
    .join('');
}

function toLine(iteration: number, { turns, ...trajectory }: Trajectory): Fields {
  const { index, problem } = trajectory;
  return {
    id: `${iteration}-${index}`,
    iteration,
    ...renamed(trajectory, snake),
    messages: chatMessages({ problem, turns, opening: trajectory.opening }),
    turns: turns.map(({ text: _, logprobs, ...turn }) => ({
      ...renamed({ ...turn, reason: reasonInEnglish(turn.reason) }, snake),
      logprobs: logprobs.map(short),
    })),
  };
}

/** The parts of a line from which a trajectory is restored. */
interface TrajectoryLine extends Fields {
  messages: readonly { role?: unknown; content?: unknown }[];
  turns: readonly { logprobs?: unknown }[];
}

/**
 * The fields of a trajectory that a line contains, not yet checked against the schema (records/trajectory.ts). JSON has
 * no NaN, so null in the log-probabilities is read as NaN.
 */
export function trajectoryFields({ messages, turns, ...fields }: TrajectoryLine): Fields {
  const said = messages.filter(({ role }) => role === 'assistant');
  const read = turns.map((turn, i) => ({
    ...renamed(turn, camel),
    text: said[i]?.content,
    logprobs: Array.isArray(turn.logprobs)
      ? turn.logprobs.map((logprob: unknown) => (logprob === null ? Number.NaN : Math.fround(Number(logprob))))
      : turn.logprobs,
  }));
  return { ...renamed(fields, camel), turns: read };
}

export interface JsonlMessage {
  role: 'system' | 'user' | 'assistant' | 'tool';
  /**
   * The name of the message. For a hidden text, this is the name of the text; for a turn, the role of the agent; and
   * for an observation, its source.
   */
  name?: string;
  content: string;
}

/** The messages of a dialogue, in the order in which they were sent. */
export const chatMessages = ({
  problem,
  turns,
  opening,
}: Pick<Trajectory, 'problem' | 'turns'> & { opening?: Reaction | undefined }): JsonlMessage[] => [
  ...Object.entries(problem.hidden).map(([name, content]) => ({ role: 'system' as const, name, content })),
  { role: 'user', content: problem.shown },
  ...observed(opening),
  ...turns.flatMap(({ role, text, reaction }) => [
    { role: 'assistant' as const, name: role, content: text },
    ...observed(reaction),
  ]),
];

/** A list with the world's observation as a message; the list is empty if there was no observation. */
const observed = (reaction: Reaction | undefined): JsonlMessage[] =>
  reaction?.observation
    ? [{ role: 'tool', name: reaction.observation.source, content: reaction.observation.text }]
    : [];
