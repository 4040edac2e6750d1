// Tests the commands that list names, and that every listed name is accepted where it is used.
import { afterEach, describe, expect, it, vi } from 'vitest';
import { describeFields } from '../src/config/describe.ts';
import { presets } from '../src/config/presets.ts';
import { worldNames } from '../src/config/worlds/registry.ts';
import { commands } from './commands.ts';
import { type Command, readGiven } from './command.ts';

afterEach(() => vi.restoreAllMocks());

/** The output of a command, in the form for programs. */
async function told(name: string, ...args: string[]): Promise<unknown> {
  const written: string[] = [];
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => written.push(String(text)) > 0);
  const command = commands.find((one) => one.name === name) as Command;
  try {
    expect(await command.run(readGiven(command, [...args, '--json']))).toBe(0);
  } finally {
    vi.restoreAllMocks();
  }
  return JSON.parse(written.join(''));
}

describe('a list of names', () => {
  it('has every preset, world and setting', async () => {
    const names = (all: unknown, key: string) => (all as Record<string, { name?: string; path?: string }[]>)[key];
    expect(names(await told('presets'), 'presets')?.map(({ name }) => name)).toEqual(Object.keys(presets));
    expect(names(await told('worlds'), 'worlds')?.map(({ name }) => name)).toEqual(worldNames);
    const paths = describeFields().map(({ path }) => path);
    expect(names(await told('settings'), 'settings')?.map(({ path }) => path)).toEqual(paths);
  });

  it('describes each preset, world and setting', async () => {
    expect(await told('presets', 'debate')).toMatchObject({
      label: 'Debate',
      settings: { 'agents.protocol': 'debate', 'agents.count': 2 },
    });
    expect(await told('worlds', 'algebra')).toMatchObject({ label: 'Algebra', levels: { length: 4 } });
    expect(await told('settings', 'run.seed')).toMatchObject({ path: 'run.seed', default: 1 });
    for (const name of Object.keys(presets)) expect(await told('presets', name)).toMatchObject({ name });
    for (const name of worldNames) expect(await told('worlds', name)).toMatchObject({ name });
    for (const { path } of describeFields()) expect(await told('settings', path)).toMatchObject({ path });
  });

  it('of a section has its settings alone', async () => {
    const { settings } = (await told('settings', 'kl')) as { settings: { path: string }[] };
    expect(settings.length).toBeGreaterThan(2);
    expect(settings.every(({ path }) => path.startsWith('kl.'))).toBe(true);
  });

  it.each([
    ['presets', 'debat', 'there is no such preset. Did you mean debate? cothink presets lists all of them.'],
    ['worlds', 'constructor', 'there is no such world. cothink worlds lists all of them.'],
    ['settings', 'run.sed', 'there is no such setting. Did you mean run.seed?'],
  ])('%s refuses %s', async (name, word, says) => {
    await expect(told(name, word)).rejects.toThrow(says);
  });
});
