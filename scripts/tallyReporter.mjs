// A Vitest reporter that writes the input of scripts/suite.mjs, one line of JSON for each event: a test that starts, a
// test with its result, a file that cannot be loaded, an error outside any test. Lines are written immediately, so a
// killed suite has reported everything known until then. Path of the file: TALLY_FILE.
import { appendFileSync } from 'node:fs';

/**
 * @typedef {import('vitest/node').TestModule} TestModule
 * @typedef {import('vitest/node').TestCase} TestCase
 * @typedef {import('vitest/node').SerializedError} SerializedError
 * @typedef {{ file: string, name: string, state: string, note?: string }} TestRecord
 * @typedef {{ begun: string } | { test: TestRecord } | { brokenFile: string, message: string } | { strayError: string }
 *   | { ended: true }} Line
 */

export default class TallyReporter {
  /** @param {TestModule} module */
  onTestModuleStart(module) {
    write({ begun: module.relativeModuleId });
  }

  /** @param {TestCase} test */
  onTestCaseReady(test) {
    write({ begun: keyOf(test) });
  }

  /** @param {TestCase} test */
  onTestCaseResult(test) {
    const { file, name } = placeOf(test);
    const result = test.result();
    const note = result.state === 'skipped' ? (result.note ?? `marked ${test.options.mode}`) : undefined;
    write({ test: { file, name, state: result.state, note } });
  }

  /**
   * @param {readonly TestModule[]} modules
   * @param {readonly SerializedError[]} unhandledErrors
   */
  onTestRunEnd(modules, unhandledErrors) {
    for (const module of modules) {
      const [error] = module.errors();
      if (error) write({ brokenFile: module.relativeModuleId, message: messageOf(error) });
      // A test without a result at the end has never reported, because its process died.
      for (const test of module.children.allTests('pending')) write({ test: { ...placeOf(test), state: 'pending' } });
    }
    for (const error of unhandledErrors) write({ strayError: messageOf(error) });
    write({ ended: true });
  }
}

/** @param {Line} line */
function write(line) {
  if (process.env.TALLY_FILE) appendFileSync(process.env.TALLY_FILE, `${JSON.stringify(line)}\n`);
}

/** @param {TestCase} test */
const placeOf = (test) => ({ file: test.module.relativeModuleId, name: test.fullName });

/** @param {TestCase} test */
const keyOf = (test) => `${test.module.relativeModuleId} > ${test.fullName}`;

/** @param {SerializedError | undefined} error */
function messageOf(error) {
  return String(error?.message ?? error).split('\n')[0] ?? '';
}
