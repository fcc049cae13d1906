import { randomBytes } from "node:crypto";
import { constants, existsSync } from "node:fs";
import { type FileHandle, open, stat } from "node:fs/promises";
import { dirname, isAbsolute, join } from "node:path";
import { hasErrno, onErrno, TeamError } from "../errors.ts";
import { closing } from "../lib/closing.ts";
import { quoted } from "../lib/file-owner.ts";
import { createFileOnce, ensurePrivateDirectory } from "../lib/files.ts";
import type { TeamId } from "../protocol/ids.ts";
import { hmacSignature, type Signature } from "./signature.ts";

export interface TeamKeyPathOptions {
  teamId: TeamId;
  /** `TROUPE_KEY_FILE`: it takes precedence over every other place. */
  keyFile: string | undefined;
  /** `XDG_STATE_HOME`, which counts only as an absolute path, as its specification says. */
  stateHome: string | undefined;
  home: string;
}

/** The path of a team's key: outside the workspace, where no member's file tools reach. */
export function teamKeyPath({ teamId, keyFile, stateHome, home }: TeamKeyPathOptions): string {
  return keyFile ? keyFile : join(stateDirectory({ stateHome, home }), "keys", teamId);
}

/**
 * The file that records the end of a log of a team, where members cannot reach it. A transcript has
 * the name of its member, which has no dot; any other log has a name with one.
 */
export function headPath(
  { teamId, stateHome, home }: Pick<TeamKeyPathOptions, "teamId" | "stateHome" | "home">,
  name: string,
): string {
  return join(stateDirectory({ stateHome, home }), "heads", teamId, name);
}

/** The name of the head of a member's mailbox. */
export function mailHead(member: string): string {
  return `${member}.mail`;
}

/** The directory of the dashboards' secrets: with one of them, one can answer for the person. */
export function dashboardsDirectory(place: Pick<TeamKeyPathOptions, "stateHome" | "home">): string {
  return join(stateDirectory(place), "dashboards");
}

/** The directory in which pipes for the output of commands are made. */
export function pipesDirectory(place: Pick<TeamKeyPathOptions, "stateHome" | "home">): string {
  return join(stateDirectory(place), "pipes");
}

/** The directory of all that Troupe keeps for the person, outside of workspaces. */
export function stateDirectory({
  stateHome,
  home,
}: Pick<TeamKeyPathOptions, "stateHome" | "home">): string {
  const state = stateHome && isAbsolute(stateHome) ? stateHome : join(home, ".local", "state");
  return join(state, "troupe");
}

export interface TeamKey {
  signature: Signature;
  /** `memory`: it ends with this process, and no other process can sign for the team. */
  origin: "loaded" | "created" | "memory";
  /** A problem to show to the person, once. */
  warning?: string;
}

/** The team's key, created where it is missing. Processes that open it at once get the same. */
export async function openTeamKey({ path }: { path: string }): Promise<TeamKey> {
  const existing = await loadTeamKey({ path });
  if (existing) return loaded(existing, path);

  const key = randomBytes(keyBytes);
  try {
    await ensureDirectory(dirname(path));
    const isFirst = await createFileOnce(path, `${key.toString("hex")}\n`);
    if (isFirst) return { signature: hmacSignature(key), origin: "created" };
  } catch (error) {
    if (!(error instanceof Error && hasErrno(error, ...unwritable))) throw error;
    const warning = `The team's key cannot be saved: ${error.message}. It is lost when this process ends, and commands in other shells cannot act for you. Set TROUPE_KEY_FILE to a writable file.`;
    return { signature: hmacSignature(key), origin: "memory", warning };
  }
  const first = await loadTeamKey({ path });
  if (!first) throw unreadable(path);
  return loaded(first, path);
}

async function loaded(key: Uint8Array, path: string): Promise<TeamKey> {
  const signature = hmacSignature(key);
  if (((await stat(path)).mode & readableBits) === 0) return { signature, origin: "loaded" };
  const warning = `Other users can read the team's key ${path}, and so act for you. Run: chmod 600 ${quoted(path)}`;
  return { signature, origin: "loaded", warning };
}

/** The team's key; undefined where it is missing. The file is not changed. */
export async function loadTeamKey({ path }: { path: string }): Promise<Uint8Array | undefined> {
  const text = await readKey(path);
  if (text === undefined) return undefined;
  if (keyPattern.test(text)) return Buffer.from(text.trim(), "hex");
  throw new TeamError("key-unavailable", `${path} is not a team's key`, {
    hint: `It should contain ${keyBytes * 2} hex digits. Restore it: without it nothing proves that the team is yours. Otherwise remove it, and start with --take-over to continue with the team's history, or with --fresh to start a new team.`,
  });
}

async function readKey(path: string): Promise<string | undefined> {
  try {
    // Links are followed: the person has named this path, or it is in the person's home, and a key
    // that is mounted into a container is often a link.
    const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    await using _ = closing(file);
    await requireKeyFile(file, path);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(maxKeyBytes), 0, maxKeyBytes, 0);
    return buffer.toString("utf8", 0, bytesRead);
  } catch (error) {
    if (hasErrno(error, "ENOENT") || (await isOutOfReach(path))) return undefined;
    throw error instanceof TeamError ? error : unreadable(path, error);
  }
}

/** Throws if others can write the key: they could act for the person. */
async function requireKeyFile(file: FileHandle, path: string): Promise<void> {
  const stats = await file.stat();
  if (!stats.isFile()) throw unreadable(path);
  const isForeign = stats.uid !== 0 && stats.uid !== process.geteuid?.();
  if (!isForeign && (stats.mode & writableBits) === 0) return;
  throw new TeamError("key-unavailable", `Other users can write the team's key ${path}`, {
    hint: isForeign
      ? "It belongs to another user. Choose another file with TROUPE_KEY_FILE."
      : `Check that it is your key, then run: chmod 600 ${quoted(path)}`,
  });
}

/**
 * True if it cannot be determined whether the file exists. Creating one there fails, with the
 * reason.
 */
async function isOutOfReach(path: string): Promise<boolean> {
  return stat(path).then(() => false, onErrno(true, "EACCES", "ENOTDIR"));
}

/** Creates a private directory. An existing one may be anybody's, and is not changed. */
async function ensureDirectory(path: string): Promise<void> {
  if (!existsSync(path)) await ensurePrivateDirectory(path);
}

function unreadable(path: string, cause?: unknown): TeamError {
  return new TeamError("key-unavailable", `The team's key ${path} cannot be read`, {
    cause,
    hint: "Check its permissions, or choose another file with TROUPE_KEY_FILE.",
  });
}

const keyBytes = 32;
const keyPattern = /^[0-9a-f]{64}\s*$/i;
const maxKeyBytes = 1024;
const writableBits = 0o022;
const readableBits = 0o044;
/** The errors that keep a file from being created, now and at the next attempt. */
const unwritable = [
  "EACCES",
  "EPERM",
  "EROFS",
  "ENOTDIR",
  "EEXIST",
  "ENOENT",
  "ENOSPC",
  "EDQUOT",
  "EIO",
  "ENOTSUP",
  "ENAMETOOLONG",
  "ELOOP",
];
