// What a visitor takes away: one agent's weights as a Hugging Face folder in a zip, all stored
// trajectories as JSON lines, and the preference pairs among them.
import { transfer } from 'comlink';
import { ConfigError } from '../src/base/errors.ts';
import { hasTurnAdapters } from '../src/config/turnAdapters.ts';
import { turnsZip, weightsZip } from '../src/formats/weightsZip.ts';
import { writeJsonl } from '../src/formats/jsonl.ts';
import { writePreferences } from '../src/formats/preferences.ts';
import type { Role, RunId } from '../src/records/ids.ts';
import type { ComparedBy } from '../src/records/preference.ts';
import { listIterations, loadIteration } from '../src/storage/reading.ts';
import { heardRole } from '../src/text/chatTemplate.ts';
import { minePreferences } from '../src/training/minePreferences.ts';
import type { Session } from '../src/training/session.ts';

/** The zip of one agent, with a model for each turn where each has an adapter. Throws ConfigError for an unknown agent. */
export async function agentZip(session: Session, agent: number): Promise<Uint8Array> {
  const { team } = session.learning;
  const { protocol } = team;
  const weights = await session.agentWeights(agent);
  const source = {
    shape: team.shapes[team.networkOf[agent]?.[0] ?? 0] ?? team.shape,
    role: protocol.roles[agent] as Role,
    heard: heardRole(protocol, agent),
    seesRule: protocol.seesRule[agent] === true,
    tokenizerJson: JSON.stringify((team.tokenizers[agent] ?? team.tokenizer).json),
    runName: session.run.name,
    config: session.config,
  };
  const isByTurn = hasTurnAdapters(session.config.agents);
  const bytes = isByTurn ? turnsZip(source, weights) : weightsZip({ ...source, weights: weights[0] });
  return transfer(bytes, [bytes.buffer as ArrayBuffer]);
}

/** All stored trajectories of a run, one line each, in order. */
export async function trajectoryLines(id: RunId): Promise<Uint8Array> {
  const parts: string[] = [];
  for (const { iteration, count } of await listIterations(id)) {
    if (count > 0) parts.push(writeJsonl(iteration, await loadIteration(id, iteration)));
  }
  const bytes = new TextEncoder().encode(parts.join(''));
  return transfer(bytes, [bytes.buffer as ArrayBuffer]);
}

/** The preference pairs of all stored groups, in order of iteration. Throws ConfigError for a verifier that is not there. */
export async function preferenceLines({ run, learning, config }: Session, by: ComparedBy): Promise<Uint8Array> {
  if (by === 'verifier' && !config.verifier.isTrained)
    throw new ConfigError(
      'pairs: this run trains no verifier to compare dialogues; take those by reward, or train one with verifier.isTrained = true.',
    );
  const parts: string[] = [];
  for (const { iteration, count } of await listIterations(run.id)) {
    if (count === 0) continue;
    const pairs = minePreferences(learning.team, await loadIteration(run.id, iteration), { minGap: 1e-6, by });
    parts.push(writePreferences(pairs));
  }
  const bytes = new TextEncoder().encode(parts.join(''));
  return transfer(bytes, [bytes.buffer as ArrayBuffer]);
}
