// The formula card of HAPPO.
export { jointEstimateFormula as formula } from '../../../training/learners/jointEstimate.ts';
