// Every world's code by its name.
import * as v from 'valibot';
import { ConfigError } from '../base/errors.ts';
import { spoken } from '../base/spoken.ts';
import type { Config } from '../config/schema.ts';
import {
  introduce,
  ownFormSchema,
  ownNameOf,
  type OwnName,
  type OwnWorld,
  type WorldContent,
} from '../config/worlds/own.ts';
import { worldNames, type WorldName } from '../config/worlds/registry.ts';
import { customWorld } from './custom/customWorld.ts';
import { importedWorld } from './custom/imported/importedWorld.ts';
import { unpackTable } from './custom/imported/table.ts';
import { mixture } from './mixture.ts';
import type { World } from './world.ts';

const found = import.meta.glob<World>('../extensions/worlds/*/world.ts', { eager: true, import: 'world' });

function byName(): Readonly<Record<WorldName, World>> {
  const all = Object.values(found);
  return Object.fromEntries(worldNames.map((name) => [name, all.find((world) => world.name === name)])) as Readonly<
    Record<WorldName, World>
  >;
}

// Marked as pure, so that a worker that only opens visitors' worlds is built without these.
export const worlds = /* @__PURE__ */ byName();

/** Whether agents may talk in plain words in the world of this name; false if there is no such world. */
export const speaksInWords = (name: string): boolean =>
  Object.hasOwn(worlds, name) && worlds[name as WorldName].inWords !== undefined;

/** Makes a world from its content, according to the kind of the content. */
async function make(content: WorldContent, name: OwnName): Promise<World> {
  switch (content.kind) {
    case 'module':
      return customWorld(content.source, name);
    case 'table':
      return importedWorld(unpackTable(content.packed), name);
  }
}

/** Worlds of the visitor's own by name, the newest last: runs that go on at one time may be in several. */
const opened = new Map<string, World>();
/** Each holds memory. */
const mostOpened = 4;

function keepOpen(world: World): World {
  opened.delete(world.name);
  opened.set(world.name, world);
  for (const name of [...opened.keys()].slice(0, -mostOpened)) opened.delete(name);
  return world;
}

/**
 * Opens a visitor's own world: from then on settings may name it. Throws SandboxError if the text cannot be run,
 * ConfigError if it is not a world, FormatError if imported data is damaged.
 */
export async function openWorld({ form, content }: OwnWorld): Promise<World> {
  const world = await made(content, form.name);
  introduce(form);
  return keepOpen({ ...world, label: form.label });
}

/** A name stands for one content. */
const made = async (content: WorldContent, name: OwnName): Promise<World> =>
  keepOpen(opened.get(name) ?? (await make(content, name)));

/** The form of a world with this content. Throws like `openWorld`. */
export async function checkWorld(content: WorldContent): Promise<OwnWorld> {
  return { form: v.parse(ownFormSchema, await made(content, ownNameOf(content))), content };
}

/**
 * The world of these settings: the one that they name, or several at once. Throws ConfigError if one of them is not
 * open.
 */
export function worldOf(config: Config): World {
  const { name, also } = config.world;
  return mixture(
    named(config, name),
    also.map((place) => ({ ...place, world: named(config, place.name) })),
  );
}

/** Makes of a world's own code, by its name, what answers in its place. */
const elsewhere = new Map<string, (own: World) => World>();

/**
 * From now on what is said in the world of this name is answered by what `of` makes of it, where the code runs
 * elsewhere. Returns a function that ends the redirection.
 */
export function answerElsewhere(name: string, of: (own: World) => World): () => void {
  elsewhere.set(name, of);
  return () => void elsewhere.delete(name);
}

function named(config: Config, name: string): World {
  const own = withOptions(config, name);
  return elsewhere.get(name)?.(own) ?? own;
}

/** A world with the options that the settings of a run leave enabled. */
function withOptions(config: Config, name: string): World {
  if (Object.hasOwn(worlds, name)) {
    const world = worlds[name as WorldName];
    return world.under?.(config[name as WorldName]) ?? world;
  }
  const own = opened.get(name);
  if (own) return own;
  throw new ConfigError(spoken`world.name: ${name} is not open here; open the file that contains it, then try again.`);
}
