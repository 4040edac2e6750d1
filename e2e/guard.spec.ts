// A run collapses: the guard pauses it and says why, and one click rewinds the run and continues it.
import { expect } from 'vitest';
import { test } from './browser.ts';
import { iterationOf, untilIteration, untilState } from './contract.ts';
import { readStore } from './database.ts';
import { faultsInBothThemes } from './visitor.ts';
import type { RunRecord } from '../src/records/stored/checkpoint.ts';

// 256 problems are measured after every iteration, so that a fall can be told from chance as soon as it happens.
const link =
  '/?preset=default&backend=cpu&seed=11&iterations=30&optimiser.learningRate=0.01&optimiser.warmupUpdates=0&evaluation.problems=256&evaluation.every=1&run.checkpointEvery=1&learning.problemsPerIteration=32';

test('a collapse is detected and explained, one click rewinds the run, and the run’s history records it', async ({
  open,
}) => {
  const page = await open(link);
  await page.getByRole('button', { name: 'Train' }).click();
  const bar = page.getByRole('region', { name: 'The run has collapsed' });
  await bar.waitFor({ timeout: 120_000 });
  await untilState(page, ['paused']);
  await expect
    .poll(() => bar.innerText())
    .toMatch(
      /Paused: right answers fell from [4-9]\d to \d+ out of 100\.\s+\d+ of 100 answers were right at iteration \d+/,
    );
  const fallen = await iterationOf(page);
  const way = bar.getByRole('button', {
    name: /^Go back to iteration \d+ with learning rate 0\.001$/,
  });
  const to = Number(/iteration (\d+)/.exec(await way.innerText())?.[1] ?? 0);
  expect(to).toBeLessThan(fallen);
  await expect
    .poll(() => page.getByRole('region', { name: 'Health', exact: true }).innerText())
    .toContain('Below its best');
  expect(await faultsInBothThemes(page, '.bar')).toEqual([]);
  // Until the first new iteration is finished, the page still shows the number of the discarded iterations.
  const counted = page.evaluate(
    (before) =>
      new Promise<void>((resolve) => {
        const root = document.documentElement;
        const look = () => {
          if (Number(root.dataset['iteration']) < before) resolve();
        };
        new MutationObserver(look).observe(root, { attributeFilter: ['data-iteration'] });
        look();
      }),
    Math.max(fallen, to + 3),
  );
  await way.click();
  await bar.waitFor({ state: 'detached' });
  await counted;
  // The newest iteration may not be stored yet when the run is paused.
  await untilIteration(page, to + 3);
  await page.getByRole('button', { name: 'Pause' }).click();
  await untilState(page, ['paused']);
  const [run] = (await readStore(page, 'runs')) as [RunRecord];
  expect(run.goneBack).toEqual([
    { from: expect.any(Number) as number, to, why: expect.stringMatching(/^right answers fell/) as string },
  ]);
  expect(run.changes).toEqual([{ iteration: to, path: 'optimiser.learningRate', value: 0.001 }]);
  // Each discarded iteration has been stored again, exactly once.
  const kept = ((await readStore(page, 'metrics')) as { iteration: number }[]).map(({ iteration }) => iteration);
  expect(kept).toEqual([...kept.keys()].map((at) => at + 1));
  expect(kept.length).toBeGreaterThanOrEqual(to + 2);
});
