// The page on WebGPU, emulated by SwiftShader: the preset `micro` trains and its loss falls, and the numbers of the
// first iteration equal those of the CPU within a tolerance.
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { test } from './browser.ts';
import { iterationOf, metric, runState, untilState } from './contract.ts';
import { readStore } from './database.ts';

const settings = 'preset=micro&autostart=1&seed=3&iterations=1&warmStart.steps=60&evaluation.problems=8';

/** Returns all losses that the page shows while it trains its warm start, in order. */
async function lossesOfTheWarmStart(page: Page): Promise<number[]> {
  const losses: number[] = [];
  while ((await runState(page)) === 'preparing') {
    const loss = await metric(page, 'loss');
    if (Number.isFinite(loss) && loss !== losses.at(-1)) losses.push(loss);
    await page.waitForTimeout(100);
  }
  return losses;
}

const valuesAt = async (page: Page, iteration: number) =>
  (await readStore<{ iteration: number; values: Record<string, number> }>(page, 'metrics')).find(
    (row) => row.iteration === iteration,
  )?.values ?? {};

test('with WebGPU the micro preset trains, and its loss falls', { timeout: 280_000 }, async ({ visit }) => {
  const { page } = await visit(`/?${settings}&backend=webgpu`, { webgpu: true });
  const losses = await lossesOfTheWarmStart(page);
  expect(losses.length).toBeGreaterThanOrEqual(2);
  expect(losses.at(-1)).toBeLessThan((losses[0] as number) - 0.3);

  await untilState(page, ['done'], 200_000);
  expect(await iterationOf(page)).toBe(1);
  expect(Number.isFinite(await metric(page, 'loss'))).toBe(true);
  const badge = page.getByRole('button', { name: /^WebGPU/ });
  await expect.poll(() => badge.innerText()).toMatch(/swiftshader/i);
  await badge.click();
  await expect
    .poll(() => page.locator('[popover]:popover-open').innerText())
    .toMatch(/WebGPU was requested.*\n.*software/s);
  const [run] = await readStore<{ backend: string; isDone: boolean }>(page, 'runs');
  expect(run).toMatchObject({ backend: 'webgpu', isDone: true });

  const cpu = await visit(`/?${settings}&backend=cpu`);
  await untilState(cpu.page, ['done']);
  const [onGpu, onCpu] = [await valuesAt(page, 1), await valuesAt(cpu.page, 1)];
  for (const name of ['losses/entropy/metaThinking', 'losses/entropy/reasoning', 'losses/grad_norm']) {
    expect(onGpu[name], name).toBeGreaterThan(0);
    expect(Math.abs((onGpu[name] as number) - (onCpu[name] as number)), name).toBeLessThan(1e-4);
  }
});
