// Tests which episodes a served world keeps, and for how long.
import { describe, expect, it } from 'vitest';
import { presetConfig } from '../../../src/config/presets.ts';
import { assembleTeam } from '../../../src/training/team/team.ts';
import { BusyError } from '../http.ts';
import { Episodes, UnknownEpisodeError, type EpisodeState } from './episodes.ts';

const team = assembleTeam(presetConfig('quick'));

describe('episodes', () => {
  it('of one client are dropped, the oldest first, before a client is refused', async () => {
    const episodes = new Episodes(team, () => 0);
    const first = await episodes.reset('other', { seed: 1 });
    for (let i = 0; i < 1_030; i++) await episodes.reset('greedy', { seed: i });
    expect(episodes.count).toBe(1_025);
    expect(episodes.state(first.episode).turns).toBe(0);
  });

  it('that were not used for a minute make room, and no others', async () => {
    let now = 0;
    const episodes = new Episodes(team, () => now, { episodes: 1, ofClient: 9, over: 9 });
    const left = await episodes.reset('one', { seed: 1 });
    now = 60_000;
    await expect(episodes.reset('other', { seed: 2 })).rejects.toThrow(BusyError);
    now = 60_001;
    await episodes.reset('other', { seed: 2 });
    expect(() => episodes.state(left.episode)).toThrow(UnknownEpisodeError);
  });

  it('that are over take no place, and a limited number of them still report their result', async () => {
    const episodes = new Episodes(team, () => 0, { episodes: 1, ofClient: 9, over: 2 });
    const over: EpisodeState[] = [];
    for (let seed = 0; seed < 3; seed++) {
      let now = await episodes.reset('one', { seed });
      while (!now.isDone) now = await episodes.step(now.episode, { text: '2*3', isFinish: now.mayFinish });
      over.push(now);
    }
    expect(episodes.count).toBe(0);
    for (const { episode, turns, reward } of over.slice(1))
      expect(episodes.state(episode)).toEqual({ episode, turns, reward, agent: null });
    const [forgotten, kept] = over.map(({ episode }) => episode) as [string, string];
    expect(() => episodes.state(forgotten)).toThrow(UnknownEpisodeError);
    await expect(episodes.step(kept, { text: '1', isFinish: false })).rejects.toThrow(
      'this episode has ended; start another one with reset.',
    );
    episodes.close(kept);
    expect(() => episodes.state(kept)).toThrow(UnknownEpisodeError);
  });

  it('that are closed during a step stay closed', async () => {
    const episodes = new Episodes(team, () => 0);
    let now = await episodes.reset('one', { seed: 1 });
    while (!now.mayFinish) now = await episodes.step(now.episode, { text: '2*3', isFinish: false });
    const { episode } = now;
    const last = episodes.step(episode, { text: '8', isFinish: true });
    episodes.close(episode);
    expect((await last).isDone).toBe(true);
    expect(() => episodes.state(episode)).toThrow(UnknownEpisodeError);
  });
});
