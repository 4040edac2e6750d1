// Tests that several runs in one process do not influence each other: the results of each run must be the same as if it
// were the only run.
import { afterEach, expect, it } from 'vitest';
import { speakIn, type Phrases } from '../../base/spoken.ts';
import { Draws, streams } from '../../base/random.ts';
import { assembleTeam } from '../team/team.ts';
import { microConfig, startRun } from '../testing/microRun.ts';
import { onCpu } from '../testing/onCpu.ts';
import { teamAfter } from './curriculum.ts';

onCpu();
afterEach(() => speakIn(() => null));

it('each team counts the time of its own world alone, and keeps counting on another level', () => {
  const [one, other] = [assembleTeam(microConfig()), assembleTeam(microConfig())];
  const draw = ({ world }: typeof one) => world.draw(1, new Draws(1, streams.control, 1), 'training');
  const timeOf = (work: () => unknown) => {
    const before = [one.clock.ms, other.clock.ms] as const;
    work();
    return [one.clock.ms > before[0], other.clock.ms > before[1]];
  };
  const hundred = (team: typeof one) => () => Array.from({ length: 100 }, () => draw(team));
  expect(timeOf(hundred(one))).toEqual([true, false]);
  expect(timeOf(hundred(other))).toEqual([false, true]);
  expect(timeOf(hundred(teamAfter(one, microConfig({ world: { level: 2 } }))))).toEqual([true, false]);
});

it('the language of the reader changes nothing that a run stores', async () => {
  const stored = async () => {
    const { session, collected } = await startRun();
    await session.train(2);
    const { networks } = await session.checkpoint();
    await session.dispose();
    return { collected: collected(), networks };
  };
  const english = await stored();
  // A catalogue in which every text has a translation.
  const foreign = new Proxy<Phrases>(
    {},
    {
      getOwnPropertyDescriptor: () => ({ configurable: true, enumerable: true, value: 'etwas' }),
      get: (_, key) => `auf Deutsch: ${String(key)}`,
    },
  );
  speakIn(() => foreign);
  expect(await stored()).toEqual(english);
});
