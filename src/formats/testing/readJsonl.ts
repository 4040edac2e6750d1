// Reads trajectories from JSON Lines, so that tests can compare them with the trajectories that were written.
import * as v from 'valibot';
import { trajectorySchema, type Trajectory } from '../../records/trajectory.ts';
import { renamed } from '../jsonl.ts';

interface Line extends Record<string, unknown> {
  iteration: number;
  messages: { role: string; content: string }[];
  turns: { logprobs: (number | null)[] }[];
}

const camel = (name: string) => name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());

/**
 * Reads the output of `writeJsonl`. JSON has no NaN, so the output contains null in its place. Throws if a line is not
 * a trajectory.
 */
export function readJsonl(text: string): { iteration: number; trajectory: Trajectory }[] {
  const lines = text.split('\n').filter((line) => line !== '');
  return lines.map((line) => {
    const { iteration, messages, turns, ...fields } = JSON.parse(line) as Line;
    const said = messages.filter(({ role }) => role === 'assistant');
    const read = turns.map((turn, i) => ({
      ...renamed(turn, camel),
      text: said[i]?.content,
      logprobs: turn.logprobs.map((logprob) => Math.fround(logprob ?? Number.NaN)),
    }));
    return { iteration, trajectory: v.parse(trajectorySchema, { ...renamed(fields, camel), turns: read }) };
  });
}
