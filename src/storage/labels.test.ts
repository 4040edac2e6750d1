// Tests of the visitor's label of a run. It is a record of its own, it is used whenever the run is read, and the run
// can be read even if the label is damaged.
import { describe, expect, it } from 'vitest';
import { StorageError } from '../base/errors.ts';
import { runId } from '../records/ids.ts';
import { isFound, labelLimits, tagsIn, type RunLabel } from '../records/stored/runLabel.ts';
import { IndexedDbStore } from './checkpointStore.ts';
import { openDatabase } from './database.ts';
import * as reading from './reading.ts';
import { id, run } from './testing/sampleRecords.ts';
import { emptyDatabase } from './testing/emptyDatabase.ts';

emptyDatabase();

const store = new IndexedDbStore();
const label = (changes: Partial<RunLabel> = {}): RunLabel => ({
  ...{ runId: id, name: 'the lazy one', notes: 'Stopped talking.', tags: ['lazy', 'grpo'], isPinned: true },
  ...changes,
});
const listed = async () => (await reading.listRuns()).runs;

describe('a label', () => {
  it('names its run wherever it is read, also after its trainer has stored it again, and goes with it', async () => {
    await store.saveRun(run());
    expect((await listed())[0]).toMatchObject({ label: null, isLabelDamaged: false });
    expect(await store.saveLabel(label())).toEqual(label());
    await store.saveRun(run({ iteration: 9 }));
    expect((await reading.loadRun(id)).name).toBe('the lazy one');
    expect(await listed()).toMatchObject([{ run: { name: 'the lazy one', iteration: 9 }, label: label() }]);
    await store.deleteRun(id);
    expect(await reading.loadLabel(id)).toBeNull();
    expect(await (await openDatabase()).count('labels')).toBe(0);
  });

  it('names the run in those that go on from it, and in what keeps it from being deleted', async () => {
    const fork = runId('run-2');
    await store.saveRun(run());
    await store.saveRun(run({ id: fork, name: 'a fork', forkedFrom: { id, name: 'calm-otter', iteration: 2 } }));
    await store.saveLabel(label());
    await store.saveLabel(label({ runId: fork, name: 'its child' }));
    expect((await reading.loadRun(fork)).forkedFrom?.name).toBe('the lazy one');
    expect((await listed()).find((one) => one.run.id === fork)?.run.forkedFrom?.name).toBe('the lazy one');
    await expect(store.deleteRun(id)).rejects.toThrow(
      /run-1: the run its child continues this run .* delete the other run first/,
    );
    expect(await listed()).toHaveLength(2);
  });

  it('with the name of another run gets a number, and keeps it when it is stored again', async () => {
    const other = runId('run-2');
    await store.saveRun(run());
    await store.saveRun(run({ id: other, name: 'tidy-seal' }));
    expect((await store.saveLabel(label({ name: 'tidy-seal' }))).name).toBe('tidy-seal 2');
    expect((await store.saveLabel(label({ name: 'tidy-seal 2' }))).name).toBe('tidy-seal 2');
    await store.saveLabel(label({ runId: other, name: 'new' }));
    expect((await store.saveLabel(label({ name: 'tidy-seal' }))).name).toBe('tidy-seal');
    // While the run has another name, its own name is free for other runs.
    expect(await reading.uniqueStoredName('calm-otter')).toBe('calm-otter');
    const longest = 'n'.repeat(labelLimits.name);
    await store.saveLabel(label({ runId: other, name: longest }));
    expect((await store.saveLabel(label({ name: longest }))).name).toBe(`${longest} 2`);
    expect((await reading.loadLabel(id))?.name).toBe(`${longest} 2`);
  });

  it('of a run with a name longer than any that can be given keeps it, and another name is as long as it may be', async () => {
    const long = 'n'.repeat(120);
    await store.saveRun(run({ name: long }));
    expect(await store.saveLabel(label({ name: long }))).toEqual(label({ name: long }));
    expect(await listed()).toMatchObject([
      { run: { name: long }, label: label({ name: long }), isLabelDamaged: false },
    ]);
    await expect(store.saveLabel(label({ name: `${long}.` }))).rejects.toThrow(/a name of 1 to 80 characters/);
    expect((await store.saveLabel(label({ name: 'short' }))).name).toBe('short');
  });

  it.each([80, 88])(
    'of a run whose name of %d letters another has too is read back as it was stored',
    async (letters) => {
      const name = 'n'.repeat(letters);
      await store.saveRun(run({ name }));
      await store.saveRun(run({ id: runId('run-2'), name }));
      const stored = await store.saveLabel(label({ name }));
      expect(await reading.loadLabel(id)).toEqual(stored);
      expect(await store.saveLabel(stored)).toEqual(stored);
    },
  );

  it('that a former version stored with a number behind the longest name is read', async () => {
    await store.saveRun(run());
    const former = label({ name: `${'n'.repeat(labelLimits.name + 8)} 2` });
    await (await openDatabase()).put('labels', former);
    expect(await listed()).toMatchObject([{ run: { name: former.name }, label: former }]);
    expect(await store.saveLabel({ ...former, isPinned: false })).toEqual({ ...former, isPinned: false });
  });

  it('is stored without what surrounds its words, each tag once', async () => {
    await store.saveRun(run());
    const stored = await store.saveLabel(label({ name: '  spaced ', notes: ' two\nlines\n', tags: [' a', 'a ', 'b'] }));
    expect(stored).toMatchObject({ name: 'spaced', notes: 'two\nlines', tags: ['a', 'b'] });
    expect(await reading.loadLabel(id)).toEqual(stored);
  });

  it.each<[string, Partial<RunLabel>]>([
    ['no name', { name: '  ' }],
    ['a name of two lines', { name: 'one\ntwo' }],
    ['a name too long', { name: 'n'.repeat(labelLimits.name + 1) }],
    ['notes too long', { notes: 'n'.repeat(labelLimits.notes + 1) }],
    ['too many tags', { tags: Array.from({ length: labelLimits.tags + 1 }, (_, i) => `tag ${i}`) }],
    ['a tag too long', { tags: ['t'.repeat(labelLimits.tag + 1)] }],
    ['an empty tag', { tags: [''] }],
  ])('with %s is refused, and the one before stays', async (_, changes) => {
    await store.saveRun(run());
    await store.saveLabel(label());
    await expect(store.saveLabel(label(changes))).rejects.toThrow(/expected a name of 1 to 80 characters/);
    expect(await reading.loadLabel(id)).toEqual(label());
  });

  it.each<[string, Partial<RunLabel>]>([
    ['name', { name: '\u202Efdp.exe' }],
    ['notes', { notes: 'as\u2067 it is' }],
    ['tag', { tags: ['a', 'b\u202D'] }],
  ])(
    'with a %s that turns the direction of writing is refused, and one stored so opens without',
    async (_, changes) => {
      await store.saveRun(run());
      await expect(store.saveLabel(label(changes))).rejects.toThrow(
        /characters that change the writing direction; leave/,
      );
      await (await openDatabase()).put('labels', label(changes));
      const opened = await reading.loadLabel(id);
      expect(JSON.stringify([opened?.notes, opened?.tags])).not.toMatch(/[\u202A-\u202E\u2066-\u2069]/);
      // The run is now pinned; the rest of its label is unchanged.
      expect(await store.saveLabel({ ...opened!, isPinned: true })).toEqual({ ...opened, isPinned: true });
    },
  );

  it('of a run that is not stored is refused', async () => {
    await expect(store.saveLabel(label())).rejects.toThrow(StorageError);
    expect(await (await openDatabase()).count('labels')).toBe(0);
  });

  it.each([null, 7, { runId: id }, { ...label(), tags: 'lazy' }, { ...label(), isPinned: 1 }])(
    'that is damaged (%j) hides no run, is said to be, and is replaced by the next',
    async (damaged) => {
      await store.saveRun(run());
      const whole = typeof damaged === 'object' && damaged !== null ? damaged : { value: damaged };
      await (await openDatabase()).put('labels', { ...whole, runId: id } as never);
      expect(await listed()).toMatchObject([{ run: { name: 'calm-otter' }, label: null, isLabelDamaged: true }]);
      expect((await reading.loadRun(id)).name).toBe('calm-otter');
      await store.saveLabel(label());
      expect(await listed()).toMatchObject([{ label: label(), isLabelDamaged: false }]);
    },
  );
});

it('tags are written between commas', () => {
  expect(tagsIn(' lazy agent, grpo,,grpo ,')).toEqual(['lazy agent', 'grpo']);
  expect(tagsIn('')).toEqual([]);
});

it('a search finds every word of it in any of the texts, whatever the case', () => {
  const texts = ['Calm-Otter', 'turn ratio', 'Größe 7', 'ﬁne'];
  for (const search of ['', '  ', 'otter', 'OTTER ratio', 'größe', 'ratio  calm', 'fine'])
    expect(isFound(search, texts)).toBe(true);
  for (const search of ['otter seal', 'badger']) expect(isFound(search, texts)).toBe(false);
});
