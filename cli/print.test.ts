// Tests the shipped program when its output goes to a full disk or a closed pipe.
import { execFile, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openRun } from './runFolder.ts';
import { buildProgram, cothink, programFile, removeProgram } from './testing/program.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'cothink-'));
const at = (name: string) => path.join(folder, name);
const asked = ['train', '--preset', 'micro', '--set', 'run.backend=cpu', '--set', 'run.iterations=3', '--threads', '1'];

beforeAll(buildProgram, 120_000);
afterAll(() => {
  removeProgram();
  rmSync(folder, { recursive: true });
});

describe.runIf(existsSync('/dev/full'))('with standard output on a full disk', () => {
  const full = (args: readonly string[]) =>
    new Promise<[number, string]>((resolve) => {
      const script = 'exec "$0" "$@" > /dev/full';
      const child = execFile('/bin/sh', ['-c', script, process.execPath, programFile(), ...args], (_, __, err) =>
        resolve([child.exitCode ?? -1, err]),
      );
    });

  it.each([
    ['help', ['--help']],
    ['training', [...asked, '--out', at('full')]],
  ])('%s ends with code 2 and one line', async (_, args) => {
    expect(await full(args)).toEqual([2, 'cothink: standard output could not be written: the disk is full.\n']);
  });

  it('training leaves a folder that can be resumed', async () => {
    const { code, news } = await cothink([...asked, '--resume', '--out', at('full')]);
    expect([code, news.at(-1)]).toMatchObject([0, { event: 'done', iteration: 3 }]);
  });
});

it('training continues to its end if nobody reads its output', async () => {
  const child = spawn(process.execPath, [programFile(), ...asked, '--out', at('unread')]);
  let err = '';
  child.stderr.on('data', (bytes: Buffer) => (err += bytes.toString()));
  child.stdout.once('data', () => child.stdout.destroy());
  const code = await new Promise((resolve) => child.on('close', resolve));
  expect([code, err]).toEqual([0, '']);
  expect((await (await openRun(at('unread'))).run()).isDone).toBe(true);
});
