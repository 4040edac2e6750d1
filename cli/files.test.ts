// Tests where files are written, and which files are found.
import { execFileSync } from 'node:child_process';
import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
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

describe('a file that is written', () => {
  it('to a symbolic link is stored in its target, and the link is kept', async () => {
    mkdirSync(at('elsewhere'));
    writeFileSync(at('elsewhere/file'), 'before');
    symlinkSync('elsewhere/file', at('link'));
    await writeWhole(at('link'), 'after');
    expect(lstatSync(at('link')).isSymbolicLink()).toBe(true);
    expect(readFileSync(at('elsewhere/file'), 'utf8')).toBe('after');
    mkdirSync(at('empty'));
    symlinkSync('empty', at('linked'));
    await writeFolder(at('linked'), new Map([['one', Uint8Array.of(1)]]));
    expect([lstatSync(at('linked')).isSymbolicLink(), readdirSync(at('empty'))]).toEqual([true, ['one']]);
  });

  it('does not replace a pipe, a device, or a link without a target', async () => {
    execFileSync('mkfifo', [at('pipe')]);
    symlinkSync('nowhere', at('link'));
    const pieces = (name: string) => writePieces(at(name), (take) => Promise.resolve(take(Uint8Array.of(1))));
    await expect(writeWhole(at('pipe'), 'text')).rejects.toThrow(
      'it is neither a file nor a folder; choose another path',
    );
    await expect(pieces('pipe')).rejects.toThrow('it is neither a file nor a folder; choose another path');
    await expect(pieces('link')).rejects.toThrow('it is a link that leads nowhere; choose another path');
    expect(lstatSync(at('pipe')).isFIFO()).toBe(true);
    expect(readdirSync(folder).sort()).toEqual(['link', 'pipe']);
  });
});

describe('the content of a folder', () => {
  it('is found through links, each folder once, without circular and broken links', async () => {
    mkdirSync(at('run/checkpoints'), { recursive: true });
    mkdirSync(at('disk'));
    for (const name of ['run/run.record', 'run/checkpoints/1', 'disk/2', 'run/3.7.part']) writeFileSync(at(name), '');
    symlinkSync('.', at('run/again'));
    symlinkSync('checkpoints', at('run/a-copy'));
    symlinkSync('../disk', at('run/iterations'));
    symlinkSync('../../disk/2', at('run/checkpoints/2'));
    symlinkSync('nowhere', at('run/lost'));
    expect((await filesUnder(at('run'))).sort()).toEqual([
      'checkpoints/1',
      'checkpoints/2',
      'iterations/2',
      'run.record',
    ]);
  });

  it('is a model if links lead to its files, as in the cache of Hugging Face', async () => {
    mkdirSync(at('snapshot'));
    mkdirSync(at('blobs'));
    for (const [blob, name] of [
      ['0a', 'config.json'],
      ['0b', 'model.safetensors'],
      ['0c', 'tokenizer.json'],
    ] as const) {
      writeFileSync(at(`blobs/${blob}`), blob);
      symlinkSync(`../blobs/${blob}`, at(`snapshot/${name}`));
    }
    const files = await modelAt(at('snapshot'));
    expect(files?.map(({ name, size }) => [name, size]).sort()).toEqual([
      ['config.json', 2],
      ['model.safetensors', 2],
      ['tokenizer.json', 2],
    ]);
    expect(files && new TextDecoder().decode(await files.find(({ name }) => name === 'config.json')?.bytes())).toBe(
      '0a',
    );
  });
});

it.each([
  [
    'UTF-16',
    Buffer.from('\uFEFFformat: 1\n', 'utf16le'),
    /run\.yaml: expected a text in UTF-8, got UTF-16; save it again/,
  ],
  [
    'Latin-1',
    Buffer.from('name: é\n', 'latin1'),
    /run\.yaml: line 1: the text is not written in UTF-8, but perhaps in Latin-1 or/,
  ],
])('a text in %s is refused by name, and one in UTF-8 is read without its mark', async (_, bytes, message) => {
  writeFileSync(at('run.yaml'), bytes);
  const read = readText(at('run.yaml'));
  await expect(read).rejects.toThrow(FormatError);
  await expect(read).rejects.toThrow(message);
  writeFileSync(at('run.yaml'), '\uFEFFname: é\n');
  expect(await readText(at('run.yaml'))).toBe('name: é\n');
});
