// Exports files of the open run. The code that writes files is loaded when a file is requested.
import type { TrainerApi } from '../../src/api/trainerApi.ts';
import type { HeldModels } from '../model/heldModels.ts';
import type { OpenRun } from './openRun.ts';

type ExportApi = Pick<
  TrainerApi,
  'exportWeights' | 'exportModel' | 'exportVerifier' | 'exportSizes' | 'exportTrajectories' | 'exportPreferences'
>;

const exports = () => import('../exports.ts');

export const exporting = (run: OpenRun, models: HeldModels): ExportApi => ({
  exportWeights: async (agent, hasOptimiser = false) => (await exports()).agentZip(run.current(), agent, hasOptimiser),
  exportModel: async (agent, form) =>
    (await exports()).modelFile(run.current(), { agent, form, filesOf: (name) => models.filesOf(name) }),
  exportVerifier: async () => (await exports()).zipOfVerifier(run.current()),
  exportSizes: async () => (await exports()).exportSizes(run.current()),
  exportTrajectories: async (as) => (await exports()).trajectoryFile(run.current().run, as),
  exportPreferences: async (by) => (await exports()).preferenceLines(run.current(), by),
});
