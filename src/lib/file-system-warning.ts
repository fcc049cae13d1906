import { statfs } from "node:fs/promises";

/** Shared file systems, by their number in Linux's statfs(2). */
const shared = new Map([
  [0x6969, "NFS"],
  [0x517b, "SMB"],
  [0xff534d42, "CIFS"],
  [0xfe534d42, "SMB"],
  [0x01021997, "9p"],
  [0x65735546, "FUSE"],
  [0x5346414f, "AFS"],
  [0x00c36400, "Ceph"],
  [0x0bd00bd0, "Lustre"],
  [0x47504653, "GPFS"],
  [0x01161970, "GFS2"],
  [0x7461636f, "OCFS2"],
  [0x786f4256, "VirtualBox"],
  [0xbacbacbc, "VMware"],
]);

/** The warning for a person who keeps a team in `directory`; undefined if there is none. */
export async function fileSystemWarning(directory: string): Promise<string | undefined> {
  const { type } = await statfs(directory);
  return sharedFileSystemWarning(directory, type);
}

export function sharedFileSystemWarning(directory: string, type: number): string | undefined {
  // The number is signed on some machines.
  const name = shared.get(type >>> 0);
  if (!name) return undefined;
  return `${directory} is on a shared file system (${name}): appends of several processes may mix, and changes made elsewhere are seen only by polling. Choose a local directory with --team-dir.`;
}
