// Stores the run of an archive, either completely or not at all.
import { StorageError } from '../../base/errors.ts';
import { spoken } from '../../base/spoken.ts';
import { isOpened, type RunId } from '../../records/ids.ts';
import { ancestorsOf } from '../ancestors.ts';
import { withChecksum } from '../checksum.ts';
import { iterationStores, type CothinkSchema } from '../database.ts';
import { bytesOf, owned } from '../room.ts';
import { emptySummary, highestOrder, namedBase, summaryOf } from '../summary.ts';
import { together, writing, type StoreName } from '../writing.ts';
import { wholeRun, type ArchivedRun } from './archivedRun.ts';

/**
 * Adds the run of an archive to the store, with its world. Throws StorageError if the run is already stored, if it has
 * the id that is reserved for archives that are only viewed, or if the run would become its own ancestor.
 */
export async function addRun(archived: ArchivedRun): Promise<RunId> {
  const { run, checkpoints: read, iterations, branches, label, world } = await wholeRun(archived);
  const checkpoints = read.map((checkpoint) => withChecksum(owned(checkpoint)));
  const { id: runId, name } = run;
  if (isOpened(runId))
    throw new StorageError(
      spoken`run ${name}: the id of this run, ${runId}, is reserved for runs that are open only for viewing; open the original archive of the run instead.`,
    );
  const stores: StoreName[] = ['runs', 'summaries', 'labels', 'branches', 'worlds', 'worldForms', ...iterationStores];
  await writing(`run ${name}`, stores, async (transaction) => {
    const put = <N extends StoreName>(store: N, value: CothinkSchema[N]['value'], key?: string) =>
      transaction.objectStore(store).put(value, key);
    if ((await transaction.objectStore('runs').count(runId)) > 0)
      throw new StorageError(
        spoken`run ${name}: this run is already stored here; delete the stored run in the library, then open the archive again.`,
      );
    if (ancestorsOf(runId, [...(await transaction.objectStore('runs').getAll()), run]).has(runId))
      throw new StorageError(
        spoken`run ${name}: this run is recorded as the continuation of another run, which is itself recorded as the continuation of this run; one of the two archives was changed.`,
      );
    await together([
      () => put('runs', run),
      () => label && put('labels', label),
      ...(world ? [() => put('worldForms', world.form), () => put('worlds', world.content, world.form.name)] : []),
      ...branches.map((branch) => () => put('branches', branch)),
      ...checkpoints.map((checkpoint) => () => put('checkpoints', checkpoint)),
      ...iterations.flatMap(({ iteration, metrics, evaluation, packed, row, shown }) => [
        () => metrics && put('metrics', { ...metrics, runId }),
        () => evaluation && put('evaluations', { ...evaluation, runId }),
        () => packed && put('iterations', withChecksum({ packed, runId, iteration })),
        () => row && put('iterationRows', { ...row, runId }),
        () => shown && put('shown', { group: shown, runId, iteration }),
      ]),
    ]);
    const sizes = checkpoints.map((checkpoint) => ({
      iteration: checkpoint.iteration,
      bytes: bytesOf(checkpoint),
    }));
    const newest = checkpoints.at(-1);
    const summary = await summaryOf(transaction, runId, {
      ...emptySummary(runId),
      checkpoints: sizes,
      ...(newest && namedBase(newest)),
    });
    await put('summaries', { ...summary, order: (await highestOrder(transaction)) + 1 });
  });
  return runId;
}
