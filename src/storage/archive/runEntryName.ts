/** The name of the file with the run's record, in an archive or in the folder of a run. */
export const runEntryName = 'run.record';
