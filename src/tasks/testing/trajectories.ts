// Dialogues written by hand, for the tests of worlds.
import { reasonInEnglish } from '../../base/spoken.ts';
import type { ProtocolName } from '../../config/protocols/facts.ts';
import { parseConfig } from '../../config/parse.ts';
import type { Role } from '../../records/ids.ts';
import type { Problem } from '../../records/problem.ts';
import { protocolOf } from '../../records/protocol.ts';
import { readTerminated } from '../../text/chatTemplate.ts';
import type { Utterance, World } from '../world.ts';

/** A protocol of two agents, or of one, as used in this world. */
export const inProtocol = (world: World, name: ProtocolName) =>
  protocolOf({ ...parseConfig({}).agents, protocol: name, count: 2 }, world);

/** Messages with their terminators, by agents of these roles in turn. */
export const spoken = (raws: readonly string[], ...cast: Role[]): Utterance[] =>
  raws.map((raw, i) => ({ ...readTerminated(raw), agent: i % cast.length, role: cast[i % cast.length] as Role }));

/** The messages about one problem: by plan and reply, and by one agent alone. */
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
