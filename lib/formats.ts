// `cothink/formats`: the files that Cothink reads and writes. This part needs no network and no GPU.
import { readPreferences, writePreferences } from '../src/formats/preferences.ts';
import { archivedRun, isArchiveEntry } from '../src/storage/archive/archivedRun.ts';
import { readRunArchive } from '../src/formats/runArchive.ts';
import { readRunFile, writeRunFile } from '../src/formats/runFile.ts';
import { heldFile } from '../src/formats/givenFile.ts';
import { readDataset, type Dataset } from '../src/formats/datasets/dataset.ts';
import { readLlama } from '../src/formats/llama/readLlama.ts';
import type { LlamaModel } from '../src/formats/llama/llamaModel.ts';
import { readSafetensors, writeSafetensors } from '../src/formats/safetensors.ts';
import { writtenTrajectories } from '../src/formats/trajectories/writtenTrajectories.ts';
import type { PresetName } from '../src/config/presets.ts';
import type { Evaluation } from '../src/records/metrics.ts';
import type { NamedArray } from '../src/records/stored/checkpoint.ts';
import type { PreferenceText } from '../src/records/stored/preference.ts';
import type { Trajectory } from '../src/records/trajectory.ts';
import { runId } from '../src/records/ids.ts';
import { completeSettings, type GivenSettings, type Settings } from './settings.ts';
import type { Checkpoint } from './train.ts';

export * from './errors.ts';
export { readPreferences, readSafetensors, writePreferences, writeSafetensors };
export type {
  Checkpoint,
  Dataset,
  Evaluation,
  GivenSettings,
  LlamaModel,
  NamedArray,
  PreferenceText,
  Settings,
  Trajectory,
};

/** A change of a setting during a run: after which iteration, which setting, and its new value. */
export interface LaterChange {
  iteration: number;
  path: string;
  value: unknown;
}

/** A run file as plain data. */
export interface RunFile extends GivenSettings {
  settings: Settings;
  changes: LaterChange[];
}

/**
 * The settings in a run file (YAML), which the page and `cothink train FILE` write and open. Throws FormatError with the
 * line, and ConfigError for a setting that cannot be used.
 */
export function readRun(text: string): RunFile {
  const { preset, config, changes } = readRunFile(text);
  return {
    preset: preset as PresetName,
    settings: config,
    changes: changes.map(({ iteration, path, value }) => ({ iteration, path, value })),
  };
}

/** The run file of these settings, in which each setting has a comment. Throws ConfigError. */
export function writeRun({ preset = 'default', settings }: GivenSettings): string {
  const config = completeSettings({ preset, ...(settings && { settings }) });
  return writeRunFile({ preset, config, changes: [], imports: [] });
}

/** A run archive. Every method throws StorageError if a record is missing or damaged. */
export interface Archive {
  /** The iterations of which something is stored, and those with a checkpoint, in ascending order. */
  readonly iterations: number[];
  readonly checkpoints: number[];
  /** The name of the run, and its settings. */
  run(): Promise<{ name: string; settings: Settings }>;
  /** The metrics of an iteration by name; null if they are not stored. */
  metrics(iteration: number): Promise<Readonly<Record<string, number>> | null>;
  /** The evaluation after an iteration; null if there was none. */
  evaluation(iteration: number): Promise<Evaluation | null>;
  /** The dialogues of an iteration; empty if they are not stored. */
  dialogues(iteration: number): Promise<Trajectory[]>;
  checkpoint(iteration: number): Promise<Checkpoint>;
}

/**
 * Opens a run archive (zip), which the page and `cothink train` write: settings, checkpoints, metrics and dialogues. Throws
 * FormatError if the file is no such archive.
 */
export function openArchive(zip: Uint8Array): Archive {
  const archived = archivedRun(readRunArchive(zip, isArchiveEntry));
  const { iterations, checkpoints } = archived;
  return {
    ...{ iterations, checkpoints },
    run: async () => {
      const { name, config } = await archived.run();
      return { name, settings: config };
    },
    metrics: async (at) => (await archived.iteration(at)).metrics?.values ?? null,
    evaluation: async (at) => (await archived.iteration(at)).evaluation,
    dialogues: (at) => archived.trajectories(at),
    checkpoint: (at) => archived.checkpoint(at),
  };
}

/**
 * The problems in a data file (JSONL, JSON, CSV, TSV or Parquet) in one of the known formats, and the rows that were
 * rejected, each with its reason. Throws FormatError if no row has a known format.
 */
export const readProblems = (file: Blob, { contextSigns = 1200 }: { contextSigns?: number } = {}): Promise<Dataset> =>
  readDataset(file, { contextSigns });

/**
 * A language model of the Llama, Qwen, Gemma or SmolLM family in its files: one GGUF file, or the files of a Hugging Face
 * folder. Throws FormatError that names what is missing or not supported.
 */
export const readModel = (files: readonly { name: string; bytes: Uint8Array }[]): Promise<LlamaModel> =>
  readLlama(files.map(({ name, bytes }) => heldFile(name, bytes)));

/**
 * The dialogues of iterations as one file: JSON Lines, Parquet, or a log of Inspect. `name` and `settings` describe the run
 * in an Inspect log.
 */
export async function writeDialogues(
  iterations: readonly { iteration: number; dialogues: readonly Trajectory[] }[],
  as: 'jsonl' | 'parquet' | 'inspect',
  { name = 'run', createdMs = 0, ...given }: GivenSettings & { name?: string; createdMs?: number } = {},
): Promise<Uint8Array> {
  const file = await writtenTrajectories(as, { id: runId(name), name, createdMs, config: completeSettings(given) });
  const pieces = iterations.map(({ iteration, dialogues }) => file.add(iteration, dialogues));
  return new Uint8Array(await new Blob([...pieces, file.end()]).arrayBuffer());
}
