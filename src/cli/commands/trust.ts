import { realpath } from "node:fs/promises";
import { resolve } from "node:path";
import { onErrno, TeamError } from "../../errors.ts";
import type { Arguments, Command, Io } from "../command.ts";
import { jsonText } from "../render/json-text.ts";
import { oneLine } from "../render/one-line.ts";
import {
  type Configuration,
  readConfiguration,
  workspaceSettingsPath,
} from "../settings/configuration.ts";
import { forgetAnswer, recordAnswer } from "../settings/consent.ts";
import { type RepositoryFile, repositoryFiles } from "../settings/repository-files.ts";

export const trust: Command = {
  name: "trust",
  group: "set up",
  summary: "Trust what loosens your own settings in files of the repository",
  parameters: ["[<file>]"],
  options: {
    show: { summary: "show what would be trusted, and change nothing" },
    revoke: { summary: "withdraw the trust" },
    cwd: { takes: "<directory>", summary: "the workspace (default: the current directory)" },
    json: { summary: "print JSON" },
  },
  examples: [
    { call: "troupe trust --show", does: "look first, change nothing" },
    { call: "troupe trust troupe.json", does: "trust this file as it is; without a name, all" },
    { call: "troupe trust --revoke", does: "withdraw that" },
  ],
  notes: [
    "Trust is for the files as they are: a changed file must be trusted again. What only makes things stricter applies without it.",
  ],

  async run(given, io) {
    const { cwd = ".", revoke, show } = given.values;
    const wish = revoke === true ? "revoke" : show === true ? "show" : "trust";
    const workspace = resolve(io.processInfo.cwd, String(cwd));
    const configuration = await readConfiguration(workspace, io.processInfo);
    const all = await repositoryFiles({ workspace, processInfo: io.processInfo }, configuration);
    const files = await carryOut(wish, await chosen(given, all, io), io);
    const path = workspaceSettingsPath(workspace);
    if (given.json) io.out(jsonText(asJson(path, configuration, files), 2));
    else for (const line of asLines(path, configuration, files)) io.out(line);
    return 0;
  },
};

/** The files that the person means: the one that is named, or all. */
async function chosen(
  { positionals: [name] }: Arguments,
  files: readonly RepositoryFile[],
  { processInfo }: Io,
): Promise<readonly RepositoryFile[]> {
  if (name === undefined) return files;
  const path = resolve(processInfo.cwd, name);
  const real = await realpath(path).catch(onErrno(path, "ENOENT", "ENOTDIR"));
  const meant = files.filter((file) => file.path === path || file.realPath === real);
  if (meant.length > 0) return meant;
  const others = files.map((file) => file.path).join(", ");
  throw new TeamError("usage-wrong", `${path} has nothing in it that needs trust`, {
    hint: others === "" ? "Nor has any other file here." : `These files have: ${others}.`,
  });
}

/** Carries out the wish. Returns the files as they are afterwards. */
async function carryOut(
  wish: "trust" | "show" | "revoke",
  files: readonly RepositoryFile[],
  { processInfo }: Io,
): Promise<readonly RepositoryFile[]> {
  if (wish === "show") return files;
  const answer = wish === "trust" ? "trusted" : undefined;
  for (const file of files) {
    if (answer) await recordAnswer(file, answer, processInfo);
    else await forgetAnswer(file, processInfo);
  }
  return files.map((file) => ({ ...file, answer }));
}

/** The first fields are about `troupe.json`, which need not be among the files. */
function asJson(
  path: string,
  { workspaceFile, loosenings }: Configuration,
  files: readonly RepositoryFile[],
): object {
  const settings = files.find((file) => file.path === path);
  const isWhole = workspaceFile !== undefined && loosenings.length === 0;
  return {
    path,
    exists: workspaceFile !== undefined,
    sha256: workspaceFile?.sha256 ?? null,
    loosens: loosenings.flatMap(({ lines }) => lines),
    trusted: isWhole || settings?.answer === "trusted",
    files: files.map((file) => ({
      path: file.path,
      sha256: file.sha256,
      needs: file.needs,
      trusted: file.answer === "trusted",
    })),
  };
}

function asLines(
  path: string,
  { workspaceFile }: Configuration,
  files: readonly RepositoryFile[],
): string[] {
  if (files.length > 0) return files.flatMap(fileLines);
  return workspaceFile
    ? [oneLine(`${path} loosens none of your own settings: all of it applies.`)]
    : [oneLine(`There is no ${path}: nothing to trust.`)];
}

function fileLines({ path, needs, answer, wording }: RepositoryFile): string[] {
  const isTrusted = answer === "trusted";
  return [
    oneLine(
      `${path} is ${isTrusted ? "" : "not "}trusted. ${isTrusted ? wording.trusted : wording.untrusted}:`,
    ),
    ...needs.map((line) => `- ${line}`),
    isTrusted
      ? "`troupe trust --revoke` withdraws that. A changed file must be trusted again."
      : "`troupe trust` applies them.",
  ];
}
