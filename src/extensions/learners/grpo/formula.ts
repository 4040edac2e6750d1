// The formula card of GRPO.
export { groupMeanFormula as formula } from '../../../training/learners/groupMean.ts';
