// A team that is rewarded only for brevity: the page says at which iteration reward and accuracy diverge.
import { expect } from 'vitest';
import { test } from './browser.ts';
import { untilState } from './contract.ts';
import { faultsInBothThemes } from './visitor.ts';

const link =
  '/?preset=default&backend=cpu&seed=1&iterations=20&learning.problemsPerIteration=8&evaluation.problems=16' +
  '&reward.rightAnswer=0&reward.length=1&agents.maskUnfinished=false&optimiser.learningRate=0.001&run.guard=false';

test('a reward for brevity alone diverges from the accuracy, and the chart marks and explains this', async ({
  open,
}) => {
  const page = await open(link);
  await page.getByRole('button', { name: 'Train' }).click();
  await untilState(page, ['done']);
  const chart = page.getByRole('region', { name: 'Reward and correctness', exact: true });
  // Charts are drawn a few times a second, so this waits until the chart shows the last iteration.
  await chart.getByRole('img', { name: 'at iteration 20' }).waitFor();
  const words = await chart.getByText(/^Reward and accuracy diverge after iteration/).innerText();
  const found = /after iteration (\d+): mean reward (.+) → (.+), accuracy (.+) → (.+) since then\.$/.exec(words);
  const [at, paid, paidNow, right, rightNow] = (found ?? []).slice(1).map(Number) as [
    number,
    number,
    number,
    number,
    number,
  ];
  expect(at).toBeLessThan(12);
  expect(paidNow).toBeGreaterThan(paid);
  expect(rightNow).toBeLessThan(right);
  await expect.poll(() => chart.locator('.mark.parting').getAttribute('title')).toBe(words);
  await expect.poll(() => chart.getByRole('img').getAttribute('aria-label')).toContain(words);
  await page.getByText(`reward and accuracy diverge at iteration ${at}`).waitFor();
  expect(await faultsInBothThemes(page, '.charts')).toEqual([]);
});
