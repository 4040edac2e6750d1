// The generated parts of docs/coverage.md: what each published description names, and where it is in Cothink.
import { learnerFacts } from '../src/config/learners/registry.ts';
import { protocolLabels } from '../src/config/protocols/registry.ts';
import { worldLabels } from '../src/config/worlds/registry.ts';
import { commands, variables, type CommandName } from './coverage/commands.ts';
import { maporl } from './coverage/maporl.ts';
import { maverl } from './coverage/maverl.ts';
import { mrlm } from './coverage/mrlm.ts';
import { rema } from './coverage/rema.ts';
import { rememr1 } from './coverage/rememr1.ts';
import { coverageStates, type CoverageRow, type CoveredSystem } from './coverage/row.ts';
import { code, table } from './shared/table.ts';

/** All published descriptions, in the order of the page. */
export const coveredSystems: readonly CoveredSystem[] = [rema, maverl, maporl, rememr1, mrlm];

/** The rows of a description. */
export const rowsOf = ({ parts }: CoveredSystem): CoverageRow[] => parts.flatMap(({ rows }) => rows);

const countOf = (rows: readonly CoverageRow[], state: CoverageRow['state']) =>
  rows.filter((row) => row.state === state).length;

function counts(): string {
  const all = { name: 'All', lines: coveredSystems.reduce((sum, { lines }) => sum + lines, 0) };
  const sums = [
    ...coveredSystems.map((system) => ({ name: system.name, lines: system.lines, rows: rowsOf(system) })),
    { ...all, rows: coveredSystems.flatMap(rowsOf) },
  ];
  return table<(typeof sums)[number]>(
    [
      ['Description', ({ name }) => name],
      ['Lines', ({ lines }) => lines],
      ['Rows', ({ rows }) => rows.length],
      ...coverageStates.map((state): [string, (sum: (typeof sums)[number]) => number] => [
        state,
        ({ rows }) => countOf(rows, state),
      ]),
    ],
    sums,
  );
}

/** A link from docs/coverage.md to a file of the tree, or to a heading of a page. */
function linkTo(page: string): string {
  const [file = '', heading] = page.split('#');
  const isDocument = file.startsWith('docs/');
  const label = isDocument ? file.slice('docs/'.length) : code(file);
  const said = heading === undefined ? label : `${label}: ${heading.replaceAll('-', ' ')}`;
  return `[${said}](${isDocument ? page.slice('docs/'.length) : `../${page}`})`;
}

function placesIn(row: CoverageRow): string {
  const { settings = [], presets = [], learners = [], protocols = [], worlds = [], claims = [], pages = [] } = row;
  const list = (kind: string, said: readonly string[]) =>
    said.length === 0 ? [] : `${kind}${said.length > 1 ? 's' : ''} ${said.join(', ')}`;
  const about = (kind: string, name: string, label: string) => `[${label}](../src/extensions/${kind}/${name}/about.md)`;
  return [
    settings.map(code),
    list(
      'preset',
      presets.map((name) => code(name)),
    ),
    list(
      'learner',
      learners.map((name) => about('learners', name, learnerFacts[name].label)),
    ),
    list(
      'protocol',
      protocols.map((name) => about('protocols', name, protocolLabels[name])),
    ),
    list(
      'world',
      worlds.map((name) => about('worlds', name, worldLabels[name])),
    ),
    list('claim', claims.map(code)),
    pages.map(linkTo),
  ]
    .flat()
    .join(', ');
}

const shownIn = ({ shownBy = [], presses = [] }: CoverageRow): string =>
  [...shownBy.map((name) => `[${name}](#${name.toLowerCase()})`), ...presses.map((label) => `_${label}_`)].join(', ');

function systems(): string {
  return coveredSystems
    .map((system) => {
      const { name, url, parts } = system;
      const rows = rowsOf(system);
      const tally = coverageStates.map((state) => `${countOf(rows, state)} ${state}`).join(', ');
      const tables = parts.map(
        (part) =>
          `### ${name}: ${part.title.charAt(0).toLowerCase()}${part.title.slice(1)}\n\n${table<CoverageRow>(
            [
              ['Published', (row) => row.name],
              ['State', ({ state }) => state],
              ['Here', (row) => placesIn(row) || null],
              ['Shown by', (row) => shownIn(row) || null],
              ['Remark', ({ remark }) => remark ?? ''],
            ],
            part.rows,
          )}`,
      );
      return [`## ${name}`, `${url ? `[${name}](${url})` : name}: ${tally}.`, ...tables].join('\n\n');
    })
    .join('\n\n');
}

function commandList(): string {
  const set = Object.entries(variables).map(([name, value]) => `${name}='${value}'`);
  const list = (Object.keys(commands) as CommandName[]).map((name) => {
    const { line, refused } = commands[name];
    const text = `### ${name}\n\n\`\`\`sh\n${line}\n\`\`\``;
    return refused === undefined ? text : `${text}\n\nRefused: _${refused}_.`;
  });
  return [`\`\`\`sh\n${set.join('\n')}\n\`\`\``, ...list].join('\n\n');
}

export const coverageBlocks = { coverageCounts: counts, coverage: systems, coverageCommands: commandList };
