import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, writeFile } from "node:fs/promises";
import { delimiter, dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import type { LocalRegistry } from "./local-registry.ts";
import type { Command, PackageManager } from "./managers.ts";
import { compilerSettings, type ModuleResolution } from "./programs.ts";

export interface ProjectOptions {
  directory: string;
  manager: PackageManager;
  registry: LocalRegistry;
}

export interface Finished {
  code: number | null;
  /** What it printed, errors too. */
  output: string;
}

/** A user's project, with a home directory of its own, so that no cache or setting leaks into it. */
export class Project {
  readonly path: string;
  readonly #manager: PackageManager;
  readonly #env: NodeJS.ProcessEnv;

  private constructor({ directory, manager, registry }: ProjectOptions) {
    this.path = join(directory, "project");
    this.#manager = manager;
    this.#env = {
      HOME: join(directory, "home"),
      TMPDIR: join(directory, "tmp"),
      npm_config_update_notifier: "false",
      YARN_NPM_REGISTRY_SERVER: registry.url,
      YARN_UNSAFE_HTTP_WHITELIST: "127.0.0.1",
      YARN_ENABLE_TELEMETRY: "false",
      YARN_ENABLE_IMMUTABLE_INSTALLS: "false",
    };
  }

  /** A new project, in which everything is installed. */
  static async install(options: ProjectOptions): Promise<Project> {
    const project = new Project(options);
    const { directory, manager, registry } = options;
    for (const name of ["project", "home", "tmp"]) await mkdir(join(directory, name));
    const compiler = manager.compile ? ["typescript"] : [];
    const names = ["troupe", "zod", "@types/node", ...compiler];
    const dependencies = Object.fromEntries(names.map((name) => [name, "latest"]));
    const manifest = { name: "project", private: true, type: "module", dependencies };
    await project.write({
      "package.json": JSON.stringify(manifest),
      ".npmrc": `registry=${registry.url}\n`,
      ...manager.settings,
    });
    const { code, output } = await project.start(manager.install);
    if (code !== 0) throw new Error(`${manager.name} installs nothing:\n${output}`);
    return project;
  }

  async write(files: Readonly<Record<string, string>>): Promise<void> {
    for (const [name, content] of Object.entries(files)) {
      await writeFile(join(this.path, name), content);
    }
  }

  /** Runs a program with this Node, unless the package manager is what runs programs. */
  run(file: string, node = process.execPath): Promise<Finished> {
    return this.start([...this.#manager.run, file], node);
  }

  /** Runs the program of the package. */
  troupe(argument: string, node = process.execPath): Promise<Finished> {
    return this.start([...this.#manager.troupe, argument], node);
  }

  /** Checks the types with the TypeScript at this path, or with the project's own. */
  async check(compiler: string, resolution: ModuleResolution): Promise<Finished> {
    const settings = `tsconfig.${resolution}.json`;
    await this.write({ [settings]: compilerSettings(resolution) });
    return this.start([...(this.#manager.compile ?? ["node", compiler]), "-p", settings]);
  }

  async start([file, ...argv]: Command, node = process.execPath): Promise<Finished> {
    const child = spawn(file, argv, {
      cwd: this.path,
      env: { ...this.#env, PATH: [dirname(node), process.env.PATH].join(delimiter) },
      stdio: ["ignore", "pipe", "pipe"],
    });
    const [out, err, [code]] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      once(child, "exit"),
    ]);
    return { code, output: out + err };
  }
}
