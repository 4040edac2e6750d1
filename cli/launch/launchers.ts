// The engines of `cothink launch`, found by their location in the source tree.
import { ConfigError } from '../../src/base/errors.ts';
import type { CommandArguments, CommandOption } from '../command.ts';
import type { Launcher, LauncherFacts } from './launcher.ts';

/** The facts of all launchers, sorted by `order`. */
export const launcherFacts: readonly LauncherFacts[] = Object.values(
  import.meta.glob<LauncherFacts>('../../src/extensions/launchers/*/facts.ts', { eager: true, import: 'facts' }),
).sort((one, other) => one.order - other.order);

const code = import.meta.glob<Launcher>('../../src/extensions/launchers/*/launcher.ts', { import: 'launcher' });

/** The options that only some launchers accept. */
export const launcherOptions: Readonly<Record<string, CommandOption>> = Object.assign(
  {},
  ...launcherFacts.map(({ options }) => options ?? {}),
);

/**
 * The launcher that is selected with `--on`. Throws ConfigError if `--on` is missing or its value is not a launcher, or
 * if an option that this launcher requires is missing.
 */
export function launcherAsked(given: CommandArguments): LauncherFacts {
  const names = launcherFacts.map(({ name }) => name);
  const name = given.oneOf('on', names);
  const facts = launcherFacts.find((one) => one.name === name);
  if (!facts) throw new ConfigError(`--on: this option is required; choose one of ${names.join(', ')}.`);
  for (const option of facts.needs ?? [])
    if (!given.text(option)) throw new ConfigError(`--${option}: this option is required for a job on ${facts.label}.`);
  return facts;
}

/** Loads the code of a launcher. */
export async function loadLauncher({ name }: LauncherFacts): Promise<Launcher> {
  const load = code[`../../src/extensions/launchers/${name}/launcher.ts`];
  if (!load) throw new Error(`src/extensions/launchers/${name}/launcher.ts: there is no such file.`);
  return load();
}
