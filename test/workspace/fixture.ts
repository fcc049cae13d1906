import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { runHostProgram } from "../../src/processes/host-program.ts";
import { callTool } from "../../src/testing/call-tool.ts";
import type { ToolOutput } from "../../src/tools/tool.ts";
import { fileTools } from "../../src/tools/work-tools.ts";
import { FileLocks } from "../../src/workspace/file-locks.ts";
import { SeenFiles } from "../../src/workspace/seen-files.ts";
import { Workspace, type WorkspaceOptions } from "../../src/workspace/workspace.ts";

export type FileTool = "read_file" | "write_file" | "edit_file" | "glob" | "grep";

/** A workspace `proj` with a team directory, in a place of its own that goes away with it. */
export class Scene implements AsyncDisposable {
  /** What the workspace lies in. */
  readonly around: string;
  readonly root: string;
  readonly locks = new FileLocks();

  private constructor(around: string) {
    this.around = around;
    this.root = join(around, "proj");
  }

  static async open(files: Readonly<Record<string, string | Buffer>> = {}): Promise<Scene> {
    const scene = new Scene(await realpath(await mkdtemp(join(tmpdir(), "troupe-"))));
    await mkdir(join(scene.root, ".team"), { recursive: true });
    for (const [path, content] of Object.entries(files)) await scene.put(path, content);
    return scene;
  }

  /** The path of a file of the workspace. */
  path(path: string): string {
    return join(this.root, path);
  }

  /** Writes a file as another program would. */
  async put(path: string, content: string | Buffer): Promise<void> {
    await mkdir(dirname(this.path(path)), { recursive: true });
    await writeFile(this.path(path), content);
  }

  workspace(options: Partial<WorkspaceOptions> = {}): Promise<Workspace> {
    return Workspace.open({ root: this.root, teamDirectory: this.path(".team"), ...options });
  }

  async member(options: Partial<WorkspaceOptions> = {}): Promise<SceneMember> {
    return new SceneMember(await this.workspace(options), this.locks);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.around, { recursive: true, force: true });
  }
}

/** Calls the file tools as one member. */
export class SceneMember {
  readonly #tools;

  constructor(workspace: Workspace, locks: FileLocks) {
    this.#tools = fileTools({
      workspace,
      mayRead: () => true,
      seenFiles: new SeenFiles(),
      history: { keep: async () => undefined },
      locks,
      runner: { runProgram: runHostProgram },
    });
  }

  async call(
    name: FileTool,
    input: unknown,
    signal: AbortSignal = AbortSignal.any([]),
  ): Promise<ToolOutput> {
    const tool = this.#tools.find(({ spec }) => spec.name === name);
    if (!tool) throw new Error(`There is no ${name}`);
    return callTool(tool, input, { signal });
  }

  /** What the model is shown, an error or not. */
  async text(name: FileTool, input: unknown): Promise<string> {
    return (await this.call(name, input)).text;
  }
}
