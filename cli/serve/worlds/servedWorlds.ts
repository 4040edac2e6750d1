// The worlds of one server. Clients select a world by its name when they begin an episode; afterwards, the name of the
// episode is enough.
import { ConfigError } from '../../../src/base/errors.ts';
import type { World } from '../../../src/tasks/world.ts';
import type { RequestGuard } from '../http.ts';
import type { Episodes } from './episodes.ts';

export interface ServedWorld {
  episodes: Episodes;
  /** The world as configured by the settings. */
  world: World;
  /** The world's options that are enabled in the settings, for a world whose options can be disabled. */
  options: unknown;
}

export class ServedWorlds {
  /** The first world is used by clients that name none. */
  readonly list: readonly [ServedWorld, ...ServedWorld[]];
  readonly guard: RequestGuard;

  /** Throws ConfigError if two worlds have the same name. */
  constructor(list: readonly [ServedWorld, ...ServedWorld[]], guard: RequestGuard) {
    this.list = list;
    this.guard = guard;
    const twice = this.names.find((name, i) => this.names.indexOf(name) !== i);
    if (twice !== undefined) throw new ConfigError(`--world: ${twice} is named twice; name each world once.`);
  }

  get names(): string[] {
    return this.list.map(({ world }) => world.name);
  }

  /** The number of active episodes in all worlds. */
  get count(): number {
    return this.list.reduce((sum, { episodes }) => sum + episodes.count, 0);
  }

  /** The world with this name, or the first one if there is no name. Throws ConfigError for any other name. */
  named(name?: string | null): ServedWorld {
    if (name == null || name === '') return this.list[0];
    const found = this.list.find(({ world }) => world.name === name);
    if (found) return found;
    throw new ConfigError(
      `world: expected ${this.names.join(' or ')}, got ${JSON.stringify(name.slice(0, 60))}; start cothink serve with --world for each world that it is to serve.`,
    );
  }

  /** The world of an episode; the first world if no world knows the episode, which then throws an error. */
  ofEpisode(id: string): ServedWorld {
    return this.list.find(({ episodes }) => episodes.knows(id)) ?? this.list[0];
  }
}
