// How the page is served: cross-origin isolated, with its policy, from one origin. WebGPU needs the browser's flags.
import { symlinkSync, mkdtempSync, rmSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, inject } from 'vitest';
import { metaPolicy } from '../scripts/headers.mjs';
import { serveFolder } from '../scripts/serve.mjs';
import { serveBare } from './bareHost.ts';
import { test } from './browser.ts';
import { untilIteration, untilState } from './contract.ts';

function get(path: string, headers: Record<string, string> = {}): Promise<{ status: number; headers: object }> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(inject('origin'));
    const sent = httpRequest({ hostname, port, path, headers }, (answer) => {
      answer.resume();
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, headers: answer.headers }));
    });
    sent.on('error', reject);
    sent.end();
  });
}

test('the page is cross-origin isolated and refuses code made from text', async ({ visit }) => {
  const { page } = await visit('/?view=lab', { tolerate: [/Content Security Policy|unsafe-eval|TrustedScript/] });
  expect(await page.evaluate(() => crossOriginIsolated)).toBe(true);
  const refused = await page.evaluate(() => {
    const script = document.createElement('script');
    script.append('window.ranInline = true');
    document.head.append(script);
    return !('ranInline' in window);
  });
  expect(refused).toBe(true);
});

test('WebGPU has an adapter with the flags and no adapter without them', async ({ visit }) => {
  const hasAdapter = async () => (await navigator.gpu?.requestAdapter()) != null;
  const plain = await visit('/?view=lab');
  expect(await plain.page.evaluate(hasAdapter)).toBe(false);
  const flagged = await visit('/?view=lab', { webgpu: true });
  expect(await flagged.page.evaluate(hasAdapter)).toBe(true);
});

test('every answer carries the policy, and text is compressed', async () => {
  for (const path of ['/', '/nothing-here']) {
    expect((await get(path)).headers).toMatchObject({
      'content-security-policy': expect.stringContaining("script-src 'self' 'wasm-unsafe-eval';"),
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-embedder-policy': 'require-corp',
    });
  }
  expect((await get('/', { 'accept-encoding': 'gzip, br' })).headers).toMatchObject({ 'content-encoding': 'br' });
  expect((await get('/', { 'accept-encoding': 'gzip, br;q=0' })).headers).toMatchObject({ 'content-encoding': 'gzip' });
});

test('no path leads out of the served folder', async () => {
  for (const path of [
    '/../package.json',
    '/%2e%2e/package.json',
    '/..%2fpackage.json',
    '/assets/..%5c..%5cpackage.json',
  ]) {
    expect((await get(path)).status, path).toBe(404);
  }
  expect((await get('/%')).status).toBe(404);
  expect((await get('/.vite/manifest.json')).status).toBe(404);
});

test('a symbolic link to itself gives 404, and the server keeps running', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'cothink-'));
  symlinkSync('round', path.join(folder, 'round'));
  const { url, close } = await serveFolder({ folder, port: 4573 });
  try {
    expect((await fetch(`${url}/round`)).status).toBe(404);
    expect((await fetch(`${url}/nothing-here`)).status).toBe(404);
  } finally {
    await close();
    rmSync(folder, { recursive: true });
  }
});

/** Runs on the page. Returns whether it refuses markup, a foreign worker, a worker from text, and a foreign script. */
const refusedTexts = () => {
  const fails = (act: () => unknown) => {
    try {
      act();
      return false;
    } catch (error) {
      return error instanceof TypeError;
    }
  };
  return [
    fails(() => (document.createElement('div').innerHTML = '<b>text</b>')),
    fails(() => new Worker('https://elsewhere.invalid/worker.js')),
    fails(() => new Worker('data:text/javascript,0')),
    fails(() => document.createElement('script').setAttribute('src', 'https://elsewhere.invalid/a.js')),
  ];
};

test('the page refuses to turn text into markup, a worker or a script', async ({ open }) => {
  const page = await open('/?preset=micro&backend=cpu', { tolerate: [/Trusted|Content Security Policy/] });
  expect(await page.evaluate(refusedTexts)).toEqual([true, true, true, true]);
  // The page's own worker could still start its threads.
  await page
    .getByText(/[2-9] threads used/)
    .first()
    .waitFor({ state: 'attached' });
});

test('the page may not request features that it does not use, such as camera, microphone and location', async ({
  visit,
}) => {
  const { page } = await visit('/?view=lab');
  const allowed = await page.evaluate(() => {
    const { featurePolicy } = document as unknown as { featurePolicy: { allowedFeatures(): string[] } };
    return featurePolicy.allowedFeatures();
  });
  for (const name of ['camera', 'microphone', 'geolocation', 'usb']) expect(allowed).not.toContain(name);
  expect(allowed).toEqual(expect.arrayContaining(['clipboard-write', 'screen-wake-lock', 'cross-origin-isolated']));
});

test('in a folder of a host that sends no headers the page trains, and its manifest and icons are found', async ({
  visit,
}) => {
  const { origin, asked, close } = await serveBare('/teach/cothink/');
  try {
    const { page } = await visit('/teach/cothink/?backend=cpu&iterations=3&autostart=1', {
      origin,
      tolerate: [/Trusted|Content Security Policy|foreign request: https:..elsewhere.invalid/],
    });
    await untilIteration(page, 3); // from the shipped warm start
    expect(await page.evaluate(() => crossOriginIsolated)).toBe(false);
    // The page contains its policy itself.
    await expect
      .poll(() => page.locator('meta[http-equiv="Content-Security-Policy"]').getAttribute('content'))
      .toBe(metaPolicy);
    expect(await page.evaluate(refusedTexts)).toEqual([true, true, true, true]);
    const refused = await page.evaluate(async () => {
      const told = new Promise<string>((resolve) => {
        document.addEventListener('securitypolicyviolation', (event) => resolve(event.effectiveDirective));
      });
      await fetch('https://elsewhere.invalid/').catch(() => undefined);
      return told;
    });
    expect(refused).toBe('connect-src');
    const addresses = await page.evaluate(async () => {
      const address = (document.querySelector('link[rel=manifest]') as HTMLLinkElement).href;
      const manifest = (await (await fetch(address)).json()) as { start_url: string; icons: { src: string }[] };
      const icon = (document.querySelector('link[rel=icon]') as HTMLLinkElement).href;
      const named = [manifest.start_url, ...manifest.icons.map(({ src }) => src)];
      return [icon, ...named.map((name) => new URL(name, address).href)];
    });
    expect(addresses).toContain(`${origin}/teach/cothink/`);
    for (const address of addresses) expect((await fetch(address)).status, address).toBe(200);
    await page.getByRole('button', { name: 'Where the time goes' }).click();
    await page.getByRole('dialog').getByRole('table').first().waitFor(); // this chunk is loaded only now
    for (const path of asked) expect(path).toMatch(/^\/teach\/cothink\//);
    expect(asked).toContainEqual(expect.stringMatching(/warmstart\/.*safetensors$/));
    expect(asked).toContainEqual(expect.stringMatching(/kernels-.*wasm$/));
  } finally {
    await close();
  }
});

test('the page also trains if the host lacks the kernels, only slower', async ({ visit }) => {
  const { origin, close } = await serveBare('/', { without: /kernels-.*\.wasm$/ });
  try {
    const { page } = await visit('/?preset=micro&iterations=2&autostart=1', { origin, tolerate: [/404/] });
    await untilState(page, ['done']);
    await page
      .getByText(/Plain JavaScript is used.*kernels\.wasm.*status 404/)
      .first()
      .waitFor({ state: 'attached' });
  } finally {
    await close();
  }
});

test('the glossary links to the licences of all shipped parts', async ({ visit }) => {
  const { page, context } = await visit('/?preset=micro&backend=cpu');
  await page.getByRole('button', { name: 'Glossary' }).click();
  const opening = context.waitForEvent('page');
  await page.getByRole('link', { name: 'Licences of all parts' }).click();
  const licences = await opening;
  await licences.waitForLoadState(); // the page opens before its text is complete
  const text = await licences.locator('body').innerText();
  // The list covers the page, each worker, their dependencies, and the code that is compiled into the kernels.
  const shipped =
    'svelte yaml comlink idb valibot codemirror fflate fzstd hyparquet assemblyscript ' +
    '@msgpack/msgpack @tensorflow/tfjs-core @tensorflow/tfjs-backend-webgpu @huggingface/tokenizers quickjs-emscripten-core workbox-precaching';
  for (const name of shipped.split(' ')) expect(text).toMatch(new RegExp(`^${name} \\d`, 'm'));
});
