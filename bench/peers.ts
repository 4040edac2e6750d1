// `npm run bench:peers` compares the maths of Cothink with the results of functions from other projects
// (bench/peers/gaps.ts) and stores the differences.
import { isAsSaid, peerGaps } from './peers/gaps.ts';
import { peersTable } from './peers/table.ts';
import { writeResults } from './shared/runner.ts';

const rows = await peerGaps();
writeResults('peerGaps', { rows });
console.log(peersTable({ rows }));
if (!rows.every(isAsSaid)) process.exitCode = 1;
