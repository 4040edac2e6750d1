// `cothink info`: describes a stored run and its records, or a model, without starting an engine. Without an argument,
// it describes the engine of this machine.
import { presetConfig, isPreset } from '../../src/config/presets.ts';
import { difference } from '../../src/config/parse.ts';
import { describeFields, valueText } from '../../src/config/describe.ts';
import { StorageError } from '../../src/base/errors.ts';
import type { Evaluation } from '../../src/records/metrics.ts';
import type { RunLabel } from '../../src/records/stored/runLabel.ts';
import type { CommandArguments } from '../command.ts';
import { wordsOf } from './evaluate.ts';
import { modelAt, modelInfo } from './model.ts';
import { baseNote } from './modelNote.ts';
import { print } from '../print.ts';
import { openRun } from '../runFolder.ts';

export async function info(given: CommandArguments): Promise<number> {
  const [place] = given.rest;
  if (place === undefined) return (await import('../machine.ts')).machineInfo(given);
  const model = await modelAt(place);
  if (model) return modelInfo(model, given);
  const archived = await openRun(place);
  const run = await archived.run();
  const { id, preset, config, backend, iteration, isDone, experiment, forkedFrom } = run;
  const damaged: string[] = [];
  const evaluations: Evaluation[] = [];
  let trajectories = 0;
  let label: RunLabel | null = null;
  const attempt = async (read: () => Promise<void>) => {
    try {
      await read();
    } catch (error) {
      if (!(error instanceof StorageError)) throw error;
      damaged.push(error.message);
    }
  };
  await attempt(async () => void (label = await archived.label()));
  for (const at of archived.iterations)
    await attempt(async () => {
      const { evaluation, row } = await archived.iteration(at);
      if (evaluation) evaluations.push(evaluation);
      trajectories += row?.count ?? 0;
    });
  let found: BaseNote | null = null;
  for (const at of archived.checkpoints)
    await attempt(async () => void (found = await baseNote(place, await archived.checkpoint(at))));
  const base = found as BaseNote | null;
  const { name = run.name, notes = '', tags = [], isPinned = false } = (label as RunLabel | null) ?? {};
  const changed = difference(config, presetConfig(isPreset(preset) ? preset : 'default'));
  const settings = Object.fromEntries(changed.map(({ field, value }) => [field.path, value]));
  const labels = new Map(describeFields().map(({ path, label }) => [path, label]));
  const newest = evaluations.at(-1);
  const value = {
    ...{ name, id, preset, settings, backend, iteration, iterations: config.run.iterations, isDone },
    ...{ checkpoints: archived.checkpoints, trajectories, damaged },
    evaluations: evaluations.map(({ iteration: at, accuracy }) => ({ iteration: at, accuracy })),
    ...{ notes, tags, isPinned },
    ...(base && { base: withoutWords(base) }),
    ...(experiment && { experiment }),
    ...(forkedFrom && { forkedFrom: { name: forkedFrom.name, iteration: forkedFrom.iteration } }),
  };
  print(given, value, [
    `${name} (${preset}), ${iteration} of ${config.run.iterations} iterations on ${backend}${isPinned ? ', pinned' : ''}`,
    ...(tags.length > 0 ? [`tags: ${tags.join(', ')}`] : []),
    ...(notes ? notes.split('\n').map((line) => `  ${line}`) : []),
    ...Object.entries(settings).map(([path, set]) => `  ${labels.get(path) ?? path} (${path}): ${valueText(set)}`),
    ...(forkedFrom ? [`  forked from ${forkedFrom.name} after iteration ${forkedFrom.iteration}`] : []),
    ...(base ? baseWords(base) : []),
    `checkpoints after ${archived.checkpoints.join(', ') || 'none'}; ${trajectories} dialogues`,
    ...(newest ? wordsOf(newest) : []),
    ...damaged.map((words) => `damaged: ${words}`),
  ]);
  return damaged.length > 0 ? 2 : 0;
}

type BaseNote = NonNullable<Awaited<ReturnType<typeof baseNote>>>;

const withoutWords = ({ words: _, ...base }: BaseNote) => base;

function baseWords({ words, path, isThere }: BaseNote): string[] {
  const where = isThere
    ? `its file is at ${path}`
    : path === null
      ? 'the path of its file is not stored'
      : `its file was at ${path}, but is no longer there`;
  return [
    `  based on ${words}: ${where}`,
    ...(isThere
      ? []
      : ['  without this file, the run cannot be trained, evaluated or served; pass it with --model FILE']),
  ];
}
