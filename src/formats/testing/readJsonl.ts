// Reads trajectories from JSON Lines, so that tests can compare them with the trajectories that were written.
import * as v from 'valibot';
import { trajectorySchema, type Trajectory } from '../../records/trajectory.ts';
import { trajectoryFields } from '../jsonl.ts';

type Line = Parameters<typeof trajectoryFields>[0] & { iteration: number };

/** Reads the output of `writeJsonl`. Throws if a line is not a trajectory. */
export function readJsonl(text: string): { iteration: number; trajectory: Trajectory }[] {
  const lines = text.split('\n').filter((line) => line !== '');
  return lines.map((line) => {
    const fields = JSON.parse(line) as Line;
    return { iteration: fields.iteration, trajectory: v.parse(trajectorySchema, trajectoryFields(fields)) };
  });
}
