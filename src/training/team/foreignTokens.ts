// A world as a model of somebody else reads it: in the tokens of that model, with as much more room as they take. What the
// world's own limits count in its words is counted here in the model's tokens, by what its words and its prompts become.
import { FormatError } from '../../base/errors.ts';
import { quoted } from '../../base/quote.ts';
import { spoken } from '../../base/spoken.ts';
import { tokenizerOf, type Tokenizer } from '../../text/tokenizer.ts';
import type { ForeignModel } from '../../records/stored/foreignModel.ts';
import type { World } from '../../tasks/world.ts';

const parsed = new WeakMap<ForeignModel, object>();

/** The tokenizer.json that agents use, read once. Throws FormatError for none: a stored run of somebody else has brought it. */
function vocabularyOf(model: ForeignModel): object {
  const json = parsed.get(model) ?? read(model);
  parsed.set(model, json);
  return json;
}

function read({ agentsJson, label }: ForeignModel): object {
  try {
    const json: unknown = JSON.parse(agentsJson);
    if (typeof json === 'object' && json !== null) return json;
  } catch {
    // Told below.
  }
  throw new FormatError(spoken`${label}: expected a tokenizer.json as JSON, got ${quoted(agentsJson)}; the run is damaged.`); // prettier-ignore
}

/** Problems whose prompts are looked at. */
const looked = 16;

/** The world in the tokens of a model; one that is so already is itself. */
export function inTokensOf(world: World, model: ForeignModel): World {
  const json = vocabularyOf(model);
  const [written] = Object.values(world.tokenizers) as [object];
  if (written === json) return world;
  const [own, theirs] = [tokenizerOf(written), tokenizerOf(json)];
  // One more, for what may stand before a whole text alone, as the blank of SentencePiece does.
  const share = wordShare(own, theirs);
  const wider = (window: number) => 1 + Math.ceil(window * share);
  return {
    ...world,
    vocabularies: { [model.label]: model.label },
    tokenizers: { [model.label]: json },
    limits: (level, protocol) => {
      const prompts = world
        .heldOut(level, looked)
        .flatMap((problem) => protocol.sees.map((sees) => world.view(problem, sees)));
      const { windows, promptWindow, observationWindow, ...limits } = world.limits(level, protocol);
      return {
        ...{ ...limits, windows: windows.map(wider) },
        promptWindow: Math.ceil(promptWindow * promptShare(own, theirs, prompts)),
        ...(observationWindow !== undefined && { observationWindow: wider(observationWindow) }),
      };
    },
  };
}

/** How many tokens a word of the world becomes at most among others of its kind; its special tokens aside. */
function wordShare(own: Tokenizer, theirs: Tokenizer): number {
  const words = Array.from({ length: own.vocabSize }, (_, id) => own.token(id)).filter((word) => !/^<.+>$/.test(word));
  const lengths = words.map((word) => theirs.encode(word + word).length - theirs.encode(word).length);
  return Math.max(1, ...lengths);
}

/** How many tokens stand for one of the world's at most in these prompts. */
const promptShare = (own: Tokenizer, theirs: Tokenizer, prompts: readonly string[]) =>
  Math.max(1, ...prompts.map((text) => theirs.encode(text).length / own.encode(text).length));
