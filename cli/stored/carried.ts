// Functions that several kinds of `cothink export` have in common.
import { ConfigError } from '../../src/base/errors.ts';
import { writtenTrajectories } from '../../src/formats/trajectories/writtenTrajectories.ts';
import { isOneFile, takenModel, type TakenAs } from '../../src/formats/merged/takenModel.ts';
import type { TrajectoryFile } from '../../src/records/trajectory.ts';
import { adaptersTakenAway } from '../../src/training/history/takenAway.ts';
import type { Session } from '../../src/training/run/session.ts';
import type { CommandArguments } from '../command.ts';
import { replacing, writePieces, writeSynced } from '../files.ts';
import type { Write } from './carrier.ts';
import { inSession, readyFor, type Stored } from './openStored.ts';

/** Opens the run in a session of its own and runs `work` with it. */
export async function ofSession(
  stored: Stored,
  given: CommandArguments,
  work: (session: Session) => Promise<void>,
): Promise<void> {
  await readyFor(stored, given);
  await inSession(stored, work);
}

/** Writes an agent based on an external model, in pieces. */
export async function writeTaken(
  stored: Stored,
  given: CommandArguments,
  { file, as }: { file: string; as: () => Promise<TakenAs> },
): Promise<void> {
  await ofSession(stored, given, async (session) => {
    const wanted = await as();
    const agent = await adaptersTakenAway(session, given.whole('agent') ?? 0);
    if (wanted.as === 'gguf' && !isOneFile(agent, wanted) && !/\.zip$/i.test(file))
      throw new ConfigError(
        `--out: this agent has an adapter for each of ${agent.turns.length} turns, so its models are written as a zip; use --out FILE.zip.`,
      );
    await replacing(file, (part) => writeSynced(part, takenModel(agent, wanted)));
  });
}

/** The requested number type of the weights; by default, the first one in `known`. */
export const typeOf = <T extends string>(given: CommandArguments, known: readonly [T, ...T[]]): T =>
  given.oneOf('type', known) ?? known[0];

/** Makes a function that writes the trajectories of a run, one iteration at a time. */
export function trajectoriesIn(as: TrajectoryFile): Write {
  return async ({ archived, run }, _, name) => {
    const file = await writtenTrajectories(as, run);
    await writePieces(name, async (take) => {
      for (const at of archived.iterations) take(file.add(at, await archived.trajectories(at)));
      take(file.end());
    });
  };
}

/** The metrics of all iterations, and their evaluations. */
export async function numbersOf(archived: Stored['archived']) {
  const kept = await Promise.all(archived.iterations.map((at) => archived.iteration(at)));
  return {
    rows: kept.flatMap(({ metrics }) => metrics ?? []),
    evaluations: kept.flatMap(({ evaluation }) => evaluation ?? []),
  };
}
