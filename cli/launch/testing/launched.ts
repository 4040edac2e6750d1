// The tasks of `cothink launch` with given arguments.
import { readGiven, type Command } from '../../command.ts';
import { commands } from '../../commands.ts';
import { launchAsked } from '../tasks.ts';

const command = commands.find(({ name }) => name === 'launch') as Command;

export const given = (...args: string[]) => readGiven(command, args);
export const asked = (...args: string[]) => launchAsked(given(...args), 'e-1');
