import { readFile } from "node:fs/promises";
import { orNothing } from "../lib/or-nothing.ts";

/** The file has a line for each socket: its number, counters, flags, type, state, inode and path. */
const line = /^\S+: \S+ \S+ (\S+) \S+ \S+ \S+ (\/.*)$/;
/** Set in the flags of a socket that accepts connections. */
const accepts = 0x1_0000;

/** The paths at which programs of this machine accept connections, as far as they are named in full. */
export async function hostSockets(): Promise<string[]> {
  const table = await orNothing(readFile("/proc/net/unix", "utf8"), "");
  const paths = table.split("\n").flatMap((each) => {
    const [, flags = "", path = ""] = line.exec(each) ?? [];
    return Number.parseInt(flags, 16) & accepts ? [path] : [];
  });
  return [...new Set(paths)];
}
