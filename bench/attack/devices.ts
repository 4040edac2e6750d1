// A graphics device that is lost twice within a few iterations: the browser's GPU process is killed, on the software
// adapter that every machine has. The run switches to another device, then to the CPU, and continues without a reload.
import { readStore } from '../../e2e/database.ts';
import { serveFolder } from '../../scripts/serve.mjs';
import { inChromium, processesOf } from '../shared/chromium.ts';
import { iterationOf, stateOf, untilState } from './lab.ts';
import type { AttackRow } from './report.ts';

const query =
  'preset=micro&backend=webgpu&warmStart.source=none&evaluation.problems=16&iterations=5000&autostart=1&run.checkpointEvery=1';
const flags = ['--enable-unsafe-webgpu', '--use-webgpu-adapter=swiftshader'];
const losses = 2;
/** Time limit for two more iterations after a loss. */
const patienceMs = 180_000;

export async function* attackDevices(): AsyncGenerator<AttackRow> {
  const served = await serveFolder({ folder: 'dist', port: 4473 });
  try {
    yield await inChromium(async (context, browser) => {
      const faults: string[] = [];
      let done = 0;
      try {
        const page = await context.newPage();
        page.on('pageerror', (error) => faults.push(String(error).slice(0, 120)));
        await page.goto(`${served.url}/?${query}`);
        await untilState(page, 'training');
        const goesOn = async () => {
          const from = await iterationOf(page);
          const endMs = Date.now() + patienceMs;
          const isOn = async () => (await stateOf(page)) === 'training' && (await iterationOf(page)) >= from + 2;
          while (!(await isOn()) && (await stateOf(page)) !== 'failed' && Date.now() < endMs)
            await page.waitForTimeout(200);
          return isOn();
        };
        await goesOn();
        for (; done < losses; done++) {
          const gpu = (await processesOf(browser)).find(({ type }) => type === 'GPU');
          if (!gpu) throw new Error('the browser has no process of type GPU');
          process.kill(gpu.id, 'SIGKILL');
          if (!(await goesOn())) {
            const words = (await page.locator('[role=alert], .bar, .notice').allInnerTexts()).join(' ').slice(0, 200);
            faults.push(`loss ${done + 1}: ${await stateOf(page)} at iteration ${await iterationOf(page)}: ${words}`);
            break;
          }
        }
        const [run] = await readStore<{ backend: string }>(page, 'runs');
        if (run?.backend !== 'simd' && faults.length === 0)
          faults.push(`it ended on ${run?.backend}, expected the CPU`);
      } catch (error) {
        faults.push(String(error).slice(0, 200));
      }
      const note = `${done} of ${losses} losses outlived, the second on the CPU`;
      return { part: 'devices', what: 'two devices lost within ten iterations', count: losses, note, faults };
    }, flags);
  } finally {
    await served.close();
  }
}
