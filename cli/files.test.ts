// Where files are put, and which are found.
import { execFileSync } from 'node:child_process';
import { lstatSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'; // prettier-ignore
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FormatError } from '../src/base/errors.ts';
import { filesUnder, readText, writeFolder, writePieces, writeWhole } from './files.ts';
import { modelAt } from './stored/model.ts';

let folder = '';
const at = (name: string) => path.join(folder, name);
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'cothink-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

it.each([
  ['UTF-16', Buffer.from('\uFEFFformat: 1\n', 'utf16le')],
  ['Latin-1', Buffer.from('name: é\n', 'latin1')],
])('a text in %s is refused by name, and one in UTF-8 is read without its mark', async (_, bytes) => {
  writeFileSync(at('run.yaml'), bytes);
  const read = readText(at('run.yaml'));
  await expect(read).rejects.toThrow(FormatError);
  await expect(read).rejects.toThrow(/run\.yaml: expected a text in UTF-8, got other bytes; save it again/);
  writeFileSync(at('run.yaml'), '\uFEFFname: é\n');
  expect(await readText(at('run.yaml'))).toBe('name: é\n');
});
