// Tests, with the shipped program, a run based on a model that its checkpoints do not contain: the run can be trained
// and exported in every form, it cannot be resumed without the model's file, and it can be resumed when the file is
// given again.
import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { unzipSync } from 'fflate';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { heldFile } from '../../src/formats/givenFile.ts';
import { readLlama } from '../../src/formats/llama/readLlama.ts';
import { dequantised } from '../../src/records/stored/storedMatrix.ts';
import { heldGguf, heldSettings } from '../../src/formats/testing/heldBase.ts';
import { buildProgram, cothink, removeProgram } from '../testing/program.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'cothink-'));
const at = (...names: string[]) => path.join(folder, ...names);
const [file, elsewhere] = [at('theirs.gguf'), at('moved', 'theirs.gguf')];

const json = async (...args: string[]) => {
  const { code, out, err } = await cothink([...args, '--json']);
  expect(err).toBe('');
  expect(code).toBe(0);
  return JSON.parse(out) as Record<string, unknown>;
};
/** The error message of a command that must fail. */
const refused = async (...args: string[]) => {
  const { code, out, err } = await cothink(args);
  expect(code).toBe(2);
  return { out, err };
};
const run = () => at('run');

beforeAll(async () => {
  buildProgram();
  writeFileSync(file, heldGguf());
  mkdirSync(at('moved'));
  const set = heldSettings.flatMap(([path_, value]) => ['--set', `${path_}=${value}`]);
  const { code, err } = await cothink([
    'train',
    '--preset',
    'micro',
    ...set,
    '--set',
    `agents.start=${file}`,
    '--set',
    'run.iterations=1',
    '--out',
    run(),
  ]);
  expect([code, err.includes('cothink:')]).toEqual([0, false]);
}, 300_000);
afterAll(() => {
  rmSync(folder, { recursive: true });
  removeProgram();
});

describe('with the model file in its place', () => {
  it('the run is described with the model, and its adapter is small', async () => {
    const { base } = await json('info', run());
    const { size } = statSync(file);
    expect(base).toMatchObject({
      label: 'theirs',
      path: file,
      isThere: true,
      files: [{ name: 'theirs.gguf', bytes: size }],
    });
    await json('export', run(), '--as', 'adapter', '--out', at('adapter.zip'));
    const files = unzipSync(readFileSync(at('adapter.zip')));
    expect(Object.keys(files).sort()).toEqual([
      'README.md',
      'adapter_config.json',
      'adapter_model.safetensors',
      'tokenizer.json',
      'tokenizer_config.json',
    ]);
    expect(statSync(at('adapter.zip')).size).toBeLessThan(size / 10);
  });

  it('the run is merged in every form to the same numbers, each rounded once', async () => {
    await json('export', run(), '--as', 'merged', '--type', 'F32', '--out', at('merged.zip'));
    await json('export', run(), '--as', 'gguf', '--out', at('f16.gguf'));
    await json('export', run(), '--as', 'gguf', '--type', 'Q8_0', '--out', at('q8.gguf'));
    const opened = (name: string) => readLlama([heldFile(name, new Uint8Array(readFileSync(at(name))))]);
    const [frozen, whole, half, eighth] = [
      await opened('theirs.gguf'),
      await opened('merged.zip'),
      await opened('f16.gguf'),
      await opened('q8.gguf'),
    ];
    expect([half.tokenizer, eighth.chatTemplate, whole.shape.numLayers]).toEqual([
      frozen.tokenizer,
      frozen.chatTemplate,
      frozen.shape.numLayers,
    ]);
    let moved = 0;
    for (const [i, matrix] of whole.matrices.entries()) {
      const exact = dequantised(matrix);
      const before = dequantised(frozen.matrices[i] as typeof matrix);
      const largest = exact.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
      const apart = (model: typeof half) =>
        dequantised(model.matrices[i] as typeof matrix).reduce(
          (most, value, n) => Math.max(most, Math.abs(value - (exact[n] as number))),
          0,
        );
      expect(apart(half), matrix.name).toBeLessThanOrEqual(largest / 2000);
      expect(apart(eighth), matrix.name).toBeLessThanOrEqual(largest / 230);
      moved += exact.reduce((sum, value, n) => sum + Math.abs(value - (before[n] as number)), 0);
    }
    expect(moved).toBeGreaterThan(0);
  });

  it('an archive contains the model if it is requested, and can be resumed where the model is missing', async () => {
    const [{ bytes: small }, { bytes: large }] = [
      await json('export', run(), '--out', at('small.zip')),
      await json('export', run(), '--with-model', '--out', at('large.zip')),
    ] as { bytes: number }[] as [{ bytes: number }, { bytes: number }];
    expect(large - small).toBeGreaterThan(statSync(file).size);
    await json('import', at('large.zip'), '--out', at('brought'));
    const place = at('brought', 'model', 'theirs.gguf');
    expect(await json('info', at('brought'))).toMatchObject({ base: { path: place, isThere: true } });
    expect(Buffer.compare(readFileSync(place), readFileSync(file))).toBe(0);
    expect(await json('eval', at('brought'))).toMatchObject({ iteration: 1, problems: 8 });
    expect((await json('export', at('brought'), '--out', at('again.zip')))['bytes']).toBe(small);
  });

  it('full weights are refused with the list of available forms', async () => {
    const { err } = await refused('export', run(), '--as', 'weights');
    expect(err).toMatch(/weights: this run uses theirs, .*save the adapter/);
  });
});

describe('without the model file', () => {
  const wanted =
    /theirs \(model-[0-9a-f]{16}, 17\.\d million parameters; theirs\.gguf, \d+ bytes, SHA-256 [0-9a-f]{64}\)/;

  beforeAll(() => renameSync(file, elsewhere));

  it('info and eval say what they know and which file is needed', async () => {
    expect(await json('info', run())).toMatchObject({ base: { isThere: false, path: file }, damaged: [] });
    const evaluated = await refused('eval', run());
    expect(evaluated.err).toMatch(wanted);
    expect(JSON.parse(evaluated.out)).toMatchObject({ iteration: 1, isStored: true, problems: 8 });
  });

  it('exports without weights work, and exports with weights say which file is needed', async () => {
    for (const kind of ['trajectories', 'metrics', 'run', 'archive'])
      expect(await json('export', run(), '--as', kind, '--out', at(`without.${kind}`))).toMatchObject({
        file: at(`without.${kind}`),
      });
    for (const args of [
      ['export', run(), '--as', 'adapter'],
      ['collect', run()],
      ['train', '--resume', '--out', run(), '--set', 'run.iterations=2'],
    ])
      expect((await refused(...args)).err).toMatch(wanted);
  });

  it('another model is refused, and the run resumes with the right file', async () => {
    const other = new Uint8Array(readFileSync(elsewhere));
    const last = other.length - 40;
    other[last] = (other[last] as number) ^ 1;
    writeFileSync(at('other.gguf'), other);
    const onward = ['train', '--resume', '--out', run(), '--set', 'run.iterations=2'];
    expect((await refused(...onward, '--model', at('other.gguf'))).err).toMatch(/contains another model \(model-/);
    expect((await cothink([...onward, '--model', elsewhere])).code).toBe(0);
    expect(await json('info', run())).toMatchObject({ iteration: 2, base: { isThere: true, path: elsewhere } });
    expect(await json('eval', run())).toMatchObject({ iteration: 2, problems: 8 });
  });
});
