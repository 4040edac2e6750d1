// Writes a visitor's exports: the weights of an agent as a Hugging Face folder in a zip, all stored trajectories, and
// preference pairs made from these trajectories. The code that writes weight files is loaded only when it is needed, so
// that it does not delay the first training step.
import { transfer } from 'comlink';
import type { ExportSizes } from '../src/api/trainerApi.ts';
import { ConfigError } from '../src/base/errors.ts';
import { spoken } from '../src/base/spoken.ts';
import { parameterCount } from '../src/config/sizes.ts';
import { isOwn } from '../src/config/worlds/own.ts';
import { writtenTrajectories } from '../src/formats/trajectories/writtenTrajectories.ts';
import type { InspectedRun } from '../src/formats/trajectories/inspectLog.ts';
import type { TakenAs } from '../src/formats/merged/takenModel.ts';
import { writeJsonl } from '../src/formats/jsonl.ts';
import { writePreferences } from '../src/formats/preferences.ts';
import type { RunId } from '../src/records/ids.ts';
import type { ModelForm } from '../src/records/stored/modelCard.ts';
import type { ComparedBy } from '../src/records/stored/preference.ts';
import type { Trajectory, TrajectoryFile } from '../src/records/trajectory.ts';
import type { IterationRow } from '../src/storage/database.ts';
import { listIterations, loadIteration, loadWorld } from '../src/storage/reading.ts';
import { adaptersTakenAway, agentTakenAway, verifierTakenAway } from '../src/training/history/takenAway.ts';
import { minePreferences } from '../src/training/imitation/minePreferences.ts';
import type { Session } from '../src/training/run/session.ts';

/**
 * The zip of one agent. If each turn has its own adapter, the zip contains a model for each turn. Throws ConfigError if
 * there is no such agent.
 */
export async function agentZip(session: Session, agent: number, hasOptimiser: boolean): Promise<Uint8Array> {
  const { source, models, isByTurn } = await agentTakenAway(session, agent, hasOptimiser);
  const whole = { ...source, ...(await moduleOf(session.config.world.name)) };
  const { turnsZip, weightsZip } = await import('../src/formats/weightsZip.ts');
  const bytes = isByTurn ? turnsZip(whole, models) : weightsZip({ ...whole, ...models[0] });
  return transfer(bytes, [bytes.buffer as ArrayBuffer]);
}

/**
 * The file of an agent that is based on an external model. The file is written piece by piece, and the browser stores
 * the pieces, so that the pieces need not remain in memory. Throws ConfigError if the run uses no such model or has no
 * such agent.
 */
export async function modelFile(
  session: Session,
  { agent, form, filesOf }: { agent: number; form: ModelForm; filesOf: (name: string) => Promise<readonly File[]> },
): Promise<{ file: Blob; isZip: boolean }> {
  const [{ isOneFile, takenModel }, { givenFiles }, { ggufAmong }] = await Promise.all([
    import('../src/formats/merged/takenModel.ts'),
    import('./model/givenFiles.ts'),
    import('../src/formats/llama/readLlama.ts'),
  ]);
  const taken = await adaptersTakenAway(session, agent);
  const asGguf = async (type: 'F16' | 'Q8_0') => {
    const file = ggufAmong(givenFiles(await filesOf(taken.base.name)));
    if (file) return { as: 'gguf' as const, type, file };
    throw new ConfigError(
      spoken`gguf: ${taken.base.label} was not opened as a GGUF file, so there is no tokenizer in this format; save the merged model, and convert it with llama.cpp’s convert_hf_to_gguf.py.`,
    );
  };
  const forms: Record<ModelForm, () => Promise<TakenAs>> = {
    adapter: () => Promise.resolve({ as: 'adapter' }),
    merged: () => Promise.resolve({ as: 'merged', type: 'F16' }),
    ggufF16: () => asGguf('F16'),
    ggufQ8: () => asGguf('Q8_0'),
  };
  const as = await forms[form]();
  const parts: Blob[] = [];
  for await (const piece of takenModel(taken, as)) parts.push(new Blob([piece as BlobPart]));
  return { file: new Blob(parts), isZip: !isOneFile(taken, as) };
}

/** The zip of the run's verifier. Throws ConfigError if the run trains no verifier. */
export async function zipOfVerifier(session: Session): Promise<Uint8Array> {
  const { verifierZip } = await import('../src/formats/verifierZip.ts');
  const bytes = verifierZip(await verifierTakenAway(session));
  return transfer(bytes, [bytes.buffer as ArrayBuffer]);
}

/** The text of a visitor's own world. Throws StorageError if the world is no longer stored. */
async function moduleOf(name: string): Promise<{ module?: string }> {
  const { content } = isOwn(name) ? await loadWorld(name) : {};
  return content?.kind === 'module' ? { module: content.source } : {};
}

const types: Record<TrajectoryFile, string> = {
  jsonl: 'application/jsonl',
  parquet: 'application/vnd.apache.parquet',
  inspect: 'application/json',
};

/** All stored trajectories of a run, in order. */
export async function trajectoryFile(run: InspectedRun, as: TrajectoryFile): Promise<Blob> {
  const file = await writtenTrajectories(as, run);
  const parts = await partsOf(run.id, (iteration, trajectories) => file.add(iteration, trajectories));
  return new Blob([...parts, file.end()], { type: types[as] });
}

/**
 * The preference pairs of all stored groups, in order of iteration. Throws ConfigError if dialogues should be compared
 * by the scores of a verifier, but the run trains no verifier.
 */
export async function preferenceLines(session: Session, by: ComparedBy): Promise<Blob> {
  if (by === 'verifier' && !session.config.verifier.isTrained)
    throw new ConfigError(
      spoken`pairs: this run trains no verifier that could compare dialogues; save the pairs by reward instead, or train a verifier with verifier.isTrained = true.`,
    );
  const parts = await partsOf(session.run.id, (_, trajectories) => pairLines(session, trajectories, by));
  return new Blob(parts, { type: types.jsonl });
}

const pairLines = ({ trainState }: Session, trajectories: readonly Trajectory[], by: ComparedBy) =>
  writePreferences(minePreferences(trainState.team, trajectories, { minGap: 1e-6, by }));

/**
 * The parts of a file, one for each iteration. Only one iteration is converted at a time, and the browser stores the
 * finished parts, so that long runs need no more memory than short ones.
 */
async function partsOf(id: RunId, write: (iteration: number, trajectories: readonly Trajectory[]) => BlobPart) {
  const parts: Blob[] = [];
  for (const { iteration, count } of await listIterations(id)) {
    if (count > 0) parts.push(new Blob([write(iteration, await loadIteration(id, iteration))]));
  }
  return parts;
}

/** The number of stored iterations that are converted to estimate the sizes of the files. */
const sizedIterations = 3;

/** The estimated sizes of the files. Sizes of text files are extrapolated from a few evenly spaced iterations. */
export async function exportSizes(session: Session): Promise<ExportSizes> {
  const rows = (await listIterations(session.run.id)).filter(({ count }) => count > 0);
  const few = Math.min(sizedIterations, rows.length);
  const sizes = { count: 0, trajectories: 0, pairs: 0 };
  for (let i = 0; i < few; i++) {
    const { iteration, count } = rows[Math.floor(((i + 0.5) * rows.length) / few)] as IterationRow;
    const trajectories = await loadIteration(session.run.id, iteration);
    sizes.count += count;
    sizes.trajectories += writeJsonl(iteration, trajectories).length;
    sizes.pairs += pairLines(session, trajectories, 'reward').length;
  }
  const total = rows.reduce((sum, { count }) => sum + count, 0);
  const scale = sizes.count > 0 ? total / sizes.count : 0;
  return {
    isHeld: session.trainState.isBaseHeld ?? false,
    // The weights are written in two formats, one for transformers and one for llama.cpp. If the agent is based on a
    // large external model, the merged weights are written only once, in 16 bits.
    weightBytes:
      (session.trainState.isBaseHeld ? 2 : 8) * Math.max(...session.trainState.team.shapes.map(parameterCount)),
    optimiserBytes:
      4 *
      Math.max(...session.trainState.networks.map(({ m, v }) => [...m, ...v].reduce((sum, { size }) => sum + size, 0))),
    trajectoryBytes: Math.round(sizes.trajectories * scale),
    pairBytes: Math.round(sizes.pairs * scale),
  };
}
