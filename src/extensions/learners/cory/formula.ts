// The formula card of CORY.
export { groupMeanFormula as formula } from '../../../training/learners/groupMean.ts';
