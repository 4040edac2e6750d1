// To import it runs the tests of a file on the CPU engine, and frees after each test the sessions that it opened.
import { afterEach, beforeAll, beforeEach } from 'vitest';
import type { Session } from '../run/session.ts';
import { startCpuEngine } from './cpuEngine.ts';
import { whenRunOpens } from './microRun.ts';

const opened = new Set<Session>();
whenRunOpens((session) => opened.add(session));

beforeAll(startCpuEngine);

// What a group of tests opens for all of them, it frees itself.
beforeEach(() => opened.clear());

afterEach(async () => {
  for (const session of opened) await session.dispose();
  opened.clear();
});
