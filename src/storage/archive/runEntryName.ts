/** The name of the file that contains the record of a run, in an archive or in the run's folder. */
export const runEntryName = 'run.record';
