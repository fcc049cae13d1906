import { readFile } from "node:fs/promises";
import { orNothing } from "../lib/or-nothing.ts";

/** A place, and what is mounted there: another place, or something new and empty. */
export interface Mounted {
  readonly path: string;
  readonly from: string | undefined;
}

/**
 * The arguments that start a program in the sandbox once it is certain that these places, which are in directories that
 * commands can write, are what they were when they were looked up. Another command can replace directories by links
 * meanwhile, and bubblewrap follows these: it would mount something that is hidden elsewhere, where it can be read.
 *
 * On `descriptor` it says `checked`; otherwise nothing is started.
 */
export async function checkedStart(
  places: readonly Mounted[],
  { shell, argv, descriptor }: { shell: string; argv: readonly string[]; descriptor: number },
): Promise<string[]> {
  const mounted = mountsOf(await orNothing(readFile("/proc/self/mountinfo", "utf8"), ""));
  const expected = places.map(({ path, from }) => {
    // A new file system is mounted by its root.
    const source = from === undefined ? "/" : sourceOf(from, mounted);
    return ` ${source} ${escaped(path)} `;
  });
  // Neither settings nor functions of the environment count in this shell.
  return [shell, "-p", "-c", script(descriptor), "bash", ...expected, "--", ...argv];
}

/** The arguments that start a program in a sandbox, and say on descriptor 3 that this has been reached. */
export function saidChecked(shell: string, argv: readonly string[]): string[] {
  return [shell, "-p", "-c", 'echo checked >&3\nexec -- "$@" 3>&-', "bash", ...argv];
}

/** What the shell says on its descriptor before it starts the program. */
export const isChecked = (report: string) => report.startsWith("checked\n");

/** Looks for each expected part of a line in the table of mounts that the program would have. */
function script(descriptor: number): string {
  return [
    "mapfile table < /proc/self/mountinfo",
    `table="\${table[*]}"`,
    "while [[ $1 != -- ]]; do",
    'if [[ $table != *"$1"* ]]; then',
    `point=\${1% }; echo "\${point##* } was replaced at this moment" >&2; exit 1`,
    "fi",
    "shift",
    "done",
    "shift",
    `echo checked >&${descriptor}`,
    `exec -- "$@" ${descriptor}>&-`,
  ].join("\n");
}

/** A line of the kernel's table of mounts. All texts are as it escapes them. */
interface Mount {
  readonly device: string;
  /** What of the file system is mounted. */
  readonly root: string;
  readonly point: string;
}

function mountsOf(table: string): Mount[] {
  return table.split("\n").flatMap((line) => {
    const [, , device, root, point] = line.split(" ");
    return device && root && point ? [{ device, root, point }] : [];
  });
}

/** What the table has for a mount of this place. */
function sourceOf(path: string, mounted: readonly Mount[]): string {
  const text = escaped(path);
  const isAbove = ({ point }: Mount) =>
    point === "/" || text === point || text.startsWith(`${point}/`);
  const above = mounted
    .filter(isAbove)
    .reduce<Mount | undefined>(
      (last, each) => (last && last.point.length > each.point.length ? last : each),
      undefined,
    );
  if (!above) return "unknown";
  const rest = above.point === "/" ? text : text.slice(above.point.length);
  const root = above.root === "/" ? "" : above.root;
  return `${above.device} ${root}${rest}` || "/";
}

/** As the kernel writes a path in its table. */
function escaped(path: string): string {
  return path.replace(
    /[ \t\n\\]/g,
    (character) => `\\${character.charCodeAt(0).toString(8).padStart(3, "0")}`,
  );
}
