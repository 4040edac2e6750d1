// Tests which process may train in a run's folder.
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ConfigError, StorageError } from '../../src/base/errors.ts';
import { lockFolder } from './folderLock.ts';

const pace = { beatMs: 20, silentMs: 200, tellMs: 20 };
let folder = '';
let said: string[] = [];
const locked = () => lockFolder(path.join(folder, 'run'), (words) => said.push(words), pace);
const file = () => path.join(folder, 'run/run.lock');
const holder = () =>
  JSON.parse(readFileSync(file(), 'utf8')) as { pid: number; host: string; machine: string; begun: string };
const leave = (changes: object) => writeFileSync(file(), JSON.stringify({ ...holder(), ...changes }));

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'cothink-'));
  said = [];
});
afterEach(() => rmSync(folder, { recursive: true }));

describe('the lock of a folder', () => {
  it('is held by one process at a time, refuses others by name with a remedy, and leaves nothing behind', async () => {
    const lock = await locked();
    const refused = locked();
    await expect(refused).rejects.toThrow(ConfigError);
    await expect(refused).rejects.toThrow(`process ${process.pid} on ${hostname()} is training in ${folder}/run`);
    await expect(refused).rejects.toThrow(`If there is no such process, delete ${file()}.`);
    await lock.release();
    expect(readdirSync(folder)).toEqual([]);
  });

  it('is obtained by exactly one of ten simultaneous processes', async () => {
    const came = await Promise.allSettled(Array.from({ length: 10 }, () => locked()));
    expect(came.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });

  it('of a killed process is taken over, also if a later process has the same number', async () => {
    await locked();
    const killed = spawn(process.execPath, ['-e', '']);
    await new Promise((resolve) => killed.on('close', resolve));
    leave({ pid: killed.pid });
    await locked();
    expect(holder().pid).toBe(process.pid);
    if (holder().begun === '') return; // the system does not tell when a process began
    leave({ begun: '1' });
    await locked();
    expect(holder().begun).not.toBe('1');
    expect(said).toEqual([]);
  });

  it('of another machine is respected while it is refreshed, and then taken over', async () => {
    const lock = await locked();
    leave({ host: 'elsewhere' });
    await expect(locked()).rejects.toThrow('on elsewhere is training in');
    expect(said).toEqual([expect.stringContaining('on elsewhere was training here; waiting')]);
    await lock.release();
    expect(existsSync(file())).toBe(true); // it is not its own any more
    utimesSync(file(), 1, 1);
    await locked();
    expect(holder().host).toBe(hostname());
  });

  it('of a process that was killed before it wrote its identity is taken over', async () => {
    await locked();
    writeFileSync(file(), '');
    await locked();
    expect(holder().pid).toBe(process.pid);
  });

  it('cannot be obtained if the folder is a file', async () => {
    writeFileSync(path.join(folder, 'run'), '');
    await expect(locked()).rejects.toThrow(
      new StorageError(
        `${folder}/run: this path could not be written: it is a file, but a folder is needed; choose another path.`,
      ),
    );
  });
});
