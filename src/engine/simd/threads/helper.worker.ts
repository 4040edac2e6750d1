// Entry of a helper thread in the browser; started by the trainer's worker, which sends it its only message.
import { partTaker, serve, type HelperTask } from './serve.ts';

self.onmessage = ({ data }: MessageEvent<HelperTask>) => {
  serve(partTaker, data, () => {
    self.postMessage('ready');
  });
};
