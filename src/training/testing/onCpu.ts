// Runs tests on the CPU engine. A test file must call `onCpu`, because the import alone has no effect.
import { afterEach, beforeAll, beforeEach } from 'vitest';
import type { Session } from '../run/session.ts';
import { startCpuEngine } from './cpuEngine.ts';
import { whenRunOpens } from './microRun.ts';

/** Runs the tests of a file on the CPU engine, and after each test disposes of the sessions that the test opened. */
export function onCpu(): void {
  const opened = new Set<Session>();
  beforeAll(async () => {
    whenRunOpens((session) => opened.add(session));
    await startCpuEngine();
  });
  // A group of tests that shares sessions must free these sessions itself.
  beforeEach(() => opened.clear());
  afterEach(async () => {
    for (const session of opened) await session.dispose();
    opened.clear();
  });
}
