// The interface through which the page calls the trainer. The interface combines several parts, each of which handles
// one kind of request.
import type { TrainerApi } from '../src/api/trainerApi.ts';
import { hold, lifeLock } from '../src/api/writerLock.ts';
import { speakIn } from '../src/base/spoken.ts';
import { IndexedDbStore } from '../src/storage/checkpointStore.ts';
import { EnduringStore } from '../src/storage/enduringStore.ts';
import { loadWords } from '../src/tasks/registry.ts';
import { shownPrompts } from '../src/training/team/shownPrompts.ts';
import { readyWorld } from './assets.ts';
import { HeldModels } from './model/heldModels.ts';
import { ImportedFiles } from './importedFiles.ts';
import { exporting } from './trainer/exporting.ts';
import { Imports } from './trainer/imports.ts';
import { library } from './trainer/library.ts';
import { News } from './trainer/news.ts';
import { OpenRun } from './trainer/openRun.ts';
import { openings } from './trainer/openings.ts';
import { Tenure } from './trainer/tenure.ts';
import { TrainerTab } from './trainer/trainerTab.ts';
import { training } from './trainer/training.ts';

export function newTrainer(): TrainerApi {
  const news = new News();
  const store = new IndexedDbStore();
  /** The store to which runs write. */
  const enduring = new EnduringStore(store, news.emit);
  const tenure = new Tenure(enduring);
  const files = new ImportedFiles();
  const run = new OpenRun({ news, store: enduring, tenure, pairsOf: files.pairsOf });
  const tab = new TrainerTab(run, tenure);
  /** The models that settings may use until the page is closed. A run has its own copy of the weights. */
  const models = new HeldModels();
  const imports = new Imports({ files, run, tab, news });
  /** The code of the inspector is loaded when it is first requested. */
  const inspector = async () => {
    const { Inspector } = await import('./trainer/inspector.ts');
    return new Inspector({
      session: () => run.session,
      ready: readyWorld,
      expectBase: (name, checkpoint) => models.expectBase(name, checkpoint),
      aside: (backend, work) => run.aside(backend, work),
    });
  };

  return {
    async listen(listener) {
      await hold(lifeLock(tab.name));
      news.sendTo((events) => {
        listener(events);
        tab.passOn(events);
        tab.rest();
      });
      // Adds summaries to runs of earlier versions. A run without a summary is also listed correctly, but listing it
      // takes longer.
      void store.summarise().catch(() => undefined);
      return tab.name;
    },
    speak: async (phrases) => speakIn(() => phrases),
    ...openings({ run, tab, tenure, news, store: enduring, models, imports }),
    ...training(run, tab),
    ...exporting(run, models),
    ...library({ store, run, tab }),
    importFile: imports.importFile,
    keepFile: imports.keepFile,
    look: async (kind, at) => (await inspector()).look(kind, at),
    evaluateStored: async (seats) => (await inspector()).evaluate(seats),
    prompts: async (config) => {
      await readyWorld(config);
      await loadWords(config);
      return shownPrompts(config);
    },
    holdModel: (model, given) => models.holdFiles(model, given),
    holdAgent: (seat, agent) => models.holdAgent(seat, agent),
  };
}
