// To import it runs the tests of a file on the CPU engine, and frees after each the sessions that it opened.
import { afterEach, beforeAll } from 'vitest';
import type { Session } from '../run/session.ts';
import { startCpuEngine } from './cpuEngine.ts';
import { whenRunOpens } from './microRun.ts';

const opened = new Set<Session>();
whenRunOpens((session) => opened.add(session));

beforeAll(startCpuEngine);

afterEach(async () => {
  for (const session of opened) await session.dispose();
  opened.clear();
});
