// What the page may ask of the worker in which a visitor's world is checked and tried: away from the page and from training.
import type { Config } from '../config/schema.ts';
import type { OwnWorld, WorldContent, WorldFault, WorldTemplate } from '../config/worlds/own.ts';
import type { TrialMessage, TrialView } from '../records/trajectory.ts';

/** What was asked for, or what the world is at fault for: an error would lose its line on the way. */
export type Answered<T> = { value: T; fault?: undefined } | { value?: undefined; fault: WorldFault };

export interface TrialRequest {
  content: WorldContent;
  /** Who talks, and on which level; the world is the one of the content. */
  config: Config;
  /** Which of its problems, from 0. */
  problem: number;
  /** What was typed, by agent; null: words at random. */
  said: readonly (readonly TrialMessage[])[] | null;
}

export interface WorldApi {
  templates(): Promise<readonly WorldTemplate[]>;
  /** Opens a world and does no more. */
  open(content: WorldContent): Promise<Answered<OwnWorld>>;
  /** Opens a world and plays in it at random, on each of its levels, under the protocol of these settings. */
  check(content: WorldContent, config: Config): Promise<Answered<OwnWorld>>;
  /** One problem as far as it was played. */
  play(request: TrialRequest): Promise<Answered<TrialView>>;
}
