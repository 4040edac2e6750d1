// Two or more tabs: a tab that does not train does not block the others. While one tab trains, the others watch, and
// each of them can take over.
import type { Page } from 'playwright-core';
import { describe, expect } from 'vitest';
import { test } from './browser.ts';
import { iterationOf, metric, runState, untilIteration, untilState } from './contract.ts';
import { readStore } from './database.ts';

// Several pages draw the same run on two cores, so its iterations are not too quick to be drawn.
const quick =
  'preset=micro&backend=cpu&warmStart.source=none&iterations=5000&learning.problemsPerIteration=16&learning.groupSize=8';
const link = `/?${quick}&seed=5`;
const training = `${link}&autostart=1`;
const asked = `/?${quick}&seed=9&autostart=1`;

declare global {
  interface Window {
    saidInBars: string[];
  }
}

interface Row {
  runId: string;
  iteration: number;
}

const bar = (page: Page) => page.getByRole('region', { name: 'Another tab' });
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

test('a link opened next to a page that does not train is trained', async ({ visit }) => {
  const first = await visit(link);
  await untilState(first.page, ['idle']);
  const second = await visit(asked, { context: first.context });
  await untilIteration(second.page, 2);
  await button(second.page, 'Pause').click();
  await untilState(second.page, ['paused']);
  await button(first.page, 'Train').click();
  await untilIteration(first.page, 2);
  expect(await runState(second.page)).toBe('paused');
  expect(await readStore(first.page, 'runs')).toHaveLength(2);
});

test('a second tab watches a training one, takes over at the end of the iteration, and hands the run back', async ({
  visit,
}) => {
  const first = await visit(training);
  await untilIteration(first.page, 2);
  const second = await visit(asked, { context: first.context });
  await bar(second.page).getByText('Cothink is training in another tab.').waitFor();
  await bar(second.page).getByText('The settings of this tab are not used yet.').waitFor();
  await untilIteration(second.page, 3);
  const seen = await iterationOf(second.page);
  await untilIteration(second.page, seen + 2);
  expect(Number.isFinite(await metric(second.page, 'reward'))).toBe(true);
  expect(await runState(second.page)).toBe('training');
  await expect.poll(() => button(second.page, 'Step').isDisabled()).toBe(true);
  expect(await readStore(first.page, 'runs')).toHaveLength(1);

  await button(second.page, 'Use this tab').click();
  await bar(first.page).getByText('Cothink is training in another tab.').waitFor();
  await bar(second.page).waitFor({ state: 'detached' });
  const taken = await iterationOf(second.page);
  await untilIteration(second.page, taken + 2);
  await untilIteration(first.page, taken + 2);

  await button(first.page, 'Use this tab').click();
  await bar(second.page).getByText('Cothink is training in another tab.').waitFor();
  await bar(first.page).waitFor({ state: 'detached' });
  const again = await iterationOf(first.page);
  await untilIteration(first.page, again + 2);
  await button(first.page, 'Pause').click();
  await untilState(first.page, ['paused']);
  await bar(second.page).getByText('is paused in another tab').waitFor();

  // There is one run, and each of its iterations is stored exactly once.
  const rows = (await readStore<Row>(first.page, 'metrics')).map(({ iteration }) => iteration);
  expect(rows).toEqual(rows.map((_, i) => i + (rows[0] ?? 0)));
  expect(new Set((await readStore<Row>(first.page, 'metrics')).map(({ runId }) => runId)).size).toBe(1);

  // The settings that the second tab requested are still available.
  await button(second.page, 'Open them').click();
  await untilState(second.page, ['idle']);
  await button(second.page, 'Train').click();
  await untilIteration(second.page, 2);
  expect(await readStore(first.page, 'runs')).toHaveLength(2);
});

describe.each([3])('of %i tabs', (count) => {
  test('the chosen tab trains, also if several are chosen at once, and no tab claims that another is gone', async ({
    visit,
  }) => {
    const first = await visit(training);
    await untilIteration(first.page, 2);
    const tabs = [first.page];
    while (tabs.length < count) tabs.push((await visit(training, { context: first.context })).page);
    await Promise.all(tabs.slice(1).map((tab) => bar(tab).getByText('Cothink is training in another tab.').waitFor()));
    await Promise.all(tabs.map((tab) => untilIteration(tab, 3)));
    await Promise.all(tabs.map(hearBars));

    // Chooses one tab after the other, and then the first one again.
    for (const chosen of [tabs[1], tabs.at(-1), first.page]) {
      if (!chosen) continue;
      // On failure, the test reports the state and the bar of every tab.
      const at = tabs.indexOf(chosen);
      await expect.poll(() => statesOf(tabs)).toHaveProperty(String(at), expect.stringContaining('Use this tab'));
      await press(chosen);
      await untilTrained(tabs, chosen);
    }
    // Chooses all watching tabs at the same moment.
    const watching = await watchersOf(tabs);
    expect(watching).toHaveLength(count - 1);
    await Promise.all(watching.map(press));
    await untilTrained(tabs);
    const said = (await Promise.all(tabs.map((tab) => tab.evaluate(() => window.saidInBars)))).flat();
    expect(said.filter((words) => words.includes('is gone'))).toEqual([]);
    for (const tab of tabs) await expect.poll(() => tab.getByRole('alert').count()).toBe(0);
    const rows = (await readStore<Row>(first.page, 'metrics')).map(({ iteration }) => iteration);
    expect(rows).toEqual(rows.map((_, i) => i + (rows[0] ?? 0)));
    expect(await readStore(first.page, 'runs')).toHaveLength(1);
  });
});

/** Presses through an event of the page, because a tab in the background is drawn too rarely for the mouse. */
const press = (tab: Page) => button(tab, 'Use this tab').dispatchEvent('click');

/** The state of the run in each tab, and the text of the bar about another tab. */
const statesOf = (tabs: Page[]) =>
  Promise.all(tabs.map(async (tab) => [await runState(tab), ...(await bar(tab).allInnerTexts())].join(': ')));

/** Returns the tabs that show the run of another tab. */
async function watchersOf(tabs: Page[]): Promise<Page[]> {
  const isThere = await Promise.all(tabs.map(async (tab) => (await bar(tab).count()) > 0));
  return tabs.filter((_, i) => isThere[i]);
}

/** Waits until exactly one tab trains (the chosen one, if given), and all others say so and follow it. */
async function untilTrained(tabs: Page[], chosen?: Page): Promise<void> {
  const following = 'Cothink is training in another tab.';
  const told = async () =>
    Promise.all(
      tabs.map(async (tab) => {
        if (chosen && tab === chosen) return (await bar(tab).count()) === 0 && (await runState(tab)) === 'training';
        if (!chosen && (await bar(tab).count()) === 0) return (await runState(tab)) === 'training';
        return (await bar(tab).allInnerTexts()).join().includes(following); // without waiting for a bar that is gone
      }),
    );
  const trainers = async () => tabs.length - (await watchersOf(tabs)).length;
  await expect
    .poll(async () => ({ all: (await told()).every(Boolean), trainers: await trainers() }), { timeout: 60_000 })
    .toEqual({ all: true, trainers: 1 });
  const at = Math.max(...(await Promise.all(tabs.map(iterationOf))));
  await Promise.all(tabs.map((tab) => untilIteration(tab, at + 2)));
  expect(await trainers()).toBe(1);
}

/** Records all texts that the bar of a tab shows from now on. */
const hearBars = (page: Page) =>
  page.evaluate(() => {
    const said: string[] = [];
    window.saidInBars = said;
    new MutationObserver(() => {
      for (const { innerText } of document.querySelectorAll<HTMLElement>('section.bar')) said.push(innerText);
    }).observe(document.body, { subtree: true, childList: true, characterData: true });
  });

test('if the training tab is closed, the watching tab says so and continues from the last checkpoint', async ({
  visit,
}) => {
  const first = await visit(training);
  await untilIteration(first.page, 2);
  const second = await visit(link, { context: first.context });
  await untilState(second.page, ['idle']);
  await button(second.page, 'Train').click();
  await bar(second.page).getByText('Cothink is training in another tab.').waitFor();
  await untilIteration(second.page, 4);
  await first.page.close();
  await bar(second.page).getByText('The tab that was training has been closed').waitFor();
  const [run] = await readStore<{ id: string }>(second.page, 'runs');
  const checkpoints = (await readStore<Row>(second.page, 'checkpoints')).map(({ iteration }) => iteration);
  await button(second.page, 'Continue here').click();
  await untilIteration(second.page, (checkpoints.at(-1) ?? 0) + 2);
  expect((await readStore<{ id: string }>(second.page, 'runs')).map(({ id }) => id)).toEqual([run?.id]);
});

test('a run that another tab trains cannot be deleted, but other runs can', async ({ visit }) => {
  const first = await visit(link);
  await untilState(first.page, ['idle']);
  await button(first.page, 'Step').click();
  await untilState(first.page, ['paused']);
  const [stepped] = await readStore<{ name: string }>(first.page, 'runs');
  await first.page.goto(`${new URL(first.page.url()).origin}${asked}`);
  await untilIteration(first.page, 2);
  const second = await visit(link, { context: first.context });
  await untilState(second.page, ['idle']);
  await second.page.getByRole('button', { name: 'Library of runs' }).click();
  const library = second.page.getByRole('dialog', { name: 'Library of runs' });
  const names = (await readStore<{ name: string }>(second.page, 'runs')).map(({ name }) => name);
  const old = stepped?.name;
  const trained = names.find((name) => name !== old);
  await library.getByRole('button', { name: `Delete ${old}` }).click();
  // After another run is deleted, the first deletion can no longer be undone.
  await library.getByRole('button', { name: `Delete ${trained}` }).click();
  await expect.poll(async () => (await readStore(second.page, 'runs')).length).toBe(1);
  await second.page.keyboard.press('Escape');
  await second.page.getByText(/being trained in another tab/).waitFor();
  expect(await readStore(second.page, 'runs')).toHaveLength(1);
});
