// Takes pictures of the page in all its states, sizes, colours and languages, so that somebody can look at them:
// `npm run bench:page -- --screens FOLDER [STATE…]`. The pictures are called STATE-WIDTH-VARIANT.png. Those that the
// documentation shows are written to docs/pictures/screens as JPEG.
import { mkdirSync } from 'node:fs';
import { chromium, type Browser, type Page } from 'playwright-core';
import { quietFlags } from '../../scripts/chromium.mjs';
import { chromiumPath, untilRun } from '../shared/chromium.ts';

const sizes = [
  { width: 1920, height: 1080 },
  { width: 1440, height: 900 },
  { width: 1280, height: 720 },
  { width: 390, height: 844 },
] as const;

/** Variants of each picture. The German texts are the longest, so that they show where there is too little room. */
const variants = {
  light: { colorScheme: 'light', lang: 'en' },
  dark: { colorScheme: 'dark', lang: 'en' },
  german: { colorScheme: 'light', lang: 'de' },
} as const;
type Variant = keyof typeof variants;

const seed = 11;
const iterations = 30;

interface Screen {
  /** The parts of the link that open this state. */
  link: string;
  /** Brings the page to this state, once a run is open. */
  stand?: (page: Page) => Promise<unknown>;
}

const until = (iteration: number) => async (page: Page) => {
  await page.waitForFunction((wanted) => Number(document.documentElement.dataset['iteration']) >= wanted, iteration, {
    timeout: 300_000,
  });
  await untilRun(page, ['done', 'paused'], 300_000);
};
/** Opens a sheet by the class of its button in the header, which is the same in every language. */
const sheet = (name: string) => async (page: Page) => {
  await page.locator(`header button.${name}`).first().click();
  await page.waitForFunction(() => !!document.querySelector<HTMLElement>('dialog[open] .content')?.innerText.trim());
};
const trained = `autostart=1&iterations=${iterations}`;

const screens: Record<string, Screen> = {
  stage: { link: 'view=stage' },
  stageTrained: { link: `view=stage&${trained}`, stand: until(iterations) },
  slowMotion: {
    link: 'view=stage',
    stand: async (page) => {
      await page.locator('.slowly button').first().click();
      await page.locator('.slowly [role=toolbar]').waitFor();
      await untilRun(page, ['paused'], 60_000);
      for (let step = 0; step < 2; step++) await page.keyboard.press('ArrowRight');
    },
  },
  laboratory: { link: 'view=lab' },
  laboratoryTrained: { link: `view=lab&${trained}`, stand: until(iterations) },
  notPrepared: { link: 'view=lab&world.level=5' },
  projector: { link: `view=projector&${trained}`, stand: until(iterations) },
  embed: { link: 'view=embed', stand: (page) => page.locator('main button').first().waitFor() },
  lessons: { link: 'view=lab', stand: sheet('lessons') },
  experiments: { link: 'view=lab', stand: sheet('experiments') },
  library: {
    link: `view=lab&${trained}`,
    stand: async (page) => (await until(iterations)(page), sheet('library')(page)),
  },
  models: { link: 'view=lab', stand: sheet('models') },
};

/** The pictures in the documentation: state, width and variant. */
const committed: readonly [string, number, Variant][] = [
  ['stage', 1280, 'light'],
  ['stageTrained', 1440, 'light'],
  ['stageTrained', 1280, 'dark'],
  ['stageTrained', 390, 'light'],
  ['stageTrained', 1280, 'german'],
  ['slowMotion', 1280, 'light'],
  ['laboratoryTrained', 1440, 'light'],
  ['laboratoryTrained', 390, 'dark'],
  ['projector', 1280, 'light'],
  ['lessons', 1280, 'dark'],
];
const committedFolder = 'docs/pictures/screens';
/** The maximum size of such a picture. */
const mostBytes = 150_000;

/** Takes the pictures of these states, or of all states if none is named. Throws an Error for an unknown state. */
export async function takeScreens(origin: string, folder: string, names: readonly string[]): Promise<void> {
  for (const name of names)
    if (!(name in screens)) throw new Error(`${name} is none of ${Object.keys(screens).join(', ')}`);
  for (const one of [folder, committedFolder]) mkdirSync(one, { recursive: true });
  const browser = await chromium.launch({ executablePath: chromiumPath(), args: ['--no-sandbox', ...quietFlags] });
  try {
    for (const [name, screen] of Object.entries(screens)) {
      if (names.length > 0 && !names.includes(name)) continue;
      for (const variant of Object.keys(variants) as Variant[])
        await takeScreen({ browser, origin, folder }, name, screen, variant);
      console.log(name);
    }
  } finally {
    await browser.close();
  }
}

async function takeScreen(
  { browser, origin, folder }: { browser: Browser; origin: string; folder: string },
  name: string,
  { link, stand }: Screen,
  variant: Variant,
): Promise<void> {
  const { colorScheme, lang } = variants[variant];
  const context = await browser.newContext({ colorScheme, viewport: sizes[1], reducedMotion: 'reduce' });
  try {
    const page = await context.newPage();
    await page.goto(`${origin}/?backend=cpu&seed=${seed}&lang=${lang}&${link}`);
    if (!link.includes('embed')) await untilRun(page, ['idle', 'training', 'done'], 120_000);
    await stand?.(page);
    for (const size of sizes) {
      await page.setViewportSize(size);
      await page.waitForTimeout(400); // charts are drawn a few times a second
      await page.screenshot({ path: `${folder}/${name}-${size.width}-${variant}.png` });
      const isCommitted = committed.some(
        ([state, width, as]) => state === name && width === size.width && as === variant,
      );
      const path = `${committedFolder}/${name}-${size.width}-${variant}.jpg`;
      if (!isCommitted) continue;
      for (let quality = 85; quality > 20; quality -= 15) {
        const { length } = await page.screenshot({ path, type: 'jpeg', quality });
        if (length <= mostBytes) break;
      }
    }
  } finally {
    await context.close();
  }
}
