// Counts the held-out problems whose core is also asked in training, for every level of every world: `npm run
// bench:cores` writes bench/results/cores.json and the table of docs/results.md.
import { formOf } from '../../src/config/worlds/registry.ts';
import { worlds } from '../../src/tasks/registry.ts';
import { renewDocs, writeResults } from '../shared/runner.ts';
import { coresOf, coresTable } from './coresTable.ts';

const rows = Object.values(worlds).flatMap((world) =>
  formOf(world.name).levels.map(({ level }) => {
    const row = coresOf(world, level);
    console.log(`${row.world} ${level}: ${row.knownCores} of ${row.heldOut}`);
    return row;
  }),
);
writeResults('cores', { rows });
console.log(coresTable({ rows }));
renewDocs();
