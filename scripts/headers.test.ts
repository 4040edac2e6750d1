import { expect, test } from 'vitest';
import { embedHeaders, headersFile, headersFor, servedHeaders } from './headers.mjs';

/** The headers that a static host joins for a path: those of all rules that match it. */
function joined(path: string): Record<string, string> {
  const found: [string, string][] = [];
  let isMatching = false;
  for (const line of headersFile().trim().split('\n')) {
    const [, name = '', value = ''] = /^ {2}([\w-]+): (.+)$/.exec(line) ?? [];
    if (name === '') isMatching = line.endsWith('*') ? path.startsWith(line.slice(0, -1)) : path === line;
    else if (isMatching) found.push([name, value]);
  }
  expect(new Set(found.map(([name]) => name)).size, `${path} gets a header twice`).toBe(found.length);
  return Object.fromEntries(found);
}

test('a static host gives each file the headers that our own server gives it', () => {
  for (const path of ['/', '/index.html', '/assets/begin-1234abcd.js', '/service.worker.js', '/embed.html'])
    expect(joined(path), path).toEqual(headersFor(path));
});

test('only the page for frames may be shown by other sites', () => {
  const ancestors = (headers: Record<string, string>) =>
    /frame-ancestors ([^;]+)/.exec(headers['Content-Security-Policy'] ?? '')?.[1];
  expect([ancestors(servedHeaders), ancestors(embedHeaders)]).toEqual(["'self'", '*']);
});
