// Serves the built page as the simplest host does: files in a folder, with their content types and no other header.
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';

const types: Record<string, string> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
  '.webmanifest': 'application/manifest+json',
  '.txt': 'text/plain',
};

interface BareHost {
  origin: string;
  /** Paths that have been requested so far. */
  asked: string[];
  close(): Promise<void>;
}

interface BareOptions {
  /** The server answers 404 for files whose path matches this pattern. */
  without?: RegExp;
  /** The content served instead of a file, by its name. */
  alter?: (name: string, body: Buffer) => Buffer | string;
}

/** Serves `dist` under the path `base`, which ends with a slash. */
export async function serveBare(
  base: string,
  { without, alter = (_, body) => body }: BareOptions = {},
): Promise<BareHost> {
  const folder = path.resolve(process.env['PAGE_FOLDER'] ?? 'dist');
  const asked: string[] = [];
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://localhost');
    asked.push(pathname);
    const name = pathname.startsWith(base) ? pathname.slice(base.length) || 'index.html' : undefined;
    const bytes = name && !without?.test(name) ? readFile(path.join(folder, path.normalize(name))) : Promise.reject();
    bytes.then(
      (body) => {
        const type = types[path.extname(name as string)];
        response.writeHead(200, type ? { 'Content-Type': type } : {}).end(alter(name as string, body));
      },
      () => response.writeHead(404).end(),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve));
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return { origin: `http://localhost:${(server.address() as AddressInfo).port}`, asked, close };
}
