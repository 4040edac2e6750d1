// Forks a run from its current state. If agents that share a network get separate parameters, each starts from a copy
// of the shared weights. The policies are then exactly the same at the fork (except for rounding, if the networks must
// process the contexts again). Later differences are therefore caused only by the separate parameters.
import { ConfigError } from '../../base/errors.ts';
import { spoken } from '../../base/spoken.ts';
import { goneOnWith, type ForkChoice } from '../../config/fork.ts';
import { criticCount } from '../../config/learners/registry.ts';
import { type Checkpoint, type NetworkState, type RunRecord, historyOf } from '../../records/stored/checkpoint.ts';
import type { Fork, Origin } from '../../records/stored/history.ts';
import type { RunId } from '../../records/ids.ts';
import { freshAdapters } from '../team/network.ts';
import { assembleTeam } from '../team/team.ts';
import { withOtherSettings } from './otherSettings.ts';

/**
 * The first state of the forked run, which shares no arrays with `checkpoint`. The iteration, the seed, the reference
 * and a joint critic are kept. A critic that reads one agent's context is copied for each agent. With separate
 * networks, each agent gets a copy of the weights and the moments. With LoRA, the weights become the frozen base. Each
 * agent, or each turn of an agent, begins with adapters that do not change the outputs yet, and with a copy of the
 * value head if there is one. If only settings change, every part of the state that the new settings use is kept
 * (otherSettings.ts). Throws ConfigError for a run whose agents do not share a network, and for settings that
 * contradict each other.
 */
export function forkCheckpoint(checkpoint: Checkpoint, { runId, ...way }: ForkChoice & { runId: RunId }): Checkpoint {
  const config = goneOnWith(checkpoint.config, way);
  if (way.mode === 'settings') return withOtherSettings(checkpoint, config, runId);
  const { mode } = way;
  if (checkpoint.iteration === 0) {
    throw new ConfigError(spoken`fork: the run has not been trained yet; set agents.parameters in a new run instead.`);
  }
  const copy = structuredClone({ ...checkpoint, config, runId, ...forkedCritics(checkpoint, criticCount(config)) });
  const [shared] = copy.networks as [NetworkState];
  const { agentsOf, shape } = assembleTeam(config);
  if (mode === 'separate') return { ...copy, networks: agentsOf.map(() => structuredClone(shared)) };
  const critic = shared.critic.length > 0 ? { critic: shared.critic } : {};
  return {
    ...copy,
    networks: agentsOf.map((_, n) => freshAdapters(config, shape, { n, ...critic })),
    base: shared.weights,
  };
}

function forkedCritics({ critics, criticStates }: Checkpoint, count: number): Partial<Checkpoint> {
  const each = <T>(all: readonly T[]) => Array.from({ length: count }, () => structuredClone(all[0] as T));
  return { ...(critics && { critics: each(critics) }), ...(criticStates && { criticStates: each(criticStates) }) };
}

/**
 * The record of the run `forked`. The record includes the history of the parent run, so that the parent can be
 * replayed.
 */
export function forkedRun(
  parent: RunRecord,
  forked: Checkpoint,
  {
    mode,
    settings,
    digest,
    ...given
  }: Pick<RunRecord, 'name' | 'createdMs' | 'experiment'> & Omit<Fork, 'iteration' | 'parent'>,
): RunRecord {
  const { config, runId, iteration } = forked;
  const { imports: _, plan: __, resumed: ___, experiment: ____, goneBack: _____, ...same } = parent;
  const forkedFrom: Origin = {
    ...{ id: parent.id, name: parent.name, iteration },
    // If the parent comes from an earlier version, its record may lack the initial settings. Such a parent cannot be
    // replayed.
    ...(parent.begun && {
      mode,
      ...(settings && { settings }),
      ...(digest && { digest }),
      parent: historyOf(parent, iteration),
    }),
  };
  return { ...same, ...given, id: runId, config, begun: config, changes: [], iteration, isDone: false, forkedFrom };
}
