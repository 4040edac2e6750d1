// The prompts of a team that talks in plain words: all texts from which its chats are made, and the chats about an example
// problem.
import type { Config } from '../../config/schema.ts';
import { roles } from '../../records/ids.ts';
import { protocolOf } from '../../records/protocol.ts';
import { foreignOf } from '../../records/stored/foreignModel.ts';
import type { ShownPrompts } from '../../records/shownPrompts.ts';
import { isHeard } from '../../rollout/view.ts';
import { textFor } from '../../tasks/inWords/prompts.ts';
import { speakerAt } from '../../tasks/inWords/worldInWords.ts';
import { worldOf } from '../../tasks/registry.ts';
import type { HeardInWords, World } from '../../tasks/world.ts';
import { promptsAround } from '../../tasks/inWords/worldInWords.ts';
import { readerInWords } from './plainWords.ts';

/**
 * The prompts that these settings determine; null if the world cannot be put in plain words. Tokens are counted if the
 * model is loaded. Throws ConfigError if a text is unknown or has a placeholder without a fact.
 */
export function shownPrompts(config: Config, world: World = worldOf(config)): ShownPrompts | null {
  const { inWords } = world;
  const [problem] = world.heldOut(config.world.level, 1);
  if (!inWords || !problem) return null;
  const protocol = protocolOf(config.agents, world);
  const around = promptsAround(config, world);
  const model = foreignOf(config);
  const read = model && readerInWords({ world: { ...world, inWords }, config, protocol }, model);
  const agents = [...protocol.roles.keys()];
  const hearing = (agent: number) => agents.filter((other) => isHeard(other, agent, protocol));
  const layers = [inWords.prompts, ...around.usual];
  const found = agents.flatMap((agent) => {
    const { role, duty, sees } = speakerAt(protocol, agent);
    return [
      ...['system', 'start', 'ask', 'again'].map((part) => textFor(layers, part, [role, duty])),
      ...sees.map((name) => textFor(layers, `hidden.${name}`)),
      ...roles
        .filter((other) => hearing(agent).some((one) => protocol.roles[one] === other))
        .map((other) => textFor(layers, 'heard', [other])),
      ...(world.open || world.react ? [textFor(layers, 'observed', [role, duty])] : []),
    ];
  });
  return {
    texts: Object.fromEntries(found),
    chats: agents.map((agent) => {
      const speaker = speakerAt(protocol, agent);
      const isFirst = protocol.round[0]?.includes(agent) === true;
      const heard = isFirst
        ? []
        : hearing(agent).map((other): HeardInWords => {
            const role = protocol.roles[other] as HeardInWords['role'];
            return { role, agent: other, isOwn: false, text: world.example?.plan ?? '…' };
          });
      return {
        ...{ agent, role: speaker.role },
        messages: inWords.chat(problem, { ...speaker, heard }, around),
        tokens: read ? read(problem, agent, heard).length : null,
      };
    }),
  };
}
