// Tests on the CPU engine. A file requests it by a call, as importing changes nothing.
import { afterEach, beforeAll, beforeEach } from 'vitest';
import type { Session } from '../run/session.ts';
import { startCpuEngine } from './cpuEngine.ts';
import { whenRunOpens } from './microRun.ts';

/** Runs the tests of a file on the CPU engine, and frees after each test the sessions that it opened. */
export function onCpu(): void {
  const opened = new Set<Session>();
  beforeAll(async () => {
    whenRunOpens((session) => opened.add(session));
    await startCpuEngine();
  });
  // Sessions that a group of tests opens for all of them are freed by the group.
  beforeEach(() => opened.clear());
  afterEach(async () => {
    for (const session of opened) await session.dispose();
    opened.clear();
  });
}
