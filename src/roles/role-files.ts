import { createHash } from "node:crypto";
import { lstat, readdir, realpath, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { TeamError } from "../errors.ts";
import { closing } from "../lib/closing.ts";
import { orNothing } from "../lib/or-nothing.ts";
import type { OpenFile } from "../workspace/regular-file.ts";
import { Workspace } from "../workspace/workspace.ts";
import type { ConsentNeed } from "./consent-needs.ts";
import type { ParsedRole } from "./parse-role.ts";
import type { BrokenRole, FoundRole, FoundRoles, HiddenRole, RoleSource } from "./role.ts";

/** A role that a file has. */
export interface RoleFile extends FoundRole {
  readonly path: string;
  /** The path with all links resolved. */
  readonly realPath: string;
  /** What counts only with the person's consent; nothing in the person's own files. */
  readonly needs: readonly ConsentNeed[];
}

/** Where role files are, and which of them the person trusts. */
export interface RoleFilesOptions {
  /** The directory of the project. Its files are somebody else's word, and lead nowhere out of it. */
  workspace: string;
  /** Directories of the person's own roles; those of the first one come first. */
  own?: readonly string[] | undefined;
  /** Whether the person trusts the content of a file of the project (default: none). */
  trusts?: ((file: { realPath: string; sha256: string }) => Promise<boolean>) | undefined;
}

/** A directory in which roles are. */
interface RoleFolder {
  path: string;
  /** Whether those below it count, too. */
  isDeep: boolean;
  /** Opens what is in the project; undefined for the person's own. */
  workspace?: Workspace;
  /** Where a role without a name has that of its file. */
  namesByFile?: boolean;
}

/** In this order: of several roles of one name, the first counts. */
const projectFolders = [
  { path: ".troupe/agents", isDeep: false },
  { path: ".claude/agents", isDeep: true },
  { path: ".opencode/agent", isDeep: true, namesByFile: true },
  { path: ".opencode/agents", isDeep: true, namesByFile: true },
];

const maxFileBytes = 160 * 1024;
/** Of all folders together. */
const maxFiles = 300;
const maxDepth = 6;
/** Of one directory. */
const maxEntries = 2_000;

/** Reads role files whenever they are asked for: an edit counts from then on. */
export class RoleFiles implements RoleSource {
  readonly #options: RoleFilesOptions;
  /** By the hash of the file and the name it would have: most files do not change. */
  readonly #parsed = new Map<string, ParsedRole | { readonly problem: string }>();

  constructor(options: RoleFilesOptions) {
    this.#options = options;
  }

  async find(): Promise<FoundRoles<RoleFile>> {
    const roles = new Map<string, RoleFile>();
    const broken: BrokenRole[] = [];
    const hidden: HiddenRole[] = [];
    let left = maxFiles;
    for (const folder of await this.#folders()) {
      for (const path of await filesIn(folder, broken)) {
        if (left-- <= 0) {
          broken.push({ path, problem: `only the first ${maxFiles} files are read` });
          return { roles: [...roles.values()], broken, hidden };
        }
        const found = await this.#read(path, folder);
        const key = "problem" in found ? "" : found.role.name.toLowerCase();
        const first = roles.get(key);
        if ("problem" in found) broken.push(found);
        else if (first) hidden.push({ name: found.role.name, path, by: first.path });
        else roles.set(key, found);
      }
    }
    return { roles: [...roles.values()], broken, hidden };
  }

  /** Those that exist: most people have none of them, and to look costs next to nothing. */
  async #folders(): Promise<RoleFolder[]> {
    const { workspace: root, own = [] } = this.#options;
    const folders: RoleFolder[] = [];
    let workspace: Workspace | undefined;
    for (const folder of projectFolders) {
      const path = join(root, folder.path);
      if (!(await orNothing(lstat(path), undefined))) continue;
      workspace ??= await readOnly(root);
      folders.push({ ...folder, path, workspace });
    }
    for (const path of own) {
      const found = await orNothing(stat(path), undefined);
      if (found?.isDirectory()) folders.push({ path, isDeep: true });
    }
    return folders;
  }

  async #read(path: string, folder: RoleFolder): Promise<RoleFile | BrokenRole> {
    try {
      const { bytes, realPath } = await readRoleFile(path, folder);
      const sha256 = createHash("sha256").update(bytes).digest("hex");
      const name = folder.namesByFile ? basename(path, ".md") : undefined;
      const parsed = await this.#parse(textOf(bytes), `${sha256} ${name ?? ""}`, name);
      if ("problem" in parsed) return { path, problem: parsed.problem };
      const { consentNeeds } = await import("./consent-needs.ts");
      const needs = folder.workspace ? consentNeeds(parsed.role) : [];
      const isTrusted =
        needs.length === 0 || ((await this.#options.trusts?.({ realPath, sha256 })) ?? false);
      const withheld = isTrusted ? [] : needs.map(({ field }) => field);
      return { ...parsed, path, realPath, sha256, needs, withheld };
    } catch (error) {
      // A repository must not be able to keep its team from starting.
      if (error instanceof TeamError) return { path, problem: error.message };
      if (error instanceof Error && "errno" in error) return { path, problem: error.message };
      throw error;
    }
  }

  async #parse(text: string, key: string, name: string | undefined) {
    const { parseRole } = await import("./parse-role.ts");
    const known = this.#parsed.get(key) ?? (await parseRole(text, name));
    this.#parsed.set(key, known);
    return known;
  }
}

/** The paths of the Markdown files, in the order of their names. What cannot be listed is told. */
async function filesIn(folder: RoleFolder, broken: BrokenRole[]): Promise<string[]> {
  const files: string[] = [];
  const look = async (path: string, depth: number): Promise<void> => {
    const entries = await list(path, folder);
    if (entries.length > maxEntries) throw unusable(`more than ${maxEntries} entries are in it`);
    for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      const inner = join(path, entry.name);
      if (entry.name.startsWith(".")) continue;
      if (entry.isDirectory() && folder.isDeep && depth < maxDepth) await tryTo(inner, depth + 1);
      else if (!entry.isDirectory() && entry.name.endsWith(".md")) files.push(inner);
      if (files.length > maxFiles) return;
    }
  };
  const tryTo = async (path: string, depth: number) => {
    try {
      await look(path, depth);
    } catch (error) {
      if (!(error instanceof TeamError) && !(error instanceof Error && "errno" in error))
        throw error;
      broken.push({ path, problem: error.message });
    }
  };
  await tryTo(folder.path, 0);
  return files;
}

async function list(path: string, { workspace }: RoleFolder) {
  if (!workspace) return await readdir(path, { withFileTypes: true });
  const area = await workspace.openSearch(path);
  if (!area) return [];
  await using directory = area.directory;
  if (area.file !== undefined) throw unusable(`${path} is a file, and no directory of roles`);
  return await readdir(directory.location, { withFileTypes: true });
}

async function readRoleFile(path: string, { workspace, path: folder }: RoleFolder) {
  // The person's own file may be a link to where they keep such files.
  const realPath = await realpath(path);
  const place = workspace ?? (await readOnly(dirname(realPath)));
  const file = await place.openFile(workspace ? path : realPath);
  if (!file) throw unusable("it is gone");
  await using _ = closing(file.handle);
  await requireOwner(file, workspace ? workspace.root : folder);
  if (file.stats.size > maxFileBytes) throw unusable(`it has more than ${maxFileBytes} bytes`);
  const { buffer, bytesRead } = await file.handle.read(
    Buffer.alloc(maxFileBytes + 1),
    ...([0, maxFileBytes + 1, 0] as const),
  );
  if (bytesRead > maxFileBytes) throw unusable(`it has more than ${maxFileBytes} bytes`);
  return { bytes: buffer.subarray(0, bytesRead), realPath };
}

/** What another user has put among the files of this one, or of the owner of the directory, is no role. */
async function requireOwner({ stats }: OpenFile, directory: string): Promise<void> {
  const own = process.geteuid?.();
  const owner = Number(stats.uid);
  if (own === undefined || owner === own || owner === 0) return;
  if (owner === (await stat(directory)).uid) return;
  throw unusable(`it belongs to another user (uid ${owner})`);
}

function textOf(bytes: Buffer): string {
  if (bytes.includes(0)) throw unusable("it is not a text file");
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw unusable("it is not UTF-8 text");
  }
}

/** A directory in which nothing is written. */
function readOnly(root: string): Promise<Workspace> {
  return Workspace.open({ root, teamDirectory: "." });
}

function unusable(problem: string): TeamError {
  return new TeamError("path-refused", problem);
}
