// The formula card of QMIX.
export { messageFormula as formula } from '../../../training/learners/mixed.ts';
