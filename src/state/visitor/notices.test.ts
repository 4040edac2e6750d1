import { describe, expect, it, vi } from 'vitest';
import { FormatError, StorageError } from '../../base/errors.ts';
import { listRuns } from '../../storage/reading.ts';
import { emptyDatabase } from '../../storage/testing/emptyDatabase.ts';
import { Notices } from './notices.svelte.ts';

emptyDatabase();

const texts = (notices: Notices) => notices.list.map(({ text }) => text);

describe('notices', () => {
  it('stand newest first, at most three, and never twice in the same words', () => {
    const notices = new Notices();
    for (const text of ['one', 'two', 'three', 'two', 'four']) notices.say(text);
    expect(texts(notices)).toEqual(['four', 'two', 'three']);
  });

  it('about a file give way to the next file, good or bad', () => {
    const notices = new Notices();
    notices.problem(new FormatError('first.yaml: not a run file'), 'file');
    notices.say('kept in the library');
    notices.settle('file');
    notices.problem(new FormatError('not a run file'), 'file', { fileName: 'second.yaml' });
    expect(texts(notices)).toEqual(['second.yaml: not a run file', 'kept in the library']);
    notices.settle('file');
    expect(texts(notices)).toEqual(['kept in the library']);
  });

  it('that the store does not answer are taken back when it does, and nothing else is', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const notices = new Notices();
    const answered = new Promise<void>((resolve) => (notices.onAnswer = resolve));
    const reading = notices.attempt(() => listRuns());
    vi.advanceTimersByTime(6000); // before the database could be opened
    await reading;
    vi.useRealTimers();
    notices.problem(new StorageError('run calm-otter: it is damaged'));
    expect(texts(notices)).toEqual(['run calm-otter: it is damaged', expect.stringContaining('does not respond')]);
    await answered;
    expect(texts(notices)).toEqual(['run calm-otter: it is damaged']);
    expect((await listRuns()).runs).toEqual([]);
  });

  it('leave when they are dismissed', () => {
    const notices = new Notices();
    notices.dismiss(notices.say('one'));
    expect(notices.list).toEqual([]);
  });
});
