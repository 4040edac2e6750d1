// The settings that determine a warm start. A warm start is computed only from these settings, so two runs with the
// same basis start from exactly the same weights.
import { learnerFacts } from '../../config/learners/registry.ts';
import { parseConfig } from '../../config/parse.ts';
import type { Config } from '../../config/schema.ts';
import type { World } from '../../tasks/world.ts';
import { demonstrate } from './demonstrations.ts';
import { assembleTeam } from '../team/team.ts';
import type { ChatLessons } from './importedChats.ts';

/**
 * Whether all agents start from one network. They do if agents exchange roles, because each network must learn all
 * roles, and if agents have adapters, because all adapters share one base. The reference of all agents is the same
 * network.
 */
const isOneStart = ({ agents, learning }: Config) =>
  agents.swapEvery > 0 || agents.parameters === 'lora' || learnerFacts[learning.learner].hasOneStart === true;

/** Keeps the settings on which a warm start depends, and replaces all other settings with their defaults. */
export function warmStartBasis(config: Config): Config {
  const usual = parseConfig({});
  const { agents, warmStart, optimiser, run } = config;
  const { protocol, own, count, informed, maskPeers, feedback, consensus, roundLimit, finishEnds } = agents;
  const { size, otherSize, otherVocabulary } = agents;
  const unheard = warmStart.unheard ? agents.unheard : usual.agents.unheard;
  const parameters = isOneStart(config) ? 'shared' : agents.parameters;
  return {
    ...usual,
    world: { ...config.world, raiseAt: usual.world.raiseAt },
    agents: {
      ...usual.agents,
      ...{ protocol, count, informed, unheard, maskPeers, feedback, consensus, roundLimit, finishEnds },
      ...(protocol === 'own' && { own }),
      ...{ parameters, size, otherSize, otherVocabulary },
    },
    warmStart,
    optimiser: { ...usual.optimiser, beta1: optimiser.beta1 },
    run: { ...usual.run, seed: run.seed },
  };
}

/**
 * The number of demonstrated dialogues that are included in a key. The dialogues are included because a newer version
 * of the page may generate other demonstrations.
 */
const signed = 4;

/**
 * The key under which a warm start trained on this backend is stored. The key consists of the basis and the first
 * demonstrations.
 */
export function warmStartKey(config: Config, backend: string, world?: World): string {
  const basis = warmStartBasis(config);
  const few = { ...basis, warmStart: { ...basis.warmStart, batchSize: signed } };
  const shown = demonstrate(assembleTeam(few, world), 0).map(({ turns }) => turns.map(({ tokens }) => tokens));
  // A setting that is off is not part of the key, because warm starts that were stored before the setting existed have
  // keys without the setting.
  const { unheard, untilMastered, modelSteps: _, modelImitates: _____, ...others } = basis.warmStart;
  const warmStart = { ...others, ...(unheard && { unheard }), ...(untilMastered && { untilMastered }) };
  const { inWords: __, prompts: ___, examples: ____, ...agents } = basis.agents;
  return JSON.stringify({ backend, basis: { ...basis, agents, warmStart }, shown });
}

/**
 * The key under which adapters that imitated demonstrations or chats on this backend are stored. The key consists of the
 * settings on which they may depend, and of the first demonstrations, or the digest of the chats and the first rows.
 */
export function adapterStartKey(
  config: Config,
  backend: string,
  { world, lessons }: { world?: World; lessons?: ChatLessons } = {},
): string {
  const { agents, warmStart, optimiser, run } = config;
  const { modelImitates: _, untilMastered: __, ...others } = warmStart;
  const settings = [config.world, agents, others, optimiser.learningRate, optimiser.beta1, run.seed];
  if (lessons) {
    const { digest, ofNetworks } = lessons;
    const shown = ofNetworks.map((chats) =>
      chats
        .slice(0, signed)
        .flat()
        .map(({ view }) => view.ids),
    );
    return JSON.stringify({ backend, settings, chats: digest, shown });
  }
  const few = { ...config, warmStart: { ...warmStart, batchSize: signed } };
  const team = assembleTeam(few, world);
  const shown = demonstrate(team, 0).map(({ turns, prompts }) => [prompts, turns.map(({ tokens }) => tokens)]);
  return JSON.stringify({ backend, settings, shown });
}
