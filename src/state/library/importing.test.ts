import { describe, expect, it } from 'vitest';
import type { ImportProgress, StartImport } from '../../api/importConnection.ts';
import type { ImportReport } from '../../config/worlds/imported.ts';
import { FormatError } from '../../base/errors.ts';
import type { OwnWorld } from '../../config/worlds/own.ts';
import { Importing } from './importing.svelte.ts';

const world: OwnWorld = {
  content: { kind: 'table', packed: '' },
  form: {
    ...{ name: 'own-0123456789abcdef', label: 'GSM8K: sums', sentence: '', hidden: [], parts: [], vocabularies: {} },
    levels: [{ level: 1, label: 'all' }],
  },
};
const report: ImportReport = {
  ...{ world, fault: '', shape: 'GSM8K', unit: 'line', rows: 9, isCut: false, kept: 8, rejections: [], first: [] },
};
const file = (name: string) => new File(['{}'], name);

/** Fake imports, which end only when the test ends them. */
function started() {
  const calls: { tell: (progress: ImportProgress) => void; end: (report: ImportReport | Error) => void }[] = [];
  const cancelled: number[] = [];
  const start: StartImport = (_, tell) => {
    const number = calls.length;
    const result = new Promise<ImportReport>((resolve, reject) => {
      calls.push({ tell, end: (given) => (given instanceof Error ? reject(given) : resolve(given)) });
    });
    return { done: result, cancel: () => cancelled.push(number) };
  };
  return { start, calls, cancelled };
}

describe('an import', () => {
  it('reports its progress and its result, and is stored under the typed label', async () => {
    const { start, calls } = started();
    const kept: OwnWorld[] = [];
    const importing = new Importing((one) => Promise.resolve(kept.push(one) > 0), start);
    const reading = importing.read(file('sums.jsonl'));
    calls[0]?.tell({ words: 'Reading the file', readBytes: 5 });
    expect(importing.stage).toEqual({ kind: 'reading', progress: { words: 'Reading the file', readBytes: 5 } });
    calls[0]?.end(report);
    await reading;
    expect(importing.stage).toEqual({ kind: 'read', report });
    expect(importing.label).toBe('GSM8K: sums');
    importing.label = ' My sums ';
    expect(await importing.save()).toMatchObject({ name: world.form.name, label: 'My sums' });
    expect(kept.map(({ form }) => form.label)).toEqual(['My sums']);
    expect(importing.stage.kind).toBe('idle');
  });

  it('that was cancelled or replaced reports nothing more', async () => {
    const { start, calls, cancelled } = started();
    const importing = new Importing(() => Promise.resolve(true), start);
    const first = importing.read(file('one'));
    const second = importing.read(file('two'));
    calls[0]?.tell({ words: 'late', readBytes: 1 });
    calls[0]?.end({ ...report, shape: 'other' });
    await first;
    expect(importing.stage).toMatchObject({ kind: 'reading', progress: { words: 'Opening the file' } });
    importing.cancel();
    calls[1]?.end(report);
    await second;
    expect([importing.stage.kind, cancelled]).toEqual(['idle', [0, 1]]);
    expect(await importing.save()).toBeNull();
  });

  it('that cannot be read says why, and one that cannot be stored can be stored later', async () => {
    const { start, calls } = started();
    const importing = new Importing(() => Promise.resolve(false), start);
    const reading = importing.read(file('one'));
    calls[0]?.end(new FormatError('the file: nothing in it'));
    await reading;
    expect(importing.stage).toEqual({ kind: 'refused', message: 'the file: nothing in it' });
    const again = importing.read(file('two'));
    calls[1]?.end(report);
    await again;
    expect(await importing.save()).toBeNull();
    expect(importing.stage.kind).toBe('read');
  });
});
