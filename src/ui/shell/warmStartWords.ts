// What the page says of a warm start that is trained here.
import type { WarmStartRest } from '../../records/events.ts';
import { duration, percent } from '../words.ts';

/** A time that is only estimated: in steps that a person would say. */
export function roughly(ms: number): string {
  const seconds = ms / 1000;
  const step = seconds < 10 ? 1 : seconds < 60 ? 5 : seconds < 300 ? 30 : seconds < 3600 ? 60 : 600;
  return `about ${duration(Math.max(1, Math.round(seconds / step)) * step * 1000)}`;
}

/** How a run stands whose warm start waits to be asked for, or was stopped. */
export function waitingWords({ share, msLeft }: WarmStartRest): { title: string; detail: string } {
  if (share > 0) {
    return {
      title: 'Not prepared',
      detail: `the warm start stands at ${percent(share)}; Train goes on with it, ${roughly(msLeft)} on this machine`,
    };
  }
  return {
    title: 'Not prepared',
    detail: `Train begins with a warm start: demonstrations teach the dialogue, ${roughly(msLeft)} on this machine; it is kept for later`,
  };
}
