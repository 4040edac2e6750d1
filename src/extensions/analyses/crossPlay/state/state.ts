// Cross-play on the page.
import { CrossPlay } from './crossPlay.svelte.ts';

export const makeState = () => new CrossPlay();
