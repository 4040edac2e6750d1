// Models that command-line settings specify by a path: exported weights, or a checkpoint of a stored run.
import { ConfigError } from '../../src/base/errors.ts';
import { digestOf, givenOf } from '../../src/formats/llama/llamaModel.ts';
import { introduceModel } from '../../src/records/stored/foreignModel.ts';
import type { GivenModel } from '../../src/records/stored/modelCard.ts';
import { startOf } from '../../src/training/history/startOf.ts';
import { assembleTeam } from '../../src/training/team/team.ts';
import { readyWorld } from '../engine.ts';
import { filesTold, labelOf, modelAt } from '../stored/model.ts';
import { readModel } from '../stored/readModel.ts';
import { openStored } from '../stored/openStored.ts';

const settings = ['agents.start', 'agents.otherStart'];
const names = /^(warmStart|same|model-[0-9a-f]{16})$/;

/** The paths in a setting that can refer to models. */
export function placesIn(text: string): string[] {
  const at = text.indexOf('=');
  const places = settings.includes(text.slice(0, at)) ? text.slice(at + 1).split(',') : [];
  return places.filter((place) => !names.test(place));
}

/**
 * Replaces the paths in settings by names. Returns the new settings, and the models and their paths under these names.
 * Throws named errors.
 */
export async function withModels(written: readonly string[]) {
  const models = new Map<string, GivenModel>();
  const places = new Map<string, string>();
  const set: string[] = [];
  for (const text of written) {
    const at = text.indexOf('=');
    const [path, place] = [text.slice(0, at), text.slice(at + 1)];
    if (!settings.includes(path) || names.test(place)) {
      set.push(text);
      continue;
    }
    const isFirst = path === 'agents.start';
    const found: string[] = [];
    // `agents.start` takes a single model. The setting for the other agents may list one model for each.
    for (const [i, own] of (isFirst ? [place] : place.split(',')).entries()) {
      if (names.test(own)) {
        found.push(own);
        continue;
      }
      const { name, model } = await modelOf(own, isFirst ? 0 : i + 1);
      if (model.foreign) introduceModel(name, model.foreign, model.matrices);
      models.set(name, model);
      places.set(name, own);
      found.push(name);
    }
    set.push(`${path}=${found.join(',')}`);
  }
  return { set, models, places };
}

/** Reads the model at a path. If the path leads to a stored run and specifies no agent, the agent `usual` is read. */
async function modelOf(place: string, usual: number): Promise<{ name: string; model: GivenModel }> {
  const files = await modelAt(place);
  if (files) {
    const model = await readModel(files, labelOf(place));
    return { name: `model-${digestOf(model)}`, model: givenOf(model, labelOf(place), await filesTold(files)) };
  }
  const [, folder = place, iteration, asked] = /^(.*?)(?:@(\d+))?(?:#(\d+))?$/.exec(place) ?? [];
  const { archived, run, checkpoint } = await openStored(
    folder,
    iteration === undefined ? undefined : Number(iteration),
  );
  if (checkpoint.config.agents.parameters === 'lora')
    throw new ConfigError(
      `agents.start: ${folder} contains adapters; export an agent with cothink export ${folder} --as weights, and start from that file.`,
    );
  const { config } = checkpoint;
  await readyWorld(config, await archived.world());
  const last = assembleTeam(config).protocol.roles.length - 1;
  const model = startOf({ name: run.name, checkpoint }, asked === undefined ? Math.min(usual, last) : Number(asked));
  return { name: `model-${digestOf(model)}`, model };
}
