// Tests exports of a team whose agents differ in size and vocabulary. Each export must have the size and the tokenizer
// of its agent.
import { strFromU8, unzipSync } from 'fflate';
import { expect, it } from 'vitest';
import { onCpu } from '../src/training/testing/onCpu.ts';
import { startRun } from '../src/training/testing/microRun.ts';
import { agentZip } from './exports.ts';

onCpu();

it('the zip of each agent has its own dimensions and vocabulary', async () => {
  const agents = { parameters: 'heterogeneous', otherSize: 'tiny', otherVocabulary: 'joined' } as const;
  const { session } = await startRun({ agents });
  const read = async (agent: number) => {
    const files = unzipSync(await agentZip(session, agent, false));
    const json = (name: string) => JSON.parse(strFromU8(files[name] as Uint8Array)) as Record<string, unknown>;
    const { model } = json('tokenizer.json') as { model: { vocab: Record<string, number> } };
    const config = json('config.json');
    return [config['vocab_size'], config['hidden_size'], Object.keys(model.vocab).length, model.vocab['*2'] ?? null];
  };
  expect(await read(0)).toEqual([32, 16, 32, null]);
  expect(await read(1)).toEqual([82, 48, 82, 54]);
  await expect(agentZip(session, 2, false)).rejects.toThrow('agent: expected 0 to 1, got 2');
});
