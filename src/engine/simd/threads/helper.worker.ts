// The entry point of a helper thread in the browser. The trainer's worker starts it and sends it one message.
import { partTaker, serve, type HelperTask } from './serve.ts';

self.onmessage = ({ data }: MessageEvent<HelperTask>) => {
  serve(partTaker, data, () => {
    self.postMessage('ready');
  });
};
