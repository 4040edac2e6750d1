// Checks the site of documents: every link on it leads to a file and a heading that exist, and axe and the browser find
// nothing to report on a page of each kind, in both themes.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import AxeBuilder from '@axe-core/playwright';
import { chromium } from 'playwright-core';
import { quietFlags } from '../scripts/chromium.mjs';
import { root, runOrThrow } from '../scripts/freshness.mjs';
import { serveFolder } from '../scripts/serve.mjs';
import { findChromium } from '../scripts/vulkan.mjs';
import { Check } from './clusters/launched.mjs';

const looked = ['index', 'library', 'results', 'examples', 'api/train', 'learners/grpo', 'worlds/houseRule'];

export async function siteChecked() {
  const check = new Check('site', '');
  const folder = check.at('site');
  runOrThrow(process.execPath, [path.join(root, 'site', 'build.mjs'), folder], { stdio: 'pipe' });
  const docs = path.join(folder, 'docs');
  const files = readdirSync(docs, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.html'));
  const texts = new Map(files.map((name) => [path.join(docs, name), readFileSync(path.join(docs, name), 'utf8')]));
  const lost = [...texts].flatMap(([from, html]) =>
    [...html.matchAll(/(?:href|src)="([^"]*)"/g)].flatMap(([, address = '']) =>
      /^https?:/.test(address) || leads(texts, from, address.replaceAll('&amp;', '&'))
        ? []
        : [`${path.relative(docs, from)} → ${address}`],
    ),
  );
  check.says(`every link of ${files.length} documents leads somewhere`, lost.length === 0, lost.slice(0, 12));
  const chrome = findChromium();
  if (chrome) await lookedAt(check, folder, chrome);
  else console.log('Not looked at: there is no Chrome or Chromium.');
  return check.ends();
}

/** @param {Map<string, string>} texts @param {string} from @param {string} address */
function leads(texts, from, address) {
  const [file = '', id] = address.split('#');
  const target = file === '' ? from : path.resolve(path.dirname(from), file.split('?')[0] ?? '');
  if (!existsSync(target)) return false;
  return id === undefined || (texts.get(target)?.includes(`id="${decodeURIComponent(id)}"`) ?? false);
}

/** @param {Check} check @param {string} folder @param {string} chrome */
async function lookedAt(check, folder, chrome) {
  const served = await serveFolder({ folder, port: 4195 });
  const browser = await chromium.launch({ executablePath: chrome, args: ['--no-sandbox', ...quietFlags] });
  try {
    const found = /** @type {string[]} */ ([]);
    for (const colorScheme of /** @type {const} */ (['light', 'dark'])) {
      const context = await browser.newContext({ colorScheme, viewport: { width: 390, height: 844 } });
      for (const name of looked) {
        const page = await context.newPage();
        page.on('console', (said) => void (said.type() === 'error' && found.push(`${name}: ${said.text()}`)));
        await page.goto(`${served.url}/docs/${name}.html`);
        const { violations } = await new AxeBuilder({ page }).setLegacyMode().analyze();
        const serious = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical');
        found.push(...serious.map(({ id, nodes }) => `${name}: ${id} ${nodes[0]?.html ?? ''}`));
        if (await page.evaluate(() => document.documentElement.scrollWidth > innerWidth))
          found.push(`${name}: too wide`);
        await page.close();
      }
      await context.close();
    }
    check.says('axe and the browser report nothing, on a narrow screen and in both themes', found.length === 0, found);
  } finally {
    await browser.close();
    await served.close();
  }
}
