// Writes low-rank adapters in the format of PEFT, which consists of the files `adapter_config.json` and
// `adapter_model.safetensors`. The adapter of a projection is a pair of matrices.
import { FormatError } from '../base/errors.ts';
import { spoken } from '../base/spoken.ts';
import type { ProjectionAdapter } from '../records/parameters.ts';
import type { NamedArray } from '../records/stored/checkpoint.ts';
import { writeSafetensors } from './safetensors.ts';

export interface AdapterExport {
  /** A pair of matrices for each projection that has an adapter. */
  pairs: readonly ProjectionAdapter[];
  /** α; the product B·A is multiplied by α/r. */
  alpha: number;
  /** The folder of the base model, relative to the folder of the adapters. */
  base: string;
}

/** The two files of the adapters. Throws FormatError if the list of pairs is empty. */
export function peftFiles({ pairs, alpha, base }: AdapterExport) {
  const rank = pairs[0]?.a.shape[0];
  if (rank === undefined)
    throw new FormatError(spoken`adapters: expected a pair of matrices for each projection, got none.`);
  const projections = new Set(pairs.map(({ name }) => name.split('.').at(-1)));
  const config = {
    ...{ peft_type: 'LORA', task_type: 'CAUSAL_LM', base_model_name_or_path: base, inference_mode: true },
    ...{ r: rank, lora_alpha: alpha, lora_dropout: 0, bias: 'none', fan_in_fan_out: false, init_lora_weights: true },
    target_modules: [...projections].sort(),
  };
  return { config, weights: writeSafetensors(peftArrays(pairs), { format: 'pt', producer: 'cothink' }) };
}

/** The matrices of the adapters, with PEFT's names. */
export const peftArrays = (pairs: readonly ProjectionAdapter[]): NamedArray[] =>
  pairs.flatMap(({ name, a, b }) => [
    { ...a, name: `base_model.model.${name}.lora_A.weight` },
    { ...b, name: `base_model.model.${name}.lora_B.weight` },
  ]);
