import { statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { hasErrno } from "../errors.ts";
import { named } from "./file-owner.ts";
import type { OwnPath } from "./own-directory.ts";

/**
 * A file: by a path that is looked up each time, or by its names below a directory that is held
 * open. As text, both are the path that a person knows.
 */
export type FilePath = string | OwnPath;

/** `name` in `directory`. */
export function within(directory: string, ...names: string[]): string;
export function within(directory: FilePath, ...names: string[]): FilePath;
export function within(directory: FilePath, ...names: string[]): FilePath {
  return typeof directory === "string" ? join(directory, ...names) : directory.to(...names);
}

export function parentOf(path: FilePath): FilePath {
  return typeof path === "string" ? dirname(path) : path.parent;
}

export function nameOf(path: FilePath): string {
  return typeof path === "string" ? basename(path) : (path.names.at(-1) ?? "");
}

/** A path for looking at a file. It may lead through links, so no decision may depend on it. */
export function locationOf(path: FilePath): string {
  return typeof path === "string" ? path : path.location;
}

/** The size of a file; 0 where it is missing. */
export function sizeOf(path: FilePath): number {
  return statSync(locationOf(path), { throwIfNoEntry: false })?.size ?? 0;
}

/** Calls `use` with a path to the file that leads through no link. */
export function atSync<T>(path: FilePath, use: (location: string) => T): T {
  if (typeof path === "string") return use(path);
  using parent = path.enter({ isDirectory: path.names.length === 0 });
  try {
    const result = use(join(parent.location, nameOf(path)));
    parent.check();
    return result;
  } catch (error) {
    throw named(error, parent.location, parent.shown);
  }
}

/** Like `atSync`. */
export async function at<T>(path: FilePath, use: (location: string) => Promise<T>): Promise<T> {
  if (typeof path === "string") return use(path);
  using parent = path.enter({ isDirectory: path.names.length === 0 });
  try {
    const result = await use(join(parent.location, nameOf(path)));
    parent.check();
    return result;
  } catch (error) {
    throw named(error, parent.location, parent.shown);
  }
}

/** Calls `use` with a path to the directory itself. */
export async function atDirectory<T>(
  path: FilePath,
  use: (location: string) => Promise<T>,
): Promise<T> {
  if (typeof path === "string") return use(path);
  using directory = path.enter({ isDirectory: true });
  try {
    return await use(directory.location);
  } catch (error) {
    throw named(error, directory.location, directory.shown);
  }
}

/** A directory for many operations in it: its path is looked up once, not for each of them. */
export interface HeldPath extends Disposable {
  path: FilePath;
}

/** Undefined if there is no such directory. */
export function holdPath(directory: FilePath): HeldPath | undefined {
  if (typeof directory === "string") return { path: directory, [Symbol.dispose]: () => undefined };
  try {
    const held = directory.hold();
    return { path: held.to(), [Symbol.dispose]: () => held[Symbol.dispose]() };
  } catch (error) {
    if (hasErrno(error, "ENOENT")) return undefined;
    throw error;
  }
}
