// A Vitest reporter that writes what scripts/test.mjs needs to count: every test with its outcome and, if skipped,
// the reason; files that could not be loaded; errors outside any test. Path of the file: TALLY_FILE.
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/**
 * @typedef {import('vitest/node').TestModule} TestModule
 * @typedef {import('vitest/node').SerializedError} SerializedError
 */

export default class TallyReporter {
  /**
   * @param {readonly TestModule[]} modules
   * @param {readonly SerializedError[]} unhandledErrors
   */
  onTestRunEnd(modules, unhandledErrors) {
    const file = process.env.TALLY_FILE;
    if (!file) return;
    const tally = {
      tests: modules.flatMap((module) => [...module.children.allTests()].map((test) => testRecord(module, test))),
      brokenFiles: modules
        .filter((module) => module.errors().length > 0)
        .map((module) => ({ file: module.relativeModuleId, message: messageOf(module.errors()[0]) })),
      strayErrors: unhandledErrors.map(messageOf),
    };
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, JSON.stringify(tally));
  }
}

/**
 * @param {TestModule} module
 * @param {import('vitest/node').TestCase} test
 */
function testRecord(module, test) {
  const result = test.result();
  return {
    file: module.relativeModuleId,
    name: test.fullName,
    // 'pending' after the end means that the test never reported: its process died.
    state: result.state,
    note: result.state === 'skipped' ? (result.note ?? `marked ${test.options.mode}`) : undefined,
  };
}

/** @param {SerializedError | undefined} error */
function messageOf(error) {
  return String(error?.message ?? error).split('\n')[0];
}
