// How the page arrives: isolated, under its policy, from one origin, and with WebGPU exactly where the flags ask for it.
import { request as httpRequest } from 'node:http';
import { expect, inject } from 'vitest';
import { test } from './browser.ts';

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
  const { page } = await visit('/', { tolerate: [/Content Security Policy|unsafe-eval/] });
  expect(await page.evaluate(() => crossOriginIsolated)).toBe(true);
  const refused = await page.evaluate(() => {
    const script = document.createElement('script');
    script.textContent = 'window.ranInline = true';
    document.head.append(script);
    return !('ranInline' in window);
  });
  expect(refused).toBe(true);
});

test('WebGPU has an adapter with the flags and none without', async ({ visit }) => {
  const hasAdapter = async () => (await navigator.gpu?.requestAdapter()) != null;
  const plain = await visit('/');
  expect(await plain.page.evaluate(hasAdapter)).toBe(false);
  const flagged = await visit('/', { webgpu: true });
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
