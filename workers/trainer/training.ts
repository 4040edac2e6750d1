// Handles the requests of the page for the open run: train, pause, evaluate, and change a setting.
import type { TrainerApi } from '../../src/api/trainerApi.ts';
import type { OpenRun } from './openRun.ts';
import type { TrainerTab } from './trainerTab.ts';

type TrainingApi = Pick<TrainerApi, 'train' | 'step' | 'pause' | 'stop' | 'present' | 'evaluate' | 'changeSetting'>;

export const training = (run: OpenRun, tab: TrainerTab): TrainingApi => ({
  train: () => tab.train((session) => void session.train()),
  step: () => tab.train((session) => session.train(1)),
  pause: async () => run.current().pause(),
  stop: () => tab.own((session) => session.stop()),
  present: async () => (run.session?.isUnderWay ? null : ((await run.session?.checkpoint()) ?? null)),
  evaluate: (beside = null) => tab.own((session) => session.evaluate(beside)),
  changeSetting: (path, value) => tab.own(async (session) => void (await session.change(path, value))),
});
