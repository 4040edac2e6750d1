// The entry point of index.html. Another site can show only the cover of the page in a frame (scripts/headers.mjs).
import './ui/theme.css';
import { isEmbed, isInForeignFrame } from './api/framing.ts';
import { isolateByReload } from './api/offline.ts';
import { trustOwnWorkers } from './base/trustedTypes.ts';
import { begin } from './begin.ts';

trustOwnWorkers();
const { location } = window;
if (isEmbed(location) || isInForeignFrame())
  void import('./cover.ts').then(({ showCover }) => showCover(isEmbed(location)));
// The page may have to reload in order to become cross-origin isolated. In this case, nothing is started before the
// reload.
else void isolateByReload().then((isLeaving) => (isLeaving ? undefined : begin(location.search, location.hash)));
