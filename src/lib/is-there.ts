import { lstat, stat } from "node:fs/promises";
import { onErrno } from "../errors.ts";
import { orNothing } from "./or-nothing.ts";

/** True for a path at which there is something, if only a link that leads nowhere. */
export async function isThere(path: string): Promise<boolean> {
  return (await lstat(path).catch(onErrno(undefined, "ENOENT", "ENOTDIR"))) !== undefined;
}

/** True for a directory that this user can reach, and for a link to one. */
export async function isDirectory(path: string): Promise<boolean> {
  return (await orNothing(stat(path), undefined))?.isDirectory() ?? false;
}
