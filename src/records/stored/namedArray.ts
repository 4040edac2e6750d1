// A named float32 array with its shape; names are Hugging Face's.
import * as v from 'valibot';
import { whole } from '../problem.ts';

export const floats: v.GenericSchema<unknown, Float32Array> = v.instance(Float32Array);

export const namedArray = v.object({ name: v.string(), shape: v.array(whole), values: floats });
export type NamedArray = v.InferOutput<typeof namedArray>;
