// Three to five tabs with one profile: each of them is chosen in turn to train, then all watching tabs at once. The
// chosen tab must train, and no other. No false message may be shown, and the store must have every iteration of the
// only run exactly once.
import type { BrowserContext, Page } from 'playwright-core';
import { readStore } from '../../e2e/database.ts';
import { serveFolder } from '../../scripts/serve.mjs';
import { inChromium } from '../shared/chromium.ts';
import { iterationOf, stateOf, untilState } from './lab.ts';
import type { AttackRow } from './report.ts';

const query = 'preset=micro&backend=cpu&warmStart.source=none&evaluation.problems=16&iterations=5000&autostart=1';
/** The time limit for a hand-over: the rest of the iteration and loading its checkpoint, on a busy machine. */
const patienceMs = 90_000;

export async function* attackTabs(): AsyncGenerator<AttackRow> {
  const served = await serveFolder({ folder: 'dist', port: 4473 });
  try {
    for (const count of [3, 4, 5]) yield await inChromium((context) => handOvers(context, served.url, count));
  } finally {
    await served.close();
  }
}

const barOf = (page: Page) => page.getByRole('region', { name: 'Another tab' });
const press = (page: Page) => barOf(page).getByRole('button').first().dispatchEvent('click');

async function handOvers(context: BrowserContext, origin: string, count: number): Promise<AttackRow> {
  const faults: string[] = [];
  const tabs: Page[] = [];
  let handedOver = 0;
  context.setDefaultTimeout(patienceMs);
  const isOneTraining = async (chosen?: Page) => {
    const watching = await Promise.all(tabs.map(async (tab) => (await barOf(tab).count()) > 0));
    const [first, ...others] = tabs.filter((_, i) => !watching[i]);
    return first && others.length === 0 && (!chosen || first === chosen) && (await stateOf(first)) === 'training'
      ? first
      : null;
  };
  /** Waits until one tab trains and all follow it. */
  const settled = async (what: string, chosen?: Page) => {
    const endMs = Date.now() + patienceMs;
    while (!(await isOneTraining(chosen)) && Date.now() < endMs) await tabs[0]?.waitForTimeout(200);
    const trained = await isOneTraining(chosen);
    const words = await Promise.all(tabs.map(async (tab) => (await barOf(tab).allInnerTexts()).join(' ')));
    if (!trained) return void faults.push(`${what}: nobody, or more than one, trains: ${JSON.stringify(words)}`);
    if (words.some((said) => said.includes('is gone'))) faults.push(`${what}: ${JSON.stringify(words)}`);
    const from = await iterationOf(trained);
    while ((await iterationOf(trained)) < from + 2 && Date.now() < endMs) await trained.waitForTimeout(200);
    if ((await iterationOf(trained)) < from + 2) faults.push(`${what}: it stands at iteration ${from}`);
    handedOver++;
  };
  try {
    while (tabs.length < count) {
      const tab = await context.newPage();
      tab.on('pageerror', (error) => faults.push(String(error).slice(0, 120)));
      await tab.goto(`${origin}/?${query}`);
      await untilState(tab, 'training');
      if (tabs.length > 0) await barOf(tab).waitFor();
      tabs.push(tab);
    }
    for (const chosen of [...tabs.slice(1), tabs[0] as Page]) {
      await press(chosen);
      await settled(`tab ${tabs.indexOf(chosen) + 1} was chosen`, chosen);
    }
    for (let round = 0; round < 2; round++) {
      const trained = await isOneTraining();
      await Promise.all(tabs.filter((tab) => tab !== trained).map(press));
      await settled(`${count - 1} were chosen at once`);
    }
    const rows = await readStore<{ iteration: number }>(tabs[0] as Page, 'metrics');
    const [first] = rows;
    if (rows.some(({ iteration }, i) => iteration !== i + (first?.iteration ?? 0)))
      faults.push('an iteration is missing or is there twice');
    const runs = await readStore(tabs[0] as Page, 'runs');
    if (runs.length !== 1) faults.push(`${runs.length} runs are stored, expected one`);
  } catch (error) {
    faults.push(String(error).slice(0, 200));
  }
  const what = `${count} tabs that take over from each other`;
  return {
    part: 'tabs',
    what,
    count: count + 2,
    note: `${handedOver} of ${count + 2} hand-overs went through`,
    faults,
  };
}
