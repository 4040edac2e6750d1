// The formula card of IPPO.
export { ownEstimateFormula as formula } from '../../../training/learners/ownEstimate.ts';
