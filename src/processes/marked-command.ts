import { markerName } from "./marker.ts";

/** A command, with the arguments that start bash for it. */
interface BashCommand {
  readonly argv: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
}

/**
 * Sets the marker as a limit, and then becomes the shell of the command. The limit is on file
 * locks, which no kernel has enforced since Linux 2.4, and only the soft limit is set, so that it
 * restricts nothing, not even a Troupe inside the command. Functions from the environment may have
 * the names of builtins, and the environment may ask to exit at the first failure.
 */
const beginMarked = [
  'builtin ulimit -S -x "$1" 2>/dev/null || :',
  '[[ -z $3 ]] || builtin export BASH_ENV="$3"',
  'builtin exec -a "$0" "$4" -c "$2"',
].join("; ");

/**
 * How to start `command` so that all its processes carry `marker`. On Linux the marker is a limit,
 * which is also inherited by processes that leave the session, clear their environment and close
 * their files.
 */
export function markedCommand(options: {
  /**
   * The path of bash. Otherwise bash would be looked up in PATH, where the workspace may have
   * another one.
   */
  program: string;
  command: string;
  environment: BashCommand["environment"];
  marker: string;
}): BashCommand {
  const { program, command, marker } = options;
  const environment: Record<string, string> = { ...options.environment, [markerName]: marker };
  if (process.platform !== "linux") return { argv: ["-c", command], environment };
  // BASH_ENV names a file for the shell of the command: the first shell would read it, too.
  const { BASH_ENV = "", ...others } = environment;
  const argv = ["-c", beginMarked, "bash", marker, command, BASH_ENV, program];
  return { argv, environment: others };
}
