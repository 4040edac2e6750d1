// Where the file of a large model lies on which the agents of a stored run stand: checkpoints name such a model and do not
// carry it. The note lies beside the run's records; it holds a path and a name, so a file that has become another is told.
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import * as v from 'valibot';
import { ConfigError } from '../../src/base/errors.ts';
import { digestOf, givenOf } from '../../src/formats/llama/llamaModel.ts';
import type { Checkpoint } from '../../src/records/stored/checkpoint.ts';
import { heldWeights, introduceModel, isHeldByName } from '../../src/records/stored/foreignModel.ts';
import { writeWhole } from '../files.ts';
import { labelOf, modelAt } from './model.ts';
import { readModel } from './readModel.ts';

const note = v.object({ name: v.string(), path: v.string() });

/** An archive has its note beside it. */
const noteOf = (place: string, isFolder: boolean) =>
  isFolder ? path.join(place, 'model.json') : `${place}.model.json`;

/** Notes where the model of a run lies. */
export async function noteModel(folder: string, { name, place }: { name: string; place: string }): Promise<void> {
  const text = JSON.stringify({ name, path: path.resolve(place) }, null, 2);
  await writeWhole(noteOf(folder, true), new TextEncoder().encode(`${text}\n`));
}

/** Sees to it that the model of a stored run is at hand where its checkpoints do not carry it. Throws ConfigError, which says which file is wanted and where it is looked for. */
export async function readyModel(place: string, checkpoint: Checkpoint): Promise<void> {
  const { foreign, base, config } = checkpoint;
  const name = config.agents.start;
  if (!foreign || base || !isHeldByName(foreign) || heldWeights(name)) return;
  const places = [noteOf(place, true), noteOf(place, false)];
  const [found] = (await Promise.all(places.map(readNote))).flatMap((one) => one ?? []);
  const refused = (got: string) =>
    new ConfigError(`${place} stands on the model ${foreign.label} (${name}): expected its file ${found ? `at ${found.path}` : `to be named by ${places[0] as string}`}, got ${got}; write {"name": "${name}", "path": "…"} there.`); // prettier-ignore
  if (!found) throw refused('nothing');
  const files = await modelAt(found.path);
  if (!files) throw refused('no model');
  const model = await readModel(files, labelOf(found.path));
  const own = `model-${digestOf(model)}`;
  if (own !== name) throw refused(`another model (${own})`);
  introduceModel(name, givenOf(model, labelOf(found.path)).foreign ?? foreign, model.matrices);
}

async function readNote(file: string): Promise<v.InferOutput<typeof note> | null> {
  const text = await readFile(file, 'utf8').catch(() => null);
  if (text === null) return null;
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    json = null;
  }
  const parsed = v.safeParse(note, json);
  if (!parsed.success) throw new ConfigError(`${file}: expected {"name": "model-…", "path": "…"}, got something else.`);
  return parsed.output;
}
