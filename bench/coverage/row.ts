// The form of the rows of docs/coverage.md: one row for each feature, argument, script, environment, model and data set
// that a published description names. coverage.test.ts checks every name in a row and runs every command.
import type { LearnerName } from '../../src/config/learners/registry.ts';
import type { PresetName } from '../../src/config/presets.ts';
import type { NamedProtocol } from '../../src/config/protocols/facts.ts';
import type { WorldName } from '../../src/config/worlds/registry.ts';
import type { CommandName } from './commands.ts';

export const coverageStates = ['works', 'partly', 'not'] as const;

type CoverageState = (typeof coverageStates)[number];

/** Where a published thing is in Cothink. All names are checked against the schema, the registries and the tree. */
interface Places {
  settings?: readonly string[];
  presets?: readonly PresetName[];
  learners?: readonly LearnerName[];
  protocols?: readonly NamedProtocol[];
  worlds?: readonly WorldName[];
  /** The names of claims in `bench/results/claims.json`. */
  claims?: readonly string[];
  /** Files and folders from the root of the tree. A page can have a heading, such as `docs/cli.md#serve`. */
  pages?: readonly string[];
}

export interface CoverageRow extends Places {
  /** The name in the published text, in Markdown. */
  name: string;
  state: CoverageState;
  /** The commands that show the row. They use every setting, preset, learner, protocol and world of the row. */
  shownBy?: readonly CommandName[];
  /** The labels of the buttons on the page that show the row. */
  presses?: readonly string[];
  /** A sentence about the row. A row that does not work needs one. */
  remark?: string;
}

/** A published description, with its rows in parts. */
export interface CoveredSystem {
  name: string;
  /** The paper or the repository; absent if the text has no link of its own. */
  url?: string;
  /** The number of lines of the text that was read. */
  lines: number;
  parts: readonly { title: string; rows: readonly CoverageRow[] }[];
}
