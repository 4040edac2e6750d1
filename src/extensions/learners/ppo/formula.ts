// The formula card of PPO.
export { ownEstimateFormula as formula } from '../../../training/learners/ownEstimate.ts';
