// Trajectories as JSON Lines of chat messages: one trajectory per line, so a run can be written iteration by iteration
// and read by anything that reads chat data. Each hidden text comes first, as `system` under its name, then the
// question, `user`, and the world's opening observation; each turn is an `assistant` whose `name` is its role. The
// world's observations are `tool` messages. The fields of the schema (records/trajectory.ts) follow the messages,
// named_like_this; a turn's text is its message. Log-probabilities are float32 numbers, written with the nine digits
// that give the same float32 back.
import type { KeptBranch } from '../records/stored/keptBranch.ts';
import type { Reaction, Trajectory } from '../records/trajectory.ts';

type Fields = Record<string, unknown>;
/** A record with every field renamed. */
export const renamed = (record: unknown, rename: (name: string) => string): Fields =>
  Object.fromEntries(Object.entries(record ?? {}).map(([name, value]) => [rename(name), value]));
/** `promptTexts` as `prompt_texts`. */
const snake = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

const short = (logprob: number) => (Number.isFinite(logprob) ? Number(logprob.toPrecision(9)) : null);

/** Dialogues as a file of any kind, written one iteration at a time in consecutive chunks. */
export interface TrajectoryWriter {
  add(iteration: number, trajectories: readonly Trajectory[]): Uint8Array<ArrayBuffer>;
  end(): Uint8Array<ArrayBuffer>;
}

/** The lines of one iteration, with a line break after the last: chunks may simply be concatenated. */
export function writeJsonl(iteration: number, trajectories: readonly Trajectory[]): string {
  return trajectories.map((trajectory) => `${JSON.stringify(toLine(iteration, trajectory))}\n`).join('');
}

/**
 * A kept dialogue in its original form, then with its changes: two lines as above, with `tried`, whose shared name
 * links them.
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
    turns: turns.map(({ text: _, logprobs, ...turn }) => ({ ...renamed(turn, snake), logprobs: logprobs.map(short) })),
  };
}

export interface JsonlMessage {
  role: 'system' | 'user' | 'assistant' | 'tool';
  /** The name of a hidden text, the role that speaks, or the source of the world's observation. */
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

/** The world's observation as a message; none if there was none. */
const observed = (reaction: Reaction | undefined): JsonlMessage[] =>
  reaction?.observation
    ? [{ role: 'tool', name: reaction.observation.source, content: reaction.observation.text }]
    : [];
