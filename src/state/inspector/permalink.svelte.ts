// Opens and copies links to a token. A link contains the settings of a run and the position of a token in it. When a
// link is opened, the position is searched for in the stored runs. If no stored run has reached the position yet, the
// page opens the position when the open run reaches it, because the same settings produce the same dialogues. If the
// iteration is no longer stored, the nearest stored iteration is shown, with a notice.
import { createContext } from 'svelte';
import { difference } from '../../config/parse.ts';
import { readTokenPlace, writeTokenPlace, type TokenPlace } from '../../formats/tokenLink.ts';
import type { RunRecord } from '../../records/stored/checkpoint.ts';
import type { Library } from '../library/library.svelte.ts';
import type { Notices } from '../visitor/notices.svelte.ts';
import type { Run } from '../run/run.svelte.ts';
import type { Selection } from '../run/selection.svelte.ts';
import type { Setup } from '../settings/setup.svelte.ts';
import type { Sharing } from '../run/sharing.ts';
import type { Groups } from './groups.svelte.ts';
import { say } from '../visitor/language.svelte.ts';

interface PermalinkParts {
  setup: Setup;
  run: Run;
  library: Library;
  selection: Selection;
  groups: Groups;
  sharing: Sharing;
  notices: Notices;
}

/** The topic of all notices about such links. */
const topic = 'token link';

export class Permalink {
  readonly #parts: PermalinkParts;
  /** A position from a link that the run has not reached yet. */
  #awaited = $state.raw<TokenPlace | null>(null);
  readonly awaited = $derived(this.#awaited);

  constructor(parts: PermalinkParts) {
    this.#parts = parts;
  }

  /** Copies a link to a token in the displayed turn. If the browser does not allow this, shows the link. */
  async copy(token: number): Promise<void> {
    const { selection, sharing } = this.#parts;
    const { group, trajectory, turnIndex: turn } = selection;
    if (!group || !trajectory) return;
    const place = { iteration: group.iteration, group: group.group, index: trajectory.index, turn, token };
    await sharing.share(writeTokenPlace(place));
  }

  /**
   * Reads the position in the page's address, and reports an invalid position. The settings of the link must already be
   * in the form. Returns true if a stored run with this position was opened. If the result is false, the caller should
   * open a run with the settings of the link.
   */
  async take(hash: string): Promise<boolean> {
    const { library, setup, run, notices } = this.#parts;
    const place = await notices.attempt(() => readTokenPlace(hash));
    if (!place) return false;
    const isSame = ({ begun, config, iteration }: RunRecord) =>
      iteration >= place.iteration &&
      difference(begun ?? config, setup.config).every(({ field }) => field.path === 'run.backend');
    const stored = library.runs.find((one) => isSame(one.run))?.run;
    if (stored && (await run.resume(stored))) {
      await this.#open(place);
      return true;
    }
    this.#awaited = place;
    notices.offer(
      say(
        'The link points to a token of iteration {iteration}. No stored run with the settings of the link has reached this iteration. The token will open when the run on this page reaches the iteration.',
        { iteration: place.iteration },
      ),
      { words: say('Train'), changes: [], run: () => void run.train() },
      topic,
    );
    return false;
  }

  /** Opens the waiting position once the run has reached it. */
  reach(iteration: number): void {
    const place = this.#awaited;
    if (!place || iteration < place.iteration) return;
    this.#awaited = null;
    this.#parts.notices.settle(topic);
    void this.#open(place);
  }

  async #open({ iteration, group, index, turn, token }: TokenPlace): Promise<void> {
    const { groups, selection, notices } = this.#parts;
    if (!(await groups.open(iteration, group, { index, turn }))) {
      notices.offer(
        say(
          'The link cannot be opened: either the dialogues of iteration {iteration} are no longer stored, or this iteration has no problem {problem}.',
          { iteration, problem: group + 1 },
        ),
        { words: say('Show the nearest stored iteration'), changes: [], run: () => void selection.scrub(iteration) },
        topic,
      );
      return;
    }
    const said = selection.trajectory;
    const count = said?.turns[turn]?.tokens.length ?? 0;
    if (said?.index === index && token < count) selection.opened = { token, iteration };
    else
      notices.say(
        say(
          'The link points to token {token} of turn {turn}, but the dialogue with this token does not exist here. The problem is shown instead.',
          { token: token + 1, turn: turn + 1 },
        ),
      );
  }
}

export const [getPermalink, setPermalink] = createContext<Permalink>();
