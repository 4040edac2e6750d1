// The most important test: a visitor without WebGPU opens the page by a link and sees two agents learn.
import { expect } from 'vitest';
import { test } from './browser.ts';
import { iterationOf, runState, untilMetric, untilState } from './contract.ts';

const limitMs = 6 * 60_000;

test(
  'without WebGPU the default preset trains on the CPU, and the shown accuracy rises by 0.10',
  { timeout: limitMs + 120_000 },
  async ({ visit }) => {
    const { page } = await visit('/?autostart=1&seed=11');
    await untilState(page, ['training']);
    const before = await untilMetric(page, 'accuracy');
    expect(before).toBeGreaterThan(0);
    expect(before).toBeLessThan(0.9);

    const badge = page.getByRole('button', { name: /^CPU/ });
    await badge.click();
    await expect.poll(() => page.locator('[popover]:popover-open').innerText()).toMatch(/WebGPU.*so the CPU trains/);
    await page.keyboard.press('Escape');

    const after = await untilMetric(page, 'accuracy', { atLeast: before + 0.1, timeoutMs: limitMs });
    expect(after).toBeGreaterThanOrEqual(before + 0.1);
    expect(await runState(page)).toMatch(/training|done/);
    // Accuracy is measured before iteration 1 and every 10 iterations.
    expect(await iterationOf(page)).toBeGreaterThanOrEqual(10);
  },
);
