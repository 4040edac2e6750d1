// Exports one agent that uses a frozen model, without loading the whole model into memory. The export contains either
// only the agent's adapter, in the format of PEFT, or the whole model with the adapter merged in. A merged model is a
// folder for transformers, or a GGUF file that is made from the original GGUF file. If the agent has an adapter for
// each turn, the zip contains one folder per turn.
import type { ModelShape } from '../../config/sizes.ts';
import { parameterNames, type ProjectionAdapter } from '../../records/parameters.ts';
import type { OwnNames } from '../../records/stored/foreignModel.ts';
import type { ChatMessage } from '../../records/stored/modelCard.ts';
import type { StoredMatrix } from '../../records/stored/storedMatrix.ts';
import { fileValues } from '../gains.ts';
import type { GivenFile } from '../givenFile.ts';
import { mergedGguf, type MergedGgufType } from '../gguf/merged.ts';
import { generationConfig, modelConfig, readTokenizerNotes, tokenizerConfig } from '../huggingFace.ts';
import { peftFiles } from '../peft.ts';
import { headOf } from '../safetensors.ts';
import { json, readingChat } from '../weightsZip.ts';
import { zipPieces, type ZippedFile } from '../zipPieces.ts';
import { bytesAs, mergedArray } from './merge.ts';

/**
 * The exported model. `type` is the number type of the safetensors file, or the number type of the matrices in the GGUF
 * file. `file` is the original GGUF file.
 */
export type TakenAs =
  { as: 'adapter' } | { as: 'merged'; type: 'F16' | 'F32' } | { as: 'gguf'; type: MergedGgufType; file: GivenFile };

export interface StandingAgent {
  runName: string;
  role: string;
  /** The label of the frozen model, and the name by which runs refer to it. */
  base: { label: string; name: string };
  shape: ModelShape;
  /** All parameters of the frozen model. */
  matrices: readonly StoredMatrix[];
  /**
   * For each turn, its adapters. If the agent has the same adapters in all turns, as most agents have, the list has a
   * single entry.
   */
  turns: readonly (readonly ProjectionAdapter[])[];
  alpha: number;
  temperature: number;
  tokenizerJson: string;
  names: OwnNames;
  chat?: { template: string; messages: readonly ChatMessage[] };
}

/** Whether the export is a single file instead of a zip. */
export const isOneFile = (agent: Pick<StandingAgent, 'turns'>, { as }: Pick<TakenAs, 'as'>): boolean =>
  as === 'gguf' && agent.turns.length === 1;

/**
 * The bytes of the exported file in order. The file is a GGUF file if `isOneFile` is true, otherwise a zip. Throws
 * FormatError if the number type cannot represent the weights.
 */
export function takenModel(agent: StandingAgent, taken: TakenAs): AsyncGenerator<Uint8Array> {
  const [first = []] = agent.turns;
  if (taken.as === 'gguf' && isOneFile(agent, taken)) return ggufOf(agent, first, taken);
  const folders = agent.turns.map((pairs, turn) => {
    const folder = agent.turns.length > 1 ? `${agent.role}-turn-${turn + 1}/` : '';
    return filesOf(agent, pairs, taken).map((file) => ({ ...file, name: folder + file.name }));
  });
  return zipPieces(folders.flat());
}

const ggufOf = (agent: StandingAgent, pairs: readonly ProjectionAdapter[], taken: TakenAs & { as: 'gguf' }) =>
  mergedGguf({ ...agent, pairs, file: taken.file, as: taken.type, name: `${agent.runName}: ${agent.role}` });

function filesOf(agent: StandingAgent, pairs: readonly ProjectionAdapter[], taken: TakenAs): ZippedFile[] {
  const { shape, alpha, base, chat, temperature } = agent;
  if (taken.as === 'gguf') return [{ name: 'model.gguf', pieces: ggufOf(agent, pairs, taken) }];
  const tokens = readTokenizerNotes(agent.tokenizerJson, agent.names);
  const text = (name: string, bytes: Uint8Array): ZippedFile => ({ name, pieces: [bytes] });
  const tokenizer = [
    text('tokenizer.json', new TextEncoder().encode(agent.tokenizerJson)),
    text('tokenizer_config.json', json(tokenizerConfig(shape, tokens, chat?.template))),
  ];
  if (taken.as === 'adapter') {
    const { config, weights } = peftFiles({ pairs, alpha, base: base.label });
    return [
      text('README.md', new TextEncoder().encode(adapterReadme(agent))),
      text('adapter_config.json', json(config)),
      text('adapter_model.safetensors', weights),
      ...tokenizer,
    ];
  }
  const dtype = taken.type === 'F16' ? 'float16' : 'float32';
  return [
    text('README.md', new TextEncoder().encode(mergedReadme(agent, taken.type))),
    text('config.json', json({ ...modelConfig(shape, tokens), torch_dtype: dtype })),
    text('generation_config.json', json(generationConfig(temperature, tokens))),
    { name: 'model.safetensors', pieces: safetensorsOf({ ...agent, pairs }, taken.type) },
    ...tokenizer,
  ];
}

function* safetensorsOf(agent: StandingAgent & { pairs: readonly ProjectionAdapter[] }, type: 'F16' | 'F32') {
  const names = parameterNames(agent.shape);
  yield headOf(names, type, { format: 'pt', producer: 'cothink', run: agent.runName, role: agent.role });
  // The gains of norms are written in the same type as the matrices, although they take little space, because some
  // programs expect a single number type in a file.
  for (const { name, shape } of names)
    yield bytesAs(type, name, fileValues({ shape, values: mergedArray(agent, name) }, agent.shape));
}

const opening = ({ runName, role, base }: StandingAgent, what: string) => `# ${runName}: ${role}

${what} It was trained by Cothink on ${base.label} (${base.name}).
`;

const reading = ({ chat }: StandingAgent) =>
  chat ? `${readingChat(chat)}\nprint(tokenizer.decode(model.generate(context, max_new_tokens=16)[0]))\n` : '';

const adapterReadme = (agent: StandingAgent) => `${opening(agent, 'A LoRA adapter, as PEFT reads it.')}
Name the folder of ${agent.base.label} as transformers opens it, or its GGUF file by \`gguf_file\`, and this folder:

\`\`\`python
from peft import PeftModel
from transformers import AutoModelForCausalLM, AutoTokenizer

tokenizer = AutoTokenizer.from_pretrained("path/to/this/folder")
base = AutoModelForCausalLM.from_pretrained("path/to/the/model", gguf_file="the-model.gguf")
model = PeftModel.from_pretrained(base, "path/to/this/folder")
${reading(agent)}\`\`\`
`;

const mergedReadme = (
  agent: StandingAgent,
  type: string,
) => `${opening(agent, `A whole model with its adapter merged in, as ${type}.`)}
\`\`\`python
from transformers import AutoModelForCausalLM, AutoTokenizer

tokenizer = AutoTokenizer.from_pretrained("path/to/this/folder")
model = AutoModelForCausalLM.from_pretrained("path/to/this/folder")
${reading(agent)}\`\`\`
`;
