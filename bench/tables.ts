// The tables of README.md and docs that are generated from bench/results, each by the name of its block; scripts/docs.mjs
// inserts them.
import { attackTable } from './attack/report.ts';
import { claimsTable } from './claims/record.ts';
import { interopTable } from '../interop/table.ts';
import { fidelityTable } from './learners/fidelityTable.ts';
import { predictedRows, predictedTable } from './learners/predictedTable.ts';
import { learnersTable } from './learners/table.ts';
import { crossTable, levelsTable, type CrossResults, type LevelsResults } from './learn/levelsTable.ts';
import { openingTable, type OpeningResults } from './learn/openingTable.ts';
import { learnShortTable, learnTables } from './learn/table.ts';
import { lessonsTable } from './page/lessonsTable.ts';
import { memoryTable, type MemoryRow } from './models/memoryTable.ts';
import { type ModelsResults, modelsTable } from './models/table.ts';
import { pageTable } from './page/table.ts';
import { peersTable } from './peers/table.ts';
import { serveTable } from './serve/table.ts';
import { readResults } from './shared/runner.ts';
import { coresTable } from './worlds/coresTable.ts';
import { curriculumTable } from './worlds/curriculumTable.ts';
import { recallTable } from './worlds/recallTable.ts';
import { worldsTable } from './worlds/table.ts';
import { transferTable } from './worlds/transferTable.ts';
import { wordsClaimsTable } from './words/claims.ts';
import { wordsPageTable, wordsTrajectories, wordsTable, type WordsRow } from './words/table.ts';
import { stepShortTable, stepTable } from './step/table.ts';

export const benchTables = {
  learn: made('learn', 'bench:learn', learnTables),
  learnShort: made('learn', 'bench:learn', learnShortTable),
  learnLevels: made('learn', 'bench:learn -- --levels', ({ levels }: Further) => levels && levelsTable(levels)),
  learnCross: made('learn', 'bench:learn -- --cross', ({ cross }: Further) => cross && crossTable(cross)),
  learnOpening: made('learn', 'bench:learn -- --opening', ({ opening }: Further) => opening && openingTable(opening)),
  learners: made('learners', 'bench:learners', learnersTable),
  fidelity: made('fidelity', 'bench:fidelity', fidelityTable),
  predicted: () => predictedTable(predictedRows()),
  worlds: made('worlds', 'bench:worlds', worldsTable),
  curriculum: made('curriculum', 'bench:curriculum', curriculumTable),
  cores: made('cores', 'bench:cores', coresTable),
  recall: made('recall', 'bench:recall', recallTable),
  transfer: made('transfer', 'bench:transfer', transferTable),
  words: made('words', 'words', ({ rows }: { rows: WordsRow[] }) => wordsTable(rows)),
  wordsClaims: made('words', 'words', ({ rows }: { rows: WordsRow[] }) => wordsClaimsTable(rows)),
  wordsPage: made('words', 'words', ({ rows }: { rows: WordsRow[] }) => wordsPageTable(rows)),
  ...Object.fromEntries(
    (['passItOn', 'passTwoOn', 'sayTheOrder'] as const).map((rung) => [
      `dialogues_${rung}`,
      made('words', 'words', ({ rows }: { rows: WordsRow[] }) => wordsTrajectories(rows, rung)),
    ]),
  ),
  models: made('models', 'bench:models', (results: ModelsResults) => modelsTable(results)),
  memory: made('memory', 'bench:memory', ({ rows }: { rows: MemoryRow[] }) => memoryTable(rows)),
  claims: made('claims', 'bench:claims', claimsTable),
  attack: made('attack', 'attack', attackTable),
  interop: made('interop', 'interop -- --store', interopTable),
  serve: made('serve', 'bench:serve', serveTable),
  page: made('page', 'bench:page', pageTable),
  lessonWalks: made('lessons', 'bench:lessons', lessonsTable),
  step: made('step', 'bench', stepTable),
  stepShort: made('step', 'bench', stepShortTable),
  peers: made('peerGaps', 'bench:peers', peersTable),
};

/** Further results of `bench:learn`, which need extra options. */
interface Further {
  levels?: LevelsResults;
  cross?: CrossResults;
  opening?: OpeningResults;
}

/** Returns a table of a bench's results, or the command that would measure them. */
function made<Results>(
  file: string,
  command: string,
  describe: (results: Results) => string | undefined,
): () => string {
  return () => {
    const results = readResults<Results>(file);
    return (results && describe(results)) || `Not measured yet: \`npm run ${command}\`.`;
  };
}
