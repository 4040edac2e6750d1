// A run collapses before the visitor's eyes: the guard pauses it, says why, and one click goes back and goes on.
import { expect } from 'vitest';
import { test } from './browser.ts';
import { iterationOf, untilIteration, untilState } from './contract.ts';
import { readStore } from './database.ts';
import { faultsInBothThemes } from './visitor.ts';
import type { RunRecord } from '../src/records/stored/checkpoint.ts';

// Half of the fixed problems, measured after every iteration: the fall is told from chance as soon as it is there.
const link =
  '/?preset=default&backend=cpu&seed=11&iterations=30&optimiser.learningRate=0.01&optimiser.warmupUpdates=0&evaluation.problems=256&evaluation.every=1&run.checkpointEvery=1&learning.problemsPerIteration=32';

test('a collapse is caught, explained and rolled back, and the run’s history says so', async ({ open }) => {
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
  // The page still counts the iterations that are forgotten until the first of the new ones is done.
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
  // A pause may hold the newest one before it is stored.
  await untilIteration(page, to + 3);
  await page.getByRole('button', { name: 'Pause' }).click();
  await untilState(page, ['paused']);
  const [run] = (await readStore(page, 'runs')) as [RunRecord];
  expect(run.goneBack).toEqual([
    { from: expect.any(Number) as number, to, why: expect.stringMatching(/^right answers fell/) as string },
  ]);
  expect(run.changes).toEqual([{ iteration: to, path: 'optimiser.learningRate', value: 0.001 }]);
  // Forgotten iterations are written again, and once.
  const kept = ((await readStore(page, 'metrics')) as { iteration: number }[]).map(({ iteration }) => iteration);
  expect(kept).toEqual([...kept.keys()].map((at) => at + 1));
  expect(kept.length).toBeGreaterThanOrEqual(to + 2);
});
