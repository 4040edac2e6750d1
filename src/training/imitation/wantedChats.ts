// The check that a run whose adapters imitate chats has a file of chats. The code that reads and imitates chats is loaded
// only by such runs.
import { spoken } from '../../base/spoken.ts';
import { refusalError } from '../../config/refusals/rule.ts';
import type { Config } from '../../config/schema.ts';
import { imitatesChats } from '../../config/warmStarts.ts';
import type { ChatFile } from '../../records/stored/chatFile.ts';

/** Throws ConfigError if chats are to be imitated, but there are none. `wanted` is the name of the missing file. */
export function refuseWithoutChats(config: Config, chats: ChatFile | undefined, wanted?: string): void {
  if (!imitatesChats(config) || chats) return;
  throw refusalError({
    path: 'warmStart.modelImitates',
    says:
      wanted === undefined
        ? spoken`no chats have been imported; import a file of chats (--chats FILE.jsonl on the command line)`
        : spoken`this run imitates the chats in ${wanted}, which has not been imported; import this file (--chats ${wanted} on the command line)`,
    remedies: [{ 'warmStart.modelImitates': 'demonstrations' }],
  });
}
