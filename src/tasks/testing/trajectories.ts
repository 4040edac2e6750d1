// Dialogues that were written by hand to test worlds.
import { reasonInEnglish } from '../../base/spoken.ts';
import type { ProtocolName } from '../../config/protocols/facts.ts';
import { parseConfig } from '../../config/parse.ts';
import type { Role } from '../../records/ids.ts';
import type { Problem } from '../../records/problem.ts';
import { protocolOf } from '../../records/protocol.ts';
import { readTerminated } from '../../text/chatTemplate.ts';
import type { Utterance, World } from '../world.ts';

/** A built-in protocol with one or two agents, adapted to this world. */
export const inProtocol = (world: World, name: ProtocolName) =>
  protocolOf({ ...parseConfig({}).agents, protocol: name, count: 2 }, world);

/** Converts texts that include their terminators to messages. The agents with these roles send the messages in turn. */
export const spoken = (raws: readonly string[], ...cast: Role[]): Utterance[] =>
  raws.map((raw, i) => ({ ...readTerminated(raw), agent: i % cast.length, role: cast[i % cast.length] as Role }));

/** Functions that assess messages about one problem, either as plans and replies or as the text of a single agent. */
export function trajectoryAbout(world: World, problem: Problem) {
  const dialogue = (raws: readonly string[], isOver = true) =>
    world.assess(problem, spoken(raws, 'metaThinking', 'reasoning'), inProtocol(world, 'reMA'), isOver);
  const reasons = async (...raws: string[]) =>
    (await dialogue(raws)).perTurn.map(({ reason }) => reasonInEnglish(reason));
  const alone = async (raw: string) => {
    const messages = spoken([raw], 'reasoning');
    const { perTurn } = await world.assess(problem, messages, inProtocol(world, 'single'));
    const judged = await world.judge(problem, messages[0] as Utterance);
    return { ...judged, parts: perTurn[0]?.parts, reason: reasonInEnglish(perTurn[0]?.reason ?? []) };
  };
  return { dialogue, reasons, alone };
}
