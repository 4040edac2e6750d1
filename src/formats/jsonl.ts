// Trajectories as JSON Lines of chat messages, one trajectory per line. So a run can be written iteration by iteration,
// and any program that reads chat data can read it. The hidden texts come first, each as a `system` message with its
// own name, followed by the question (`user`) and the world's opening observation. Each turn is an `assistant` message
// whose `name` is the agent's role. The world's observations are `tool` messages. The messages are followed by the
// fields of the schema (records/trajectory.ts), named_like_this; the text of a turn is in its message, and its reason
// is English text.
// Log-probabilities are float32 numbers, written with nine digits, from which the same float32 can be read.
import { reasonInEnglish } from '../base/spoken.ts';
import type { KeptBranch } from '../records/stored/keptBranch.ts';
import type { Reaction, Trajectory } from '../records/trajectory.ts';

type Fields = Record<string, unknown>;
/** A record with every field renamed. */
export const renamed = (record: unknown, rename: (name: string) => string): Fields =>
  Object.fromEntries(Object.entries(record ?? {}).map(([name, value]) => [rename(name), value]));
/** The name in snake case: `promptTexts` as `prompt_texts`. */
const snake = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

const short = (logprob: number) => (Number.isFinite(logprob) ? Number(logprob.toPrecision(9)) : null);

/** Writes dialogues to a file of any kind, one iteration at a time, in consecutive chunks. */
export interface TrajectoryWriter {
  add(iteration: number, trajectories: readonly Trajectory[]): Uint8Array<ArrayBuffer>;
  end(): Uint8Array<ArrayBuffer>;
}

/** The lines of one iteration, with a line break after the last, so that chunks can simply be concatenated. */
export function writeJsonl(iteration: number, trajectories: readonly Trajectory[]): string {
  return trajectories.map((trajectory) => `${JSON.stringify(toLine(iteration, trajectory))}\n`).join('');
}

/**
 * A kept dialogue as two lines, first in its original form and then with its changes. Both lines have the same name in
 * their field `tried`, which links them.
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

export interface JsonlMessage {
  role: 'system' | 'user' | 'assistant' | 'tool';
  /** The name of the hidden text, the role of the speaker, or the source of the world's observation. */
  name?: string;
  content: string;
}

/** A dialogue as messages, in speaking order. */
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

/** The world's observation as a message; no message if there was no observation. */
const observed = (reaction: Reaction | undefined): JsonlMessage[] =>
  reaction?.observation
    ? [{ role: 'tool', name: reaction.observation.source, content: reaction.observation.text }]
    : [];
