// The formula card of VDN.
export { messageFormula as formula } from '../../../training/learners/mixed.ts';
