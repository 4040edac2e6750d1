// What a run will cost, measured on this machine before it starts.
import type { TrainerEvent } from '../src/records/events.ts';
import { parameterCount } from '../src/config/sizes.ts';
import { adapterVariables } from '../src/model/network/adapter.ts';
import { measureIteration } from '../src/training/preflight/preflight.ts';
import type { Session } from '../src/training/run/session.ts';

/** Measures and tells; changes nothing of the run. */
export async function tellPreflight(session: Session, emit: (event: TrainerEvent) => void): Promise<void> {
  const { trainState } = session;
  const { iterationMs, parts, memoryBytes, example } = await measureIteration(trainState);
  const { team, base, networks } = trainState;
  const adapters = networks.flatMap(({ adapter }) => (adapter ? adapterVariables(adapter) : []));
  const whole = (base ? [team.shape] : team.shapes).reduce((sum, shape) => sum + parameterCount(shape), 0);
  const parameters = adapters.reduce((sum, { size }) => sum + size, whole);
  emit({ kind: 'preflight', preflight: { iterationMs, parts, memoryBytes, parameters } });
  emit({ kind: 'turn', iteration: session.run.iteration, trajectory: example });
}
