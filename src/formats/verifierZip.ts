// A run's verifier as a download: a zip that Hugging Face's transformers opens as a LlamaForTokenClassification, whose
// single label is “right”. This class is used because it has a head with a bias, like the verifier. The classes for
// whole texts cannot be used, because their heads have no bias.
import { strToU8, zipSync } from 'fflate';
import { FormatError } from '../base/errors.ts';
import { spoken } from '../base/spoken.ts';
import type { ModelShape } from '../config/sizes.ts';
import type { Config } from '../config/schema.ts';
import type { NamedArray, NetworkState } from '../records/stored/checkpoint.ts';
import { readTokenizerNotes, tokenizerConfig, verifierConfig } from './huggingFace.ts';
import { writeSafetensors } from './safetensors.ts';
import { mtime } from './zipPieces.ts';
import { json, ordered } from './weightsZip.ts';

export interface VerifierExport {
  shape: ModelShape;
  network: Pick<NetworkState, 'weights' | 'critic'>;
  config: Config;
  /**
   * Whether the turns of a dialogue are steps. If the turns are steps, the verifier reads whole dialogues; otherwise,
   * it reads single answers.
   */
  hasSteps: boolean | undefined;
  /** A complete text that the verifier has read; empty if the verifier has not read any text yet. */
  example: string;
  /** The text of the tokenizer.json that was used in training. */
  tokenizerJson: string;
  runName: string;
}

/**
 * A zip with the weights, the tokenizer and the configuration of a verifier. The same weights always give the same
 * bytes. Throws FormatError if a parameter has the wrong name or shape.
 */
export function verifierZip(source: VerifierExport): Uint8Array {
  const { shape, network, tokenizerJson, runName } = source;
  const tokens = readTokenizerNotes(tokenizerJson);
  const body = ordered(network.weights, shape).filter(({ name }) => name.startsWith('model.'));
  const files = {
    'README.md': strToU8(readme(source)),
    'config.json': json(verifierConfig(shape, tokens)),
    'model.safetensors': [
      writeSafetensors([...body, ...scoreOf(source)], {
        format: 'pt',
        producer: 'cothink',
        run: runName,
        role: 'verifier',
      }),
      { level: 0 },
    ],
    'tokenizer.json': strToU8(tokenizerJson),
    'tokenizer_config.json': json(tokenizerConfig(shape, tokens)),
  } as const;
  return zipSync(files as unknown as Parameters<typeof zipSync>[0], { level: 6, mtime });
}

/** The arrays of the verifier's head, with the names that the class of transformers uses. */
function scoreOf({ network: { critic }, shape }: VerifierExport): NamedArray[] {
  return (['weight', 'bias'] as const).map((part) => {
    const wanted = part === 'weight' ? [1, shape.hiddenSize] : [1];
    const head = critic.find(({ name }) => name === `value_head.${part}`);
    if (head?.shape.join() !== wanted.join())
      throw new FormatError(
        spoken`value_head.${part}: expected [${wanted.join(', ')}], got ${head ? `[${head.shape.join(', ')}]` : spoken`nothing`}.`,
      );
    return { ...head, name: `score.${part}` };
  });
}

function readme({ config, hasSteps, example, runName }: VerifierExport): string {
  const { decides } = config.verifier;
  const question = decides ? 'the question, without what is hidden' : 'the question with all that is hidden';
  const said =
    hasSteps || decides
      ? 'what was said, each message under the header of its role'
      : 'one answer under the header of its role';
  return `# ${runName}: verifier

A small Llama that reads ${question}, then ${said}, and says after each token how likely it is that the answer is right. It was
trained by Cothink beside the agents of the run, on what they said; the last token is the one to believe.

\`\`\`python
import torch
from transformers import AutoModelForTokenClassification, AutoTokenizer

folder = "path/to/the/unpacked/archive"
tokenizer = AutoTokenizer.from_pretrained(folder)
model = AutoModelForTokenClassification.from_pretrained(folder).eval()
text = tokenizer("${example || '<bos>'}", add_special_tokens=False, return_tensors="pt").input_ids
print(torch.sigmoid(model(text).logits[0, -1, 0]).item())
\`\`\`
`;
}
