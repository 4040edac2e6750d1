// Handles requests about the library: deletes and labels runs, and stores worlds that visitors wrote.
import type { TrainerApi } from '../../src/api/trainerApi.ts';
import { whileHeld } from '../../src/api/writerLock.ts';
import { ConfigError } from '../../src/base/errors.ts';
import { spoken } from '../../src/base/spoken.ts';
import type { IndexedDbStore } from '../../src/storage/checkpointStore.ts';
import { listRuns } from '../../src/storage/reading.ts';
import type { OpenRun } from './openRun.ts';
import type { TrainerTab } from './trainerTab.ts';

interface LibraryParts {
  store: IndexedDbStore;
  run: OpenRun;
  tab: TrainerTab;
}

type LibraryApi = Pick<TrainerApi, 'deleteRun' | 'labelRun' | 'keepWorld' | 'deleteWorld'>;

export const library = ({ store, run: openRun, tab }: LibraryParts): LibraryApi => ({
  async deleteRun(id) {
    const { session } = openRun;
    if (session?.isUnderWay && session.run.id === id)
      throw new ConfigError(spoken`run ${session.run.name}: it is running; stop it first, then delete it.`);
    await whileHeld(id, () => store.deleteRun(id));
    tab.tell({ kind: 'deleted', id });
  },

  async labelRun(label) {
    const { runId: id, name } = await store.saveLabel(label);
    openRun.session?.takeName({ id, name });
    tab.tell({ kind: 'labelled', id, name });
  },

  keepWorld: (world) => store.saveWorld(world),

  async deleteWorld(name) {
    const needing = (await listRuns()).runs.find(({ run }) => run.config.world.name === name)?.run;
    if (needing) throw new ConfigError(spoken`world: the run ${needing.name} uses this world; delete that run first.`);
    await store.deleteWorld(name);
  },
});
