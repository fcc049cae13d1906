import { markerName } from "./marker.ts";

/** How to start a program so that all its processes carry a marker. */
interface MarkedStart {
  readonly program: string;
  readonly argv: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
}

/**
 * Sets the marker as a limit, and then becomes the program, without the descriptors behind the last one that it
 * is to have. The limit is on file locks, which no kernel has enforced since Linux 2.4, and only the
 * soft limit is set, so that it restricts nothing, not even a Troupe inside the command. Functions
 * from the environment may have the names of builtins, and the environment may ask to exit at the first failure.
 */
const beginMarked = [
  'builtin ulimit -S -x "$1" 2>/dev/null || :',
  '[[ -z $2 ]] || builtin export BASH_ENV="$2"',
  "troupe_closed=",
  `for troupe_each in \${4:+/proc/self/fd/*}; do troupe_each=\${troupe_each##*/}; [[ $troupe_each == *[!0-9]* || $troupe_each -le $4 ]] || troupe_closed+=" $troupe_each>&-"; done`,
  `builtin eval 'builtin exec -a "$3" "\${@:5}"' "$troupe_closed"`,
].join("; ");

/**
 * How to start a program so that all its processes carry `marker`. On Linux the marker is a limit,
 * which is also inherited by processes that leave the session, clear their environment and close
 * their files.
 */
export function markedCommand(options: {
  /**
   * The path of bash. Otherwise bash would be looked up in PATH, where the workspace may have
   * another one.
   */
  shell: string;
  /** The path of the program, and its arguments. */
  argv: readonly [string, ...string[]];
  /** The name by which the program knows itself. */
  name: string;
  /**
   * The last descriptor that it gets. Others that Troupe itself was started with, such as an open directory, would lead
   * out of a sandbox (default: it gets them all).
   */
  lastDescriptor?: number;
  environment: MarkedStart["environment"];
  marker: string;
}): MarkedStart {
  const { shell, argv, name, marker, lastDescriptor = "" } = options;
  const environment: Record<string, string> = { ...options.environment, [markerName]: marker };
  const [program, ...rest] = argv;
  if (process.platform !== "linux") return { program, argv: rest, environment };
  // BASH_ENV names a file for the shell of the command: the first shell would read it, too.
  const { BASH_ENV = "", ...others } = environment;
  // Bash reads a person's `.bashrc` where its input is a socket: it takes itself for the shell of a remote login.
  const marked = [
    "--norc",
    "-c",
    beginMarked,
    "bash",
    marker,
    BASH_ENV,
    name,
    `${lastDescriptor}`,
    ...argv,
  ];
  return { program: shell, argv: marked, environment: others };
}
