import { describe, expect, it } from 'vitest';
import { FormatError } from '../../base/errors.ts';
import { sha256 } from '../../base/sha256.ts';
import { presetConfig } from '../../config/presets.ts';
import type { RunHistory } from '../../records/stored/history.ts';
import { Replay } from './replay.svelte.ts';

const config = presetConfig('default');
const file = (name: string, iteration = 0) => ({ iteration, name, digest: sha256(`text of ${name}`) });
const chats = (name: string) => ({ ...file(name), kind: 'chats' as const });
const plain: RunHistory = { preset: 'default', config, changes: [], imports: [] };

/** The files that were passed to `keep`, and how many times the replay was started. */
function watched() {
  const kept: string[] = [];
  const counts = { begun: 0 };
  const replay = new Replay((kind, _, name) => Promise.resolve(kept.push(`${kind} ${name}`)));
  return { replay, kept, counts, begin: () => void counts.begun++ };
}

describe('a run that is made again', () => {
  it('begins at once where it needs no file', () => {
    const { replay, counts, begin } = watched();
    replay.plan(plain, begin);
    expect(counts.begun).toBe(1);
    expect(replay.historyFor(config)).toBe(plain);
    expect(replay.historyFor({ ...config })).toBeUndefined(); // edited: another run
  });

  it('waits for each file once, its parent’s too, and takes no other one', async () => {
    const { replay, kept, counts, begin } = watched();
    const parent = { ...plain, imports: [chats('a'), file('b', 3)] };
    const fork = { iteration: 5, mode: 'lora', parent } as const;
    replay.plan({ ...plain, fork, imports: [file('b', 7)] }, begin);
    expect(replay.wanted.map(({ name }) => name).sort()).toEqual(['a', 'b']);
    await expect(replay.give('something else', 'c.jsonl')).rejects.toThrow(FormatError);
    await replay.give('text of a', 'renamed.jsonl');
    expect(counts.begun).toBe(0);
    await replay.give('text of b', 'b');
    expect([counts.begun, kept]).toEqual([1, ['chats renamed.jsonl', 'pairs b']]);
    replay.plan({ ...plain, imports: [file('a')] }, begin); // known by now
    expect(counts.begun).toBe(2);
  });

  it('begins without its files where the visitor declines, and asks for none once it is forgotten', () => {
    const { replay, counts, begin } = watched();
    replay.plan({ ...plain, imports: [file('a')] }, begin);
    replay.decline();
    expect([counts.begun, replay.wanted]).toEqual([1, []]);
    replay.plan({ ...plain, imports: [file('a')] }, begin);
    replay.forget();
    expect([counts.begun, replay.wanted, replay.historyFor(config)]).toEqual([1, [], undefined]);
  });
});
