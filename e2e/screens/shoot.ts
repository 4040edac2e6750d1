// Takes a picture of a page in its current state, in both themes.
import type { Page } from 'playwright-core';

/** Writes NAME-light.png and NAME-dark.png beside this file. */
export async function shoot(page: Page, name: string): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    // Endless animations never finish, so they are not awaited. Charts are redrawn within the next frames.
    await page.evaluate(async () => {
      const ending = document.getAnimations().filter(({ effect }) => effect?.getComputedTiming().endTime !== Infinity);
      await Promise.allSettled(ending.map(({ finished }) => finished));
      for (let i = 0; i < 3; i++) await new Promise(requestAnimationFrame);
    });
    await page.screenshot({ path: `e2e/screens/${name}-${colorScheme}.png` });
  }
}
