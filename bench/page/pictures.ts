// The pictures of docs/worlds.md: the dialogue of each world in the page, after a few iterations of its preset.
import { inChromium, untilRun } from '../shared/chromium.ts';
import { plannedWorlds } from '../worlds/plan.ts';

const folder = 'docs/pictures';
const iterations = 3;

/** Opens each world that has a preset, by the first it has, lets it learn a little, and takes its dialogue as `docs/pictures/WORLD.png`. */
export async function takeWorldPictures(origin: string, names: readonly string[]): Promise<void> {
  await inChromium(async (browser) => {
    for (const [at, { name, world }] of plannedWorlds.entries()) {
      const isFirst = plannedWorlds.findIndex((planned) => planned.world === world) === at;
      if (!isFirst || (names.length > 0 && !names.includes(world))) continue;
      const page = await browser.newPage({ viewport: { width: 1200, height: 900 }, colorScheme: 'light' });
      await page.goto(`${origin}/?preset=${name}&backend=cpu&seed=11&iterations=${iterations}&autostart=1`);
      await untilRun(page, ['done'], 300_000);
      const dialogue = page.getByRole('region', { name: 'Dialogue', exact: true });
      const box = await dialogue.boundingBox();
      if (!box) throw new Error(`${name}: the page shows no dialogue`);
      const clip = { ...box, height: Math.min(box.height, 420) };
      await page.screenshot({ path: `${folder}/${world}.png`, clip });
      console.log(`${folder}/${world}.png`);
      await page.close();
    }
  });
}
