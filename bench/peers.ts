// `npm run bench:peers` compares our maths with the results of peers' own functions (bench/peers/gaps.ts) and stores
// the gaps.
import { isAsSaid, peerGaps } from './peers/gaps.ts';
import { peersTable } from './peers/table.ts';
import { writeResults } from './shared/runner.ts';

const rows = await peerGaps();
writeResults('peerGaps', { rows });
console.log(peersTable({ rows }));
if (!rows.every(isAsSaid)) process.exitCode = 1;
