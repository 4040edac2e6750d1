// Finds the code of a world by the name of the world.
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
import { talksInWords } from '../config/warmStarts.ts';
import { readyTemplates } from '../text/chat.ts';
import type { WordsModule } from './contract/worldModule.ts';
import { withWords } from './inWords/inWordsFrom.ts';
import { mixture } from './mixture.ts';
import { atOnce } from './worldsAtOnce.ts';
import type { World } from './world.ts';

const files = import.meta.glob<World>('../extensions/worlds/*/world.ts', { import: 'world' });

/** The built-in worlds that are loaded. In the page, the code of a world is loaded when it is first needed. */
export const worlds: Readonly<Record<WorldName, World>> = /* @__PURE__ */ Object.fromEntries(
  Object.values(atOnce).map((world) => [world.name, world]),
) as Record<WorldName, World>;

/** Loads built-in worlds; names of other worlds are ignored. */
export async function loadWorlds(names: readonly string[] = worldNames): Promise<void> {
  const missing = names.filter((name) => !Object.hasOwn(worlds, name)).flatMap((name) => files[fileOf(name)] ?? []);
  for (const world of await Promise.all(missing.map((load) => load())))
    (worlds as Record<string, World>)[world.name] = world;
}

const fileOf = (name: string) => `../extensions/worlds/${name}/world.ts`;

const wordsFiles = import.meta.glob<WordsModule>('../extensions/worlds/*/words.ts');
/** The loaded prompts and conversions for agents that talk in plain words, by the name of the world. */
const wordsReady = new Map<string, WordsModule>();

/**
 * Loads everything that agents need to talk in plain words: the prompts of the worlds, and the code of chat templates.
 * Most runs do not need it.
 */
export async function loadWords({ world }: Pick<Config, 'world'>): Promise<void> {
  await readyTemplates();
  for (const { name } of [world, ...world.also]) {
    const words = await wordsFiles[`../extensions/worlds/${name}/words.ts`]?.();
    if (words) wordsReady.set(name, words);
  }
}

/** The names of all worlds of settings, which need not be checked yet. */
const namedIn = ({ name, also = [] }: { name: string; also?: readonly { name: string }[] }) => [
  name,
  ...also.map((place) => place.name),
];

/** Loads the built-in worlds of these settings and, if the agents talk in plain words, everything needed for that. */
export async function readyWorlds(config: Pick<Config, 'agents' | 'world'>): Promise<void> {
  await loadWorlds(namedIn(config.world));
  if (talksInWords(config)) await loadWords(config);
}

/**
 * Makes a world from its content, which is either a module or a table. The code for such worlds is loaded only for
 * visitors who have one.
 */
async function make(content: WorldContent, name: OwnName): Promise<World> {
  switch (content.kind) {
    case 'module': {
      const { customWorld } = await import('./custom/customWorld.ts');
      return customWorld(content.source, name);
    }
    case 'table': {
      const [{ importedWorld }, { unpackTable }] = await Promise.all([
        import('./custom/imported/importedWorld.ts'),
        import('./custom/imported/table.ts'),
      ]);
      return importedWorld(unpackTable(content.packed), name);
    }
  }
}

/**
 * The visitor's open worlds by name, with the newest at the end. Runs that are active at the same time may use several
 * of them.
 */
const opened = new Map<string, World>();
/** The maximum number of open worlds. The number is limited because each world uses memory. */
const mostOpened = 4;

function keepOpen(world: World): World {
  opened.delete(world.name);
  opened.set(world.name, world);
  for (const name of [...opened.keys()].slice(0, -mostOpened)) opened.delete(name);
  return world;
}

/**
 * Opens a visitor's own world, so that settings can refer to it. Throws SandboxError if the text cannot be run,
 * ConfigError if it does not define a world, and FormatError if imported data is damaged.
 */
export async function openWorld({ form, content }: OwnWorld): Promise<World> {
  const world = await made(content, form.name);
  introduce(form);
  return keepOpen({ ...world, label: form.label });
}

/** If a world with this name is already open, it is reused, because a name always belongs to the same content. */
const made = async (content: WorldContent, name: OwnName): Promise<World> =>
  keepOpen(opened.get(name) ?? (await make(content, name)));

/** Opens a world to check its content, and returns it with its form. Throws the same errors as `openWorld`. */
export async function checkWorld(content: WorldContent): Promise<OwnWorld> {
  return { form: v.parse(ownFormSchema, await made(content, ownNameOf(content))), content };
}

/**
 * The world that the settings select, or a mixture if they select several worlds. For each of these worlds, `replaced`
 * may return another world, such as one whose code runs on a server. Throws ConfigError if one of these worlds is not
 * open.
 */
export function worldOf(config: Config, replaced = (own: World): World => own): World {
  const { name, also } = config.world;
  return mixture(
    replaced(withOptions(config, name)),
    also.map((place) => ({ ...place, world: replaced(withOptions(config, place.name)) })),
  );
}

/** A world in which the same options are enabled as in the settings. */
function withOptions(config: Config, name: string): World {
  if (Object.hasOwn(worlds, name)) {
    const world = worlds[name as WorldName];
    const chosen = world.under?.(config[name as WorldName]) ?? world;
    const words = wordsReady.get(name);
    return words ? withWords(chosen, words) : chosen;
  }
  const own = opened.get(name);
  if (own) return own;
  throw new ConfigError(
    spoken`world.name: the world ${name} is not open here; open the file that contains this world, then try again.`,
  );
}
