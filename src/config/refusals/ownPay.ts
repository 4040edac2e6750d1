// What paying each agent its own takes: where only the last turn can be right, as between planner and reasoner, an agent
// that never speaks last would earn nothing, so each turn is paid for its part, as the bench of learners pays it.
import type { Settings } from '../../base/errors.ts';
import type { Config } from '../schema.ts';

/** Own rewards, with rewards for parts where without them somebody would earn nothing. */
export function ownPay({ agents, reward }: Config): Settings {
  const isPaidInParts = reward.legalOperation > 0 || reward.rewrite > 0;
  const parts = { 'reward.over': 'dense', 'reward.legalOperation': 0.25, 'reward.rewrite': 0.5 };
  return { 'reward.across': 'own', ...(agents.protocol === 'reMA' && !isPaidInParts && parts) };
}
