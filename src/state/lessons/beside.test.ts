import { describe, expect, it } from 'vitest';
import { withOthers } from '../../config/fork.ts';
import { presetConfig } from '../../config/presets.ts';
import { formulaOf } from '../../config/testing/ownFormulas.ts';
import { besidePlan } from './beside.ts';

const text = formulaOf('leaveOneOut', '0');

describe('a formula in a run beside the learner’s own', () => {
  it('is all that changes where the run has that learner', () => {
    const config = withOthers(presetConfig('micro'), [{ path: 'learning.learner', value: 'rloo' }]);
    expect(besidePlan(config, 'leaveOneOut', text)).toEqual({
      ...{ shared: [], settings: [{ path: 'learning.ownFormula', value: text }], refusal: '' },
    });
  });

  it('has both arms take the learner, and groups to compare in, from every preset that compares nothing', () => {
    const { shared, refusal } = besidePlan(presetConfig('quick'), 'groupMean', formulaOf('groupMean', '0'));
    expect(shared).toEqual([
      { path: 'learning.learner', value: 'grpo' },
      { path: 'learning.groupSize', value: 4 },
      { path: 'learning.problemsPerIteration', value: 64 },
    ]);
    expect(refusal).toBe('');
    expect(besidePlan(presetConfig('quick'), 'gae', formulaOf('gae', '0')).shared).toEqual([
      { path: 'learning.learner', value: 'ppo' },
    ]);
  });

  it('is known by its exercise where the line that says so is gone', () => {
    const bare = text.split('\n').slice(1).join('\n');
    expect(besidePlan(presetConfig('micro'), 'leaveOneOut', bare).settings).toEqual([
      { path: 'learning.ownFormula', value: text },
    ]);
  });

  it('is refused in words where it is too long, or the run can have no such learner', () => {
    const { refusal } = besidePlan(presetConfig('micro'), 'leaveOneOut', `${text}${' '.repeat(4_000)}`);
    expect(refusal).toMatch(/^learning\.ownFormula: expected .*4000 characters/);
  });
});
