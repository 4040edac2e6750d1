// What a verifier needs: answers to read, and for each use of its word the setting that asks for a word.
import type { Settings } from '../../base/errors.ts';
import type { Config } from '../schema.ts';
import type { Rule } from './rule.ts';

/** Candidates of a turn go with no verifier at all, so there the way back is named first. */
const either =
  (use: Settings, leave: Settings) =>
  ({ agents }: Config): Settings[] =>
    agents.candidates > 1 ? [leave, use] : [use, leave];

const trained = { 'verifier.isTrained': true };

export const verifierRules: readonly Rule[] = [
  {
    when: ({ verifier, agents }) => verifier.isTrained && agents.protocol === 'reMA',
    path: 'verifier.isTrained',
    says: 'turns of plan and reason are no whole answers to judge',
    remedies: either({ 'agents.protocol': 'debate' }, { 'verifier.isTrained': false }),
  },
  {
    when: ({ verifier }) => !verifier.isTrained && verifier.reward > 0,
    path: 'verifier.reward',
    says: 'there is no verifier to score answers',
    remedies: either(trained, { 'verifier.reward': 0 }),
  },
  {
    when: ({ verifier }) => !verifier.isTrained && verifier.feedback === 'verifier',
    path: 'verifier.feedback',
    says: 'there is no verifier to ask',
    remedies: either(trained, { 'verifier.feedback': 'world' }),
  },
  {
    when: ({ verifier, agents }) =>
      verifier.feedback === 'verifier' && !(agents.feedback && agents.protocol === 'debate'),
    path: 'verifier.feedback',
    says: 'nobody is told what answers are worth',
    remedies: either({ 'agents.feedback': true, 'agents.protocol': 'debate' }, { 'verifier.feedback': 'world' }),
  },
  {
    when: ({ verifier }) => !verifier.isTrained && verifier.consensus > 0,
    path: 'verifier.consensus',
    says: 'there is no verifier to score what is agreed',
    remedies: either(trained, { 'verifier.consensus': 0 }),
  },
  {
    when: ({ verifier, agents }) => verifier.consensus > 0 && !(agents.consensus > 0 && agents.protocol === 'debate'),
    path: 'verifier.consensus',
    says: 'the dialogue does not stop when agreed',
    remedies: either({ 'agents.consensus': 1, 'agents.protocol': 'debate' }, { 'verifier.consensus': 0 }),
  },
];
