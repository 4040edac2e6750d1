/** The name of the file that contains the run's own record, in an archive or in a folder. */
export const runEntryName = 'run.record';
