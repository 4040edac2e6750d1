// Deceptive files: zips that state false sizes, and text with terminal control characters.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { zipSync } from 'fflate';
import { isNamedError } from '../../src/base/errors.ts';
import { readRunArchive } from '../../src/formats/runArchive.ts';
import { lyingZip } from '../../src/formats/testing/lyingZip.ts';
import { unzipped } from '../../src/formats/zip.ts';
import { isEntryName, labelEntry, runEntry } from '../../src/storage/archive/archivedRun.ts';
import * as sample from '../../src/storage/testing/sampleRecords.ts';
import type { AttackRow } from './report.ts';

export function attackFiles(): AttackRow[] {
  return [lyingZips(), terminalEscapes()];
}

/** The limit in milliseconds of processor time; unpacking the whole content takes seconds. */
const mostMs = 500;

/** Reads zips that state a size that is too small or too large, and contain 400 MB of zeros. */
function lyingZips(): AttackRow {
  const faults: string[] = [];
  let slowest = 0;
  const states = [0, 1, 100, 100_000, 399_999_999];
  const readers = {
    'a run archive': (zip: Uint8Array) => readRunArchive(zip, isEntryName),
    'a model': (zip: Uint8Array) => unzipped(zip, () => true),
  };
  const zips = states.map((stated) => lyingZip('run.record', 400_000_000, stated));
  for (const [i, zip] of zips.entries())
    for (const [what, read] of Object.entries(readers)) {
      const before = process.cpuUsage();
      try {
        read(zip);
        faults.push(`${what} that states ${states[i]} bytes was taken`);
      } catch (error) {
        if (!isNamedError(error)) faults.push(`${what} that states ${states[i]} bytes: ${String(error)}`);
      }
      const { user, system } = process.cpuUsage(before);
      const ms = (user + system) / 1000;
      // A file that correctly states nearly the full size costs nearly the full time.
      if ((states[i] as number) < 1e6) slowest = Math.max(slowest, ms);
    }
  if (slowest > mostMs) faults.push(`${Math.round(slowest)} ms of the processor for one`);
  const count = zips.length * Object.keys(readers).length;
  return { part: 'files', what: 'lying zips', count, note: `slowest ${Math.round(slowest)} ms`, faults };
}

const evil = 'a\u001b[31mb\u001b]0;owned\u0007c\u009b2Jd\u202egpj.exe\u2066e';
/** Characters that a terminal would obey, except for line breaks and tabs. */
const obeyed = /(?![\n\t])[\p{Cc}\u202a-\u202e\u2066-\u2069]/u;

/** Checks the output of the program for such text, on a pseudo-terminal if this machine has one, and into a pipe. */
function terminalEscapes(): AttackRow {
  const folder = mkdtempSync(path.join(tmpdir(), 'cothink-escapes-'));
  const at = (name: string, content: string | Uint8Array) => {
    writeFileSync(path.join(folder, name), content);
    return path.join(folder, name);
  };
  const archive = (name: string, label: object) =>
    at(
      name,
      zipSync(
        Object.fromEntries(
          [
            runEntry({ ...sample.run(), name: 'calm-otter' }),
            labelEntry({ runId: sample.id, name: 'calm', notes: '', tags: [], isPinned: false, ...label }),
          ].map((one) => [one.name, one.bytes]),
        ),
      ),
    );
  const named = zipSync(
    Object.fromEntries([runEntry({ ...sample.run(), name: evil })].map((one) => [one.name, one.bytes])),
  );
  const commands = [
    ['info', at('named.zip', named)],
    ['info', archive('labelled.zip', { name: evil })],
    ['info', archive('noted.zip', { notes: evil })],
    ['info', archive('tagged.zip', { tags: [evil] })],
    ['info', at('stranger.zip', zipSync({ [evil]: new Uint8Array(1) }))],
    ['info', path.join(folder, evil.replaceAll('\u0000', ''))],
    ['train', at('key.yaml', `format: 1\nworld:\n  ${JSON.stringify(evil)}: 1\n`), '--out', path.join(folder, 'out')],
    [
      'train',
      at('value.yaml', `format: 1\nworld:\n  name: ${JSON.stringify(evil)}\n`),
      '--out',
      path.join(folder, 'out'),
    ],
    ['train', '--set', `world.${evil}=1`],
    ['train', '--preset', evil],
    [evil],
    ['info', `--${evil}`],
  ];
  const program = path.resolve('dist-cli/main.mjs');
  const hasTerminal = spawnSync('script', ['--version']).status === 0;
  const faults = commands.flatMap((args) => {
    const piped = spawnSync(process.execPath, [program, ...args], { encoding: 'utf8' });
    const words = [process.execPath, program, ...args].map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(' ');
    const onTerminal = hasTerminal
      ? spawnSync('script', ['-qec', words, '/dev/null'], { encoding: 'utf8' }).stdout
      : '';
    // The terminal itself ends lines with two characters, and the program clears the line of its own bar.
    const texts = [piped.stdout, piped.stderr, onTerminal.replaceAll('\r\n', '\n').replaceAll('\r\u001b[2K', '')];
    return texts.some((text) => obeyed.test(text)) ? [`${args[0] ?? ''} ${JSON.stringify(args.at(-1))}`] : [];
  });
  rmSync(folder, { recursive: true });
  const note = hasTerminal
    ? 'on a pseudo-terminal and into a pipe'
    : 'into a pipe; there is no `script` here for a terminal';
  return { part: 'files', what: 'terminal escapes', count: commands.length, note, faults };
}
