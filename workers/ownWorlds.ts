// Worlds of the visitor's own as the trainer has them: opened from the store, and kept there while a run needs them.
import { ConfigError } from '../src/base/errors.ts';
import type { Config } from '../src/config/schema.ts';
import { isOwn, type OwnName } from '../src/config/worlds/own.ts';
import type { IndexedDbStore } from '../src/storage/checkpointStore.ts';
import { listRuns, loadWorld } from '../src/storage/reading.ts';
import { openWorld } from '../src/tasks/registry.ts';

/** Makes ready what these settings name where it is a world of the visitor's own. Throws StorageError where it is not kept. */
export async function readyWorld({ name }: Config['world']): Promise<void> {
  if (isOwn(name)) await openWorld(await loadWorld(name));
}

/** Throws ConfigError where a stored run needs it. */
export async function deleteWorld(name: OwnName, store: IndexedDbStore): Promise<void> {
  const { runs } = await listRuns();
  const needing = runs.find(({ run }) => run.config.world.name === name)?.run;
  if (needing) throw new ConfigError(`world: the run ${needing.name} needs it; delete that run first.`);
  await store.deleteWorld(name);
}
