// The engine of a command and the files that it needs: kernels, warm starts and the page.
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { ConfigError, FormatError } from '../src/base/errors.ts';
import { inWords } from '../src/base/spoken.ts';
import type { Config } from '../src/config/schema.ts';
import { shippedFor } from '../src/config/warmStarts.ts';
import { isOwn, type OwnWorld } from '../src/config/worlds/own.ts';
import { chooseEngine, type ChosenEngine, type EngineParts, type EngineWish } from '../src/engine/choice.ts';
import kernelsUrl from '../src/engine/simd/kernels.wasm?url';
import { readSafetensors } from '../src/formats/safetensors.ts';
import type { NamedArray } from '../src/records/stored/checkpoint.ts';
import { openWorld, readyWorlds } from '../src/tasks/registry.ts';
import { probeStep } from '../src/training/preflight/probe.ts';
import { dawnLack, type DawnLack } from './dawn.ts';
import { readBytes } from './files.ts';

const builtFolder = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../dist');

/**
 * The folder of the built page: next to the program in the package, and next to this folder in a checkout. Throws
 * FormatError if the page was not built.
 */
export function pageFolder(): string {
  if (!existsSync(path.join(builtFolder, 'index.html')))
    throw new FormatError(`${builtFolder}: the built page was not found; build it with npm run build.`);
  return builtFolder;
}

/**
 * The engine that was started. The description of its adapter and the reason for its choice are English text, because
 * the program has no other language.
 */
export type StartedEngine = Omit<ChosenEngine, 'adapter' | 'reason'> & { adapter: string; reason: string };

/** Starts the engine that the settings request. Throws ConfigError if it is not available. */
export async function startEngine(
  wish: EngineWish,
  { onFault = () => undefined, threads }: Partial<Pick<EngineParts, 'onFault' | 'threads'>> = {},
): Promise<StartedEngine> {
  const lack = wish === 'cpu' ? null : await provideWebGpu();
  if (wish === 'webgpu' && lack)
    throw new ConfigError(
      `run.backend: webgpu was requested, but ${lack.why}; ${lack.remedy}, or use run.backend = cpu.`,
    );
  const chosen = await chooseEngine(wish, {
    loadKernels: async () => {
      const { buffer, byteOffset, byteLength } = await readFile(fileURLToPath(kernelsUrl));
      return (buffer as ArrayBuffer).slice(byteOffset, byteOffset + byteLength);
    },
    probe: probeStep,
    recall: () => Promise.resolve(null),
    remember: () => Promise.resolve(),
    onFault,
    ...(lack && { withoutGpu: lack.why }),
    ...(threads !== undefined && { threads }),
  });
  return { ...chosen, adapter: inWords(chosen.adapter), reason: inWords(chosen.reason) };
}

/**
 * Makes Dawn's WebGPU available as `navigator.gpu`, as in a browser. Returns a description of the problem if Dawn's
 * package is not installed or finds no adapter, otherwise null.
 */
async function provideWebGpu(): Promise<DawnLack | null> {
  const lack = await dawnLack();
  if (lack) return lack;
  const dawn = await import('webgpu');
  Object.assign(globalThis, dawn.globals);
  const surroundings = globalThis as { navigator?: Navigator };
  if (surroundings.navigator === undefined)
    Object.defineProperty(globalThis, 'navigator', { value: { userAgent: `Node.js ${process.version}` } });
  Object.defineProperty(globalThis.navigator, 'gpu', { value: dawn.create([]), configurable: true });
  return null;
}

/**
 * The shipped warm start of a configuration. Throws ConfigError if there is none, and FormatError if the page was not
 * built.
 */
export async function loadShipped(config: Config): Promise<NamedArray[]> {
  const { name } = shippedFor(config);
  const shipped = path.join(pageFolder(), 'warmstart', `${name}.safetensors`);
  return readSafetensors(await readBytes(shipped)).tensors;
}

/**
 * Prepares the world of a run, as `readyWorld` of the page does: opens a world of the user's own, and loads the chat
 * templates if the world needs them. Throws ConfigError if the settings select an own world that is not included.
 */
export async function readyWorld(config: Config, world: OwnWorld | null): Promise<void> {
  const { name } = config.world;
  if (isOwn(name)) {
    if (world?.form.name !== name)
      throw new ConfigError(
        `world.name: the world ${name} is not included with these settings; use a run file that contains it.`,
      );
    await openWorld(world);
  }
  await readyWorlds(config);
}
