import { resolve } from "node:path";
import type { Command, Io } from "../command.ts";
import { jsonText } from "../render/json-text.ts";
import { oneLine } from "../render/one-line.ts";
import {
  type Configuration,
  readConfiguration,
  workspaceSettingsPath,
} from "../settings/configuration.ts";
import { forgetAnswer, recordAnswer } from "../settings/consent.ts";
import { consentLines } from "../settings/loosening.ts";

export const trust: Command = {
  name: "trust",
  group: "set up",
  summary: "Trust the settings in troupe.json that loosen your own",
  parameters: [],
  options: {
    show: { summary: "show what would be trusted, and change nothing" },
    revoke: { summary: "withdraw the trust" },
    cwd: { takes: "<directory>", summary: "the workspace (default: the current directory)" },
    json: { summary: "print JSON" },
  },
  examples: [
    { call: "troupe trust --show", does: "look first, change nothing" },
    { call: "troupe trust", does: "trust the file as it is" },
    { call: "troupe trust --revoke", does: "withdraw that" },
  ],
  notes: [
    "Trust is for the file as it is: a changed file must be trusted again. Settings that only make things stricter apply without it.",
  ],

  async run({ values, json }, io) {
    const { cwd = ".", revoke, show } = values;
    const wish = revoke === true ? "revoke" : show === true ? "show" : "trust";
    const workspace = resolve(io.processInfo.cwd, String(cwd));
    const configuration = await readConfiguration(workspace, io.processInfo);
    const isTrusted = await carryOut(wish, configuration, io);
    const path = workspaceSettingsPath(workspace);
    if (json) io.out(jsonText(asJson(path, configuration, isTrusted), 2));
    else for (const line of asLines(oneLine(path), configuration, isTrusted)) io.out(line);
    return 0;
  },
};

/** Carries out the wish. Returns whether all of the file applies afterwards. */
async function carryOut(
  wish: "trust" | "show" | "revoke",
  { workspaceFile, loosenings, answer }: Configuration,
  { processInfo }: Io,
): Promise<boolean> {
  if (!workspaceFile) return false;
  if (wish === "show") return answer === "trusted";
  if (wish === "revoke") {
    await forgetAnswer(workspaceFile, processInfo);
    return false;
  }
  if (loosenings.length > 0) await recordAnswer(workspaceFile, "trusted", processInfo);
  return true;
}

function asJson(
  path: string,
  { workspaceFile, loosenings }: Configuration,
  isTrusted: boolean,
): object {
  return {
    path,
    exists: workspaceFile !== undefined,
    sha256: workspaceFile?.sha256 ?? null,
    loosens: loosenings.flatMap(({ lines }) => lines),
    trusted: isTrusted,
  };
}

function asLines(
  path: string,
  { workspaceFile, loosenings }: Configuration,
  isTrusted: boolean,
): string[] {
  if (!workspaceFile) return [`There is no ${path}: nothing to trust.`];
  if (loosenings.length === 0) {
    return [`${path} loosens none of your own settings: all of it applies.`];
  }
  const verb = isTrusted
    ? "is trusted. These settings apply"
    : "is not trusted. These settings are ignored";
  return [
    `${path} ${verb}:`,
    ...consentLines(loosenings).map((line) => `- ${line}`),
    isTrusted
      ? "`troupe trust --revoke` withdraws that. A changed file must be trusted again."
      : "`troupe trust` applies them.",
  ];
}
