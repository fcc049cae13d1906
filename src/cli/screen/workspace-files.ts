import { execFile } from "node:child_process";
import { findRipgrep } from "../../tools/files/ripgrep.ts";

/** More would make a key slow, and nobody finds a file among them by its first letters. */
const maxFiles = 20_000;
/** How long a list of files is used before it is made again. */
const freshMs = 5_000;

interface WorkspaceFilesOptions {
  workspace: string;
  monotonicMs(): number;
  /** Called when the list is there. */
  onChange(): void;
}

/** The files of the workspace that can be mentioned, as of a few seconds ago. */
export class WorkspaceFiles {
  readonly #options: WorkspaceFilesOptions;
  #paths: readonly string[] = [];
  #listedMs: number | undefined;

  constructor(options: WorkspaceFilesOptions) {
    this.#options = options;
  }

  /** What is known now. If that is nothing, or old, a new list is made meanwhile. */
  get paths(): readonly string[] {
    const nowMs = this.#options.monotonicMs();
    if (this.#listedMs === undefined || nowMs - this.#listedMs > freshMs) {
      this.#listedMs = nowMs;
      void this.#list();
    }
    return this.#paths;
  }

  async #list(): Promise<void> {
    const found = await listFiles(this.#options.workspace);
    this.#paths = [...directoriesOf(found), ...found];
    this.#options.onChange();
  }
}

async function listFiles(cwd: string): Promise<string[]> {
  const program = await findRipgrep();
  if (program === undefined) return [];
  const given = ["--no-config", "--no-messages", "--hidden", "--no-require-git", "--files"];
  return await new Promise((resolve) => {
    const excluded = ["--glob=!.git/", "--glob=!.team/"];
    const options = { cwd, env: {}, maxBuffer: 16 * 1024 * 1024, timeout: 10_000 };
    // What came before an error is still a list: ripgrep also fails for one unreadable directory.
    execFile(program, [...given, ...excluded], options, (_, output) =>
      resolve(output.split("\n", maxFiles).filter((path) => path !== "")),
    );
  });
}

function directoriesOf(paths: readonly string[]): string[] {
  const found = new Set<string>();
  for (const path of paths) {
    for (let at = path.indexOf("/"); at !== -1; at = path.indexOf("/", at + 1)) {
      found.add(path.slice(0, at + 1));
    }
  }
  return [...found];
}
