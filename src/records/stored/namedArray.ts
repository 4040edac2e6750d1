// A float32 array with its shape and its Hugging Face name.
import * as v from 'valibot';
import { whole } from '../problem.ts';

export const floats: v.GenericSchema<unknown, Float32Array> = v.instance(Float32Array);

export const namedArray = v.object({ name: v.string(), shape: v.array(whole), values: floats });
export type NamedArray = v.InferOutput<typeof namedArray>;
