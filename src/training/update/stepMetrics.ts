// The metrics of optimiser steps on their way back. They stay on the device until somebody wants them, and come back
// together by one read, which leaves in the submission of the step that asks for it.
import * as tf from '@tensorflow/tfjs-core';
import { readTogether } from '../../engine/readback.ts';

export class StepMetrics {
  readonly #taken: tf.Tensor1D[] = [];
  #reading: Promise<Float32Array> | null = null;

  /** Takes over the metrics of a step, float32 [n]; `isRead` starts the read of all so far. */
  add(metrics: tf.Tensor1D, isRead: boolean): void {
    this.#taken.push(metrics);
    if (isRead) this.#reading = readTogether(this.#taken);
  }

  /** Of every step up to the newest read its n numbers, in order; none before the first. */
  async read(): Promise<number[][]> {
    const numbers = Array.from((await this.#reading) ?? []);
    const width = this.#taken[0]?.size ?? 1;
    return Array.from({ length: numbers.length / width }, (_, i) => numbers.slice(i * width, (i + 1) * width));
  }

  dispose(): void {
    tf.dispose(this.#taken);
  }
}
