import { chmod, readFile, realpath, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { TeamError } from "../../errors.ts";
import { ensurePrivateDirectory, replaceFile } from "../../lib/files.ts";
import { readMcpServers } from "../../protocol/mcp-servers.ts";
import type { ProcessInfo } from "../command.ts";
import { readObjectFile, readSettingsFile } from "../settings/settings-file.ts";
import { userSettingsPath } from "../settings/standard-places.ts";

/** Writes a server into the person's own settings. Returns the path of the file. */
export async function addServer(
  name: string,
  entry: object,
  processInfo: ProcessInfo,
): Promise<string> {
  const [problem] = readMcpServers({ [name]: entry }).errors;
  if (problem) throw new TeamError("usage-wrong", problem, { hint: "docs/mcp.md has the fields." });
  return changeServers(processInfo, (servers, path) => {
    if (Object.hasOwn(servers, name)) {
      const hint = `Remove it first: troupe mcp remove ${name}`;
      throw new TeamError("usage-wrong", `${path} already has an MCP server ${name}`, { hint });
    }
    return { ...servers, [name]: entry };
  });
}

/** Takes a server out of the person's own settings. Returns the path of the file. */
export async function removeServer(name: string, processInfo: ProcessInfo): Promise<string> {
  return changeServers(processInfo, (servers, path) => {
    if (!Object.hasOwn(servers, name)) {
      const names = Object.keys(servers).join(", ");
      const hint = `${names === "" ? "It has none." : `It has: ${names}.`} Servers of a repository are in its own files.`;
      throw new TeamError("usage-wrong", `${path} has no MCP server ${name}`, { hint });
    }
    return Object.fromEntries(Object.entries(servers).filter(([it]) => it !== name));
  });
}

/** All else in the file stays as it is. A file that is wrong is not changed. */
async function changeServers(
  processInfo: ProcessInfo,
  change: (servers: Record<string, unknown>, path: string) => Record<string, unknown>,
): Promise<string> {
  const path = userSettingsPath(processInfo);
  const settings = await readSettingsFile(path);
  const { value = {} } = (await readObjectFile(path)) ?? {};
  const servers = change({ ...settings?.stated.mcpServers, ...rawServers(value) }, path);
  const changed = { ...value, mcpServers: servers };
  if (!settings) {
    await ensurePrivateDirectory(dirname(path));
    await replaceFile(path, `${JSON.stringify(changed, null, 2)}\n`);
    return path;
  }
  // A link to the file stays a link.
  const real = await realpath(path);
  const [, indent = "  "] = /^([ \t]+)"/m.exec(await readFile(real, "utf8")) ?? [];
  const { mode } = await stat(real);
  await replaceFile(real, `${JSON.stringify(changed, null, indent)}\n`);
  await chmod(real, mode & 0o777);
  return path;
}

/** As they stand in the file, with fields that have no effect. */
function rawServers(value: object): Record<string, unknown> {
  const servers: unknown = Reflect.get(value, "mcpServers");
  return typeof servers === "object" && servers !== null ? { ...servers } : {};
}
