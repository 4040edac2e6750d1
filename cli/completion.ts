// `cothink completion`: a script with which a shell completes commands, options and names. All names are written into
// the script, because starting the program for each press of the key would take too long.
import { describeFields } from '../src/config/describe.ts';
import { presets } from '../src/config/presets.ts';
import { sectionLabels } from '../src/config/schema.ts';
import { worldNames } from '../src/config/worlds/registry.ts';
import { ConfigError } from '../src/base/errors.ts';
import { didYouMean } from '../src/base/nearest.ts';
import type { Command, CommandArguments } from './command.ts';
import { writeOut } from './terminal.ts';

/** The words that may follow an option, or that a command takes as its argument. */
interface Known {
  options: Readonly<Record<string, readonly string[]>>;
  arguments: Readonly<Record<string, readonly string[]>>;
}

function known(): Known {
  const paths = describeFields().map(({ path }) => path);
  return {
    options: { preset: Object.keys(presets), set: paths.map((path) => `${path}=`) },
    arguments: {
      presets: Object.keys(presets),
      worlds: [...worldNames],
      settings: [...Object.keys(sectionLabels), ...paths],
      completion: Object.keys(shells),
    },
  };
}

/** Writes the script for a shell. */
export function completion(given: CommandArguments, commands: readonly Command[]): number {
  const [shell = ''] = given.rest;
  const script = Object.hasOwn(shells, shell) ? shells[shell] : undefined;
  const names = Object.keys(shells);
  if (!script)
    throw new ConfigError(
      `completion: expected one of ${names.join(', ')}, got ${JSON.stringify(shell)}.${didYouMean(shell, names)}`,
    );
  writeOut(script(commands));
  return 0;
}

const longOptions = ({ options }: Command) => [...Object.keys(options), 'help'].map((option) => `--${option}`);

/** Bash, and zsh with its support for scripts of bash. Files are completed where no words are known. */
function bash(commands: readonly Command[]): string {
  const words = known();
  const after = Object.entries(words.options).map(([option, all]) => `    --${option}) words='${all.join(' ')}' ;;`);
  const taken = commands.map((command) => {
    const all = [...longOptions(command), ...(words.arguments[command.name] ?? [])];
    return `    ${command.name}) words='${all.join(' ')}' ;;`;
  });
  return `_cothink() {
  local word=\${COMP_WORDS[COMP_CWORD]} before=\${COMP_WORDS[COMP_CWORD-1]} words=''
  COMPREPLY=()
  if (( COMP_CWORD == 1 )); then
    COMPREPLY=($(compgen -W '${commands.map(({ name }) => name).join(' ')} --help --version' -- "$word"))
    return
  fi
  case $before in
${after.join('\n')}
  esac
  if [[ -z $words ]]; then
    case \${COMP_WORDS[1]} in
${taken.join('\n')}
    esac
  fi
  COMPREPLY=($(compgen -W "$words" -- "$word"))
  [[ \${COMPREPLY[0]} == *= ]] && compopt -o nospace 2>/dev/null
  return 0
}
complete -o default -F _cothink cothink
`;
}

const quotedForFish = (text: string) => `'${text.replace(/['\\]/g, '\\$&')}'`;

function fish(commands: readonly Command[]): string {
  const words = known();
  const first = commands.map(
    ({ name, says }) => `complete -c cothink -n __fish_use_subcommand -f -a ${name} -d ${quotedForFish(says)}`,
  );
  const rest = commands.flatMap(({ name, options }) => {
    const within = `complete -c cothink -n '__fish_seen_subcommand_from ${name}'`;
    const taken = words.arguments[name];
    return [
      ...(taken ? [`${within} -f -a '${taken.join(' ')}'`] : []),
      ...Object.entries(options).map(([option, { value, says }]) => {
        const all = words.options[option];
        const follows = value === undefined ? '' : all ? ` -x -a '${all.join(' ')}'` : ' -r';
        return `${within} -l ${option}${follows} -d ${quotedForFish(says)}`;
      }),
    ];
  });
  return `${[...first, ...rest].join('\n')}\n`;
}

const shells: Record<string, (commands: readonly Command[]) => string> = {
  bash,
  zsh: (commands) =>
    `autoload -U +X compinit && compinit\nautoload -U +X bashcompinit && bashcompinit\n${bash(commands)}`,
  fish,
};
