import { expect, it } from 'vitest';
import { attackInputs, text } from './reader.ts';

const plan = { seed: 1, inputs: 1, forMs: 10_000 };
const attacked = (read: () => unknown) =>
  attackInputs({ ...text('reader', ['one'], read), worst: [], atMostMs: 100 }, 0, plan);

/** Returns the processor time in milliseconds since this process began. */
const usedMs = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};

it('an input may wait for any time, but must not use more processor time than its limit', async () => {
  const waited = await attacked(() => new Promise((resolve) => setTimeout(resolve, 200)));
  expect(waited.faults).toEqual([]);
  const worked = await attacked(() => {
    for (const untilMs = usedMs() + 150; usedMs() < untilMs;);
  });
  expect(worked.faults).toEqual([expect.stringMatching(/^input 0: took \d\.\d s$/)]);
});

it('errors without a name of Cothink are faults', async () => {
  const { faults } = await attacked(() => {
    throw new TypeError('it is undefined');
  });
  expect(faults).toEqual(['input 0: TypeError: it is undefined']);
});
