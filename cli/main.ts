// The program `cothink`: finds the command, runs it, and exits with a meaningful code.
import { ConfigError } from '../src/base/errors.ts';
import { commands } from './commands.ts';
import { helpOf, inColumns, readGiven } from './command.ts';
import { endOf } from './exit.ts';
import { outputWritten, watchOutput } from './print.ts';
import { writeError, writeOut } from './terminal.ts';
import { version } from '../package.json';
import { didYouMean } from '../src/base/nearest.ts';

const isHelp = (arg: string | undefined) => arg === '--help' || arg === '-h' || arg === 'help';

/** Returns the exit code. */
async function main([name, ...args]: readonly string[]): Promise<number> {
  if (name === undefined || isHelp(name)) {
    const lines = commands.map((command) => [command.name, command.says] as const);
    writeOut(
      `cothink COMMAND\n  Trains small language models to think together, with the engine of the page but without a browser.\n\nCommands\n${inColumns(lines).join('\n')}\n\ncothink COMMAND --help shows options and examples, cothink --version the version.\n`,
    );
    return name === undefined ? 2 : 0;
  }
  if (name === '--version' || name === '-V') {
    writeOut(`${version}\n`);
    return 0;
  }
  const command = commands.find((one) => one.name === name);
  if (!command) {
    const known = commands.map((one) => one.name);
    throw new ConfigError(
      `${JSON.stringify(name)}: there is no such command; choose one of ${known.join(', ')}.${didYouMean(name, known)} cothink --help describes them.`,
    );
  }
  if (args.some(isHelp)) {
    writeOut(helpOf(command));
    return 0;
  }
  return command.run(readGiven(command, args));
}

watchOutput();
const code = await main(process.argv.slice(2)).catch((error: unknown) => {
  const end = endOf(error);
  writeError(end.words);
  return end.code;
});
await outputWritten();
// The program exits explicitly, because native modules may keep a handle open.
process.exit(code);
