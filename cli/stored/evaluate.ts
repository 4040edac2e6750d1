// `cothink eval`: the accuracy of a stored team on the fixed held-out problems.
import { ConfigError, MissingModelError } from '../../src/base/errors.ts';
import { writeJsonl } from '../../src/formats/jsonl.ts';
import { lowTemperature, type Beside, type Evaluation } from '../../src/records/metrics.ts';
import type { Trajectory } from '../../src/records/trajectory.ts';
import { evaluateSeats } from '../../src/training/run/seats.ts';
import type { CommandArguments } from '../command.ts';
import { checkpointIn, inSession, openStored, readyFor, type Stored } from './openStored.ts';
import { writeWhole } from '../files.ts';
import { evaluationsOf } from '../train/collapse.ts';
import { print } from '../print.ts';
import { measuredIn } from './measuredIn.ts';
import { readyModel } from './modelNote.ts';

/**
 * Evaluates the team of one run. If several runs are given, evaluates a team of one agent from each run: the first run
 * provides the first agent, and so on.
 */
export async function evaluate(given: CommandArguments): Promise<number> {
  const beside = given.oneOf('beside', ['everywhere', 'answers', 'lowTemperature']) ?? null;
  const file = given.text('dialogues');
  if (file !== undefined && given.rest.length > 1)
    throw new ConfigError(
      '--dialogues: only the dialogues of a single run can be written; give one run, or leave out --dialogues.',
    );
  const stored = await Promise.all(given.rest.map((place) => openStored(place, checkpointIn(given))));
  let seats: readonly Stored[] = stored;
  try {
    await readyFor(stored[0] as Stored, given);
    for (const { place, checkpoint } of stored.slice(1)) await readyModel(place, checkpoint);
    const configOf = await measuredIn(given);
    seats = await Promise.all(
      stored.map(async ({ checkpoint, ...others }) => {
        const config = await configOf(checkpoint.config);
        return { ...others, checkpoint: { ...checkpoint, config } };
      }),
    );
  } catch (error) {
    if (error instanceof MissingModelError) await tellStored(seats, given);
    throw error;
  }
  let trajectories: readonly Trajectory[] = [];
  const evaluation =
    seats.length === 1
      ? await inSession(seats[0] as Stored, (session) =>
          session.evaluate(beside, (measured) => (trajectories = measured)),
        )
      : await evaluateSeats(
          seats.map(({ checkpoint, run }) => ({ checkpoint, name: run.name })),
          besideOfSeveral(beside),
        );
  if (file !== undefined)
    await writeWhole(file, new TextEncoder().encode(writeJsonl(evaluation.iteration, trajectories)));
  const { right: _, ...told } = evaluation;
  const output = given.text('output');
  if (output !== undefined) await writeWhole(output, `${JSON.stringify(told)}\n`);
  print(given, told, wordsOf(evaluation));
  return 0;
}

/**
 * Prints the last stored evaluation of each run, if the runs cannot be evaluated because the file of a model is
 * missing.
 */
async function tellStored(seats: readonly Stored[], given: CommandArguments): Promise<void> {
  for (const { archived, checkpoint } of seats) {
    const stored = (await evaluationsOf(archived, checkpoint.iteration)).at(-1);
    if (!stored) continue;
    const { right: _, ...told } = stored;
    print(given, { ...told, isStored: true }, ['measured during training:', ...wordsOf(stored)]);
  }
}

function besideOfSeveral(beside: Beside): Exclude<Beside, 'everywhere'> {
  if (beside !== 'everywhere') return beside;
  throw new ConfigError(
    '--beside: “everywhere” is possible only for a single run; leave out this option, or choose answers or lowTemperature.',
  );
}

/** An evaluation as lines of text. */
export function wordsOf(evaluation: Evaluation): string[] {
  const {
    iteration,
    accuracy,
    low,
    high,
    problems,
    maskedMessage,
    ceiling,
    bySlice,
    places = [],
    answers = [],
    atLowTemperature,
  } = evaluation;
  const three = (share: number) => share.toFixed(3);
  return [
    `after ${iteration}: ${three(accuracy)} right (${three(low)} to ${three(high)}) of ${problems} held-out problems`,
    ...(maskedMessage === undefined ? [] : [`  messages hidden: ${three(maskedMessage)}`]),
    ...(atLowTemperature
      ? [
          `  at temperature ${lowTemperature}: ${three(atLowTemperature.accuracy)} (${three(atLowTemperature.low)} to ${three(atLowTemperature.high)})`,
        ]
      : []),
    `  best possible without messages: ${three(ceiling)}`,
    ...Object.entries(bySlice).map(([slice, share]) => `  ${slice}: ${three(share)}`),
    ...places.map(({ world, level, split, accuracy: share }) => `  ${world} ${level}, ${split}: ${three(share)}`),
    ...answers.flatMap(({ slice, at }) =>
      at.map(
        ({ k, pass, majority }) =>
          `  ${slice ?? 'all'}, ${k} answers: pass ${three(pass)}, majority ${three(majority)}`,
      ),
    ),
  ];
}
