// Tests of links to a token. The token is in a stored run, in a run that has not reached it yet, or in an iteration
// that is no longer stored.
import fc from 'fast-check';
import { beforeEach, expect, it, vi } from 'vitest';
import { presetConfig } from '../../config/presets.ts';
import type { RunId } from '../../records/ids.ts';
import type { GroupInspection } from '../../records/inspection.ts';
import type { RunRecord } from '../../records/stored/checkpoint.ts';
import { trajectories } from '../../records/testing/arbitrary.ts';
import type { Trajectory } from '../../records/trajectory.ts';
import { Notices } from '../visitor/notices.svelte.ts';
import { Permalink } from './permalink.svelte.ts';

const [sample] = fc.sample(trajectories, { numRuns: 1, seed: 5 }) as [Trajectory];
const [turn] = sample.turns as [Trajectory['turns'][number]];
const said = (index: number): Trajectory => ({
  ...sample,
  index,
  turns: [turn, { ...turn, index: 1, tokens: [1, 2], logprobs: [0, 0] }],
});

let notices: Notices;
let permalink: Permalink;
let stored: Partial<RunRecord>[];
let did: string[];
/** The displayed dialogue; null if its iteration is not stored. */
let shown: Trajectory | null;
let opened: unknown;

beforeEach(() => {
  notices = new Notices();
  [stored, did, shown, opened] = [[], [], said(26), null];
  const parts = {
    notices,
    setup: { config: presetConfig('micro') },
    library: {
      get runs() {
        return stored.map((run) => ({ run }));
      },
    },
    run: {
      resume: (run: RunRecord) => Promise.resolve(did.push(`resume ${run.id}`) > 0),
      train: () => Promise.resolve(did.push('train')),
    },
    groups: {
      open: (...at: unknown[]) => {
        did.push(`open ${JSON.stringify(at)}`);
        return Promise.resolve(shown !== null);
      },
    },
    selection: {
      group: { iteration: 12, group: 3 } as GroupInspection,
      turnIndex: 1,
      get trajectory() {
        return shown;
      },
      set opened(at: unknown) {
        opened = at;
      },
      scrub: (iteration: number) => Promise.resolve(did.push(`scrub ${iteration}`)),
    },
    sharing: { share: (place: string) => Promise.resolve(did.push(`share ${place}`)) },
  };
  permalink = new Permalink(parts as never);
});
const settled = () => vi.waitFor(() => expect(did.some((what) => what.startsWith('open'))).toBe(true));
const link = '#token=12/4/27/2/2';

it('a link names the place of a token and opens it in a stored run with the same settings', async () => {
  await permalink.copy(1);
  expect(did).toEqual([`share ${link}`]);
  const other = presetConfig('micro');
  const same = { iteration: 20, config: { ...other, run: { ...other.run, backend: 'cpu' as const } } };
  stored = [
    { ...same, id: 'short' as RunId, iteration: 11 },
    { ...same, id: 'other' as RunId, config: presetConfig('default') },
    { ...same, id: 'same' as RunId },
  ];
  did.length = 0;
  expect(await permalink.take(link)).toBe(true);
  expect(did).toEqual(['resume same', 'open [12,3,{"index":26,"turn":1}]']);
  expect(opened).toEqual({ token: 1, iteration: 12 });
});

it('a link waits if no run has reached the iteration, and opens as soon as the open run has', async () => {
  expect(await permalink.take(link)).toBe(false);
  expect(notices.list[0]?.text).toContain(
    'points to a token of iteration 12. No stored run with the settings of the link',
  );
  notices.list[0]?.action?.run();
  expect(did).toEqual(['train']);
  permalink.reach(11);
  expect(permalink.awaited).not.toBeNull();
  permalink.reach(13);
  await settled();
  await vi.waitFor(() => expect(opened).toEqual({ token: 1, iteration: 12 }));
  expect([permalink.awaited, notices.list]).toEqual([null, []]);
  permalink.reach(14);
  expect(did.filter((what) => what.startsWith('open'))).toHaveLength(1);
});

it('a missing iteration or token is reported with a remedy', async () => {
  await permalink.take(link);
  shown = null;
  permalink.reach(12);
  await vi.waitFor(() => expect(notices.list[0]?.action?.words).toBe('Show the nearest stored iteration'));
  expect(notices.list[0]?.text).toContain('the dialogues of iteration 12 are no longer stored');
  notices.list[0]?.action?.run();
  expect(did.at(-1)).toBe('scrub 12');
  shown = said(5);
  await permalink.take(link);
  permalink.reach(12);
  await vi.waitFor(() =>
    expect(notices.list[0]?.text).toContain('token 2 of turn 2, but the dialogue with this token does not exist here'),
  );
  expect(opened).toBeNull();
});

it('an address without a token is ignored, and an invalid one is reported', async () => {
  expect([await permalink.take('#dialogue'), notices.list]).toEqual([false, []]);
  expect(await permalink.take('#token=many')).toBe(false);
  expect(notices.list[0]).toMatchObject({ name: 'ConfigError', tone: 'problem' });
});
