// The formula card of MAPPO.
export { jointEstimateFormula as formula } from '../../../training/learners/jointEstimate.ts';
