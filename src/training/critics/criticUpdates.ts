// The stage in which critics with separate networks are trained. Before this, the newest tracks are added to the
// memories of the critics.
import { criticCount } from '../../config/learners/registry.ts';
import type { RowBatch } from '../rows/rows.ts';
import { stage, type Context, type Parts } from '../stages/stage.ts';
import type { UpdateMetrics } from '../update/update.ts';
import { criticOfAgent, updateCritic, type Critic } from './critic.ts';
import { remembered } from './criticMemory.ts';

declare module '../stages/stage.ts' {
  interface Parts {
    /**
     * The critics with separate networks: either one critic that reads the messages of all agents, or one critic for
     * each agent.
     */
    critics: Critic[];
    /** Metrics of each optimiser step of the critics. */
    criticSteps: UpdateMetrics[];
  }
}

/**
 * The rows that the critics read (joint rows, or the rows of each agent), and the values [B·T] that the critics
 * predicted before the update.
 */
export function criticRows({ batch, before }: Pick<Parts, 'batch' | 'before'>): {
  rows: RowBatch;
  values: Float32Array;
} {
  return before.joint
    ? { rows: before.joint.batch, values: before.joint.values }
    : { rows: batch, values: before.values };
}

type Read = 'critics' | 'batch' | 'before' | 'estimate';

async function updateCritics(context: Context & Pick<Parts, Read>): Promise<UpdateMetrics[]> {
  const { critics, estimate } = context;
  const { rows } = criticRows(context);
  const steps: UpdateMetrics[] = [];
  for (const [n, critic] of critics.entries()) {
    const own = (estimate.tracks ?? []).filter(({ places: [[at = 0] = []] }) => {
      const agent = rows.agentIds[Math.floor(at / rows.length)] as number;
      return criticOfAgent(critics, agent) === n;
    });
    critic.memory.add(own.map((track) => remembered(rows, track)));
    steps.push(...(await updateCritic(critic, { ...context, n })));
  }
  return steps;
}

export const criticStage = stage({
  name: 'critics',
  phase: 'update',
  when: (config) => criticCount(config) > 0,
  reads: ['critics', 'batch', 'before', 'estimate'],
  run: async (context) => ({ criticSteps: await updateCritics(context) }),
});
