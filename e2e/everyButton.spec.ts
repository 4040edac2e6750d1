// Presses every button once, on every screen and in every state of the page. Each button must have a visible effect or
// be disabled with a reason.
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { test, type OpenVisit } from './browser.ts';
import { runState, untilIteration, untilState, type RunState } from './contract.ts';
import { pressEvery } from './pressing.ts';
import { download, libraryOf } from './visitor.ts';

const micro = '/?preset=micro&backend=cpu&warmStart.source=none&evaluation.problems=16&seed=5';
/** A run whose first iteration lasts until all buttons have been pressed, and that reports nothing until then. */
const slow = `${micro}&learning.problemsPerIteration=256&learning.groupSize=64&autostart=1`;
interface State {
  name: string;
  /** The state of the run. */
  run: RunState;
  /** Opens the page in this state, or brings it back to this state after a press that changed the state. */
  stand: (visit: OpenVisit, page: Page | null) => Promise<Page>;
  /** The dialogs to walk through. Without it, all that a button of the page opens. */
  sheets?: readonly string[];
}

const at =
  (address: string, run: RunState, after?: (page: Page) => Promise<unknown>): State['stand'] =>
  async (visit, former) => {
    const page = former ?? (await visit(address)).page;
    if (former) await page.goto(new URL(address, page.url()).href);
    await untilState(page, [run]);
    await after?.(page);
    return page;
  };

/** The archive of a finished run. It is trained and saved once, for all states that need it. */
let archive: Uint8Array | null = null;
const lookAtArchive = async (page: Page) => {
  if (!archive) {
    await page.keyboard.press('Space');
    await untilState(page, ['done']);
  }
  const library = await libraryOf(page);
  archive ??= (await download(library, /^Save the run archive of/)).bytes;
  await library.getByLabel('Only view the archive').check();
  const file = { name: 'run.zip', mimeType: 'application/zip', buffer: Buffer.from(archive) };
  await library.getByLabel('Open a run archive (zip)').setInputFiles(file);
  await page.getByRole('region', { name: 'An archive open for viewing' }).waitFor();
};

const withoutStore = 'Object.defineProperty(globalThis, "indexedDB", { value: undefined });';
/** Trains one iteration on a page that can store nothing, neither in the page itself nor in its workers. */
const stepWithoutStore = async (page: Page) => {
  await page.context().route(/page\.worker-[\w-]+\.js$/, async (route) => {
    const answer = await route.fetch();
    await route.fulfill({ response: answer, body: `${withoutStore}\n${await answer.text()}` });
  });
  await page.addInitScript(withoutStore);
  await page.reload();
  await untilState(page, ['idle']);
  await page.keyboard.press('s');
  await page.getByRole('region', { name: 'Nothing is stored' }).waitFor();
  await untilState(page, ['paused']);
};

/** Drops everything that workers send once `areWorkersBusy` is set, as if they were busy as long as buttons are pressed. */
const dropMessages = `
  for (const { prototype } of [Worker, MessagePort]) {
    const { addEventListener } = prototype;
    prototype.addEventListener = function (kind, listener, ...rest) {
      const heard = kind === 'message' ? (event) => globalThis.areWorkersBusy || listener(event) : listener;
      addEventListener.call(this, kind, heard, ...rest);
    };
  }`;
const trainBusily = async (visit: OpenVisit, former: Page | null, view = ''): Promise<Page> => {
  const page = former ?? (await visit('/?backend=cpu&seed=5')).page;
  if (!former) await page.addInitScript(dropMessages);
  await at(`${slow}${view}`, 'training')(visit, page);
  await page.evaluate('globalThis.areWorkersBusy = true');
  return page;
};

const watching = `${micro}&autostart=1`;
/** Opens the page beside another one of the same visitor, which trains until the end. */
const watchAnotherTab: State['stand'] = async (visit, former) => {
  if (former) return at(watching, 'training')(visit, former);
  const { page: trains, context } = await visit(
    `${micro}&iterations=5000&learning.problemsPerIteration=16&autostart=1`,
  );
  await untilState(trains, ['training']);
  const { page } = await visit(watching, { context });
  await page.getByRole('region', { name: 'Another tab' }).waitFor();
  return page;
};

/** The dialogs whose content depends on the run. The state `idle` walks all dialogs. */
const ofRuns = [
  'Stored dialogues',
  'Where the time goes',
  'Experiments',
  'Library of runs',
  'Try it yourself',
  'One problem through time',
  'Share',
];

const states: State[] = [
  { name: 'idle', run: 'idle', stand: at('/?backend=cpu&seed=5', 'idle') },
  {
    name: 'refused',
    run: 'idle',
    sheets: [],
    stand: at('/?backend=cpu&seed=5', 'idle', async (page) => {
      await page.locator('[data-field="world.level"] input').last().fill('5');
      await page
        .locator('header')
        .getByRole('button', { name: 'Train' })
        .and(page.locator('[aria-disabled=true]'))
        .waitFor();
    }),
  },
  {
    name: 'preparing',
    run: 'preparing',
    sheets: [],
    stand: at(
      '/?preset=micro&backend=cpu&world.level=2&warmStart.source=train&warmStart.steps=20000&autostart=1',
      'preparing',
    ),
  },
  {
    name: 'without a store',
    run: 'paused',
    sheets: ['Stored dialogues', 'Experiments', 'Library of runs'],
    stand: at(micro, 'idle', stepWithoutStore),
  },
  {
    name: 'training',
    run: 'training',
    sheets: ['Stored dialogues', 'Where the time goes', 'Library of runs', 'Share'],
    stand: (visit, page) => trainBusily(visit, page),
  },
  {
    name: 'paused',
    run: 'paused',
    sheets: ofRuns,
    stand: at(micro, 'idle', async (page) => {
      await page.keyboard.press('s');
      await untilIteration(page, 1);
      await untilState(page, ['paused']);
    }),
  },
  { name: 'the stage, idle', run: 'idle', sheets: ['Share'], stand: at('/?backend=cpu&seed=5&view=stage', 'idle') },
  {
    name: 'the stage, training',
    run: 'training',
    sheets: [],
    stand: (visit, page) => trainBusily(visit, page, '&view=stage'),
  },
  {
    name: 'the stage, done',
    run: 'done',
    sheets: ['Share'],
    stand: at(`${micro}&iterations=3&autostart=1&view=stage`, 'done'),
  },
  {
    name: 'failed',
    run: 'failed',
    sheets: ['Share'],
    stand: at('/?preset=micro&backend=webgpu&autostart=1', 'failed'),
  },
  { name: 'another tab trains', run: 'training', sheets: ['Library of runs'], stand: watchAnotherTab },
  { name: 'done', run: 'done', sheets: ofRuns, stand: at(`${micro}&iterations=3&autostart=1`, 'done') },
  {
    name: 'looking at an archive',
    run: 'done',
    sheets: ['Stored dialogues', 'Where the time goes', 'Experiments', 'Library of runs'],
    stand: at(`${micro}&iterations=3`, 'idle', lookAtArchive),
  },
];

interface Walking {
  visit: OpenVisit;
  page: Page;
  /** The view and the lesson that the page shows in this state. */
  place: string;
}

const shownIn = (page: Page) => {
  const { searchParams } = new URL(page.url());
  return `${searchParams.get('view')} ${searchParams.get('lesson')}`;
};

/** Brings the page back to the state whose buttons are pressed, without a reload if possible. */
async function back({ run, stand }: State, { visit, page, place }: Walking): Promise<void> {
  for (let i = 0; i < 3 && (await page.locator('dialog[open]').count()) > 0; i++) await page.keyboard.press('Escape');
  const isElsewhere = shownIn(page) !== place;
  if (isElsewhere || (await runState(page)) !== run) await stand(visit, page);
}

/** Buttons that were pressed in earlier states and only show existing content, by place and name. */
const shown: string[] = [];

/** A dialog, and the controls that open it one after the other, each with the dialog in which it is (null: the page). */
interface Way {
  title: string | null;
  presses: readonly { dialog: string | null; key: string }[];
}

async function walk(state: State, visit: OpenVisit): Promise<{ count: number; faults: string[] }> {
  const page = await state.stand(visit, null);
  await untilState(page, [state.run]);
  const walking = { visit, page, place: shownIn(page) };
  const faults: string[] = [];
  let count = 0;
  const ways: Way[] = [{ title: null, presses: [] }];
  for (const { title, presses } of ways) {
    const walked: string[] = [];
    for (let isElsewhere = true; isElsewhere;) {
      for (const { dialog, key } of presses) await pressEvery(page, dialog, { walked: [], shown: [], only: key });
      if (title !== null)
        await page.waitForFunction(
          () => !![...document.querySelectorAll<HTMLElement>('dialog[open] .content')].at(-1)?.innerText.trim(),
        );
      const found = await pressEvery(page, title, { walked, shown });
      const place = title ?? 'page';
      shown.push(...found.shown.filter((key) => !found.dead.includes(key)));
      walked.push(...found.walked, ...found.dead, ...found.silent);
      for (const { title: next, key } of found.opened) {
        const isNew = next !== '' && !ways.some((way) => way.title === next);
        if (isNew && (state.sheets?.includes(next) ?? true))
          ways.push({ title: next, presses: [...presses, { dialog: title, key }] });
      }
      faults.push(
        ...found.dead.map((key) => `${place} › ${key} does nothing`),
        ...found.silent.map((key) => `${place} › ${key} is disabled without a reason`),
      );
      isElsewhere = found.isElsewhere;
      await back(state, walking);
    }
    count += walked.length;
  }
  return { count, faults: [...new Set(faults)] };
}

test.for(states)('$name', async (state, { visit }) => {
  const { faults } = await walk(state, visit);
  expect(faults).toEqual([]);
});
