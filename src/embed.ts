// The entry point of embed.html, which other sites may show in a frame. Only the cover is loaded at first.
import './ui/theme.css';
import { trustOwnWorkers } from './base/trustedTypes.ts';
import { showCover } from './cover.ts';

trustOwnWorkers();
showCover(true);
