import { test } from './browser.ts';
import { readStore } from './database.ts';
import { runState, iterationOf } from './contract.ts';
test('probe', async ({ visit }) => {
  const t0 = Date.now();
  const { page, problems } = await visit('/?preset=micro&backend=webgpu&autostart=1&iterations=6', { webgpu: true });
  let last = '';
  while (Date.now() - t0 < 150_000) {
    const now = `${await runState(page)} ${await iterationOf(page)} ${await page.locator('.verdict').innerText()} ${(await page.locator('header').innerText()).replace(/\s+/g, ' ').slice(-140)}`;
    if (now !== last) console.log((Date.now() - t0) / 1000, now);
    last = now;
    if (/^(done|failed)/.test(now)) break;
    await page.waitForTimeout(500);
  }
  console.log(problems);
  const m = await readStore<any>(page, 'metrics');
  console.log(JSON.stringify(m.map((r) => [r.iteration, r.values['losses/policy_loss'], r.values['charts/episodic_return'], r.values['time/rollout'], r.values['time/update'], r.values['losses/approx_kl']])));
});
