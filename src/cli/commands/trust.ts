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
  summary: "Consent to what troupe.json here permits beyond your own settings, and see what it is",
  parameters: [],
  options: {
    show: { summary: "only show what would be consented to" },
    revoke: { summary: "take the consent back" },
    cwd: { takes: "<directory>", summary: "the workspace; this directory unless said" },
    json: { summary: "as JSON" },
  },
  examples: [
    { call: "troupe trust --show", does: "look first: nothing is consented to" },
    { call: "troupe trust", does: "consent to the file as it is" },
    { call: "troupe trust --revoke", does: "take that back" },
  ],
  notes: [
    "Consent is for the file as it is: when it changes, it is needed again. What only makes things stricter holds without.",
  ],

  async run({ values, json }, io) {
    const { cwd = ".", revoke, show } = values;
    const wish = revoke === true ? "revoke" : show === true ? "show" : "trust";
    const workspace = resolve(io.surroundings.cwd, String(cwd));
    const configuration = await readConfiguration(workspace, io.surroundings);
    const isTrusted = await carryOut(wish, configuration, io);
    const path = workspaceSettingsPath(workspace);
    if (json) io.out(jsonText(asJson(path, configuration, isTrusted), 2));
    else for (const line of asLines(oneLine(path), configuration, isTrusted)) io.out(line);
    return 0;
  },
};

/** Does what the person wants; true where all of the file is in force then. */
async function carryOut(
  wish: "trust" | "show" | "revoke",
  { workspaceFile, loosenings, answer }: Configuration,
  { surroundings }: Io,
): Promise<boolean> {
  if (!workspaceFile) return false;
  if (wish === "show") return answer === "trusted";
  if (wish === "revoke") {
    await forgetAnswer(workspaceFile, surroundings);
    return false;
  }
  if (loosenings.length > 0) await recordAnswer(workspaceFile, "trusted", surroundings);
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
  if (!workspaceFile) return [`There is no ${path}: nothing to consent to.`];
  if (loosenings.length === 0) {
    return [`${path} permits nothing beyond your own settings: all of it is in force.`];
  }
  const verb = isTrusted ? "is trusted as it is. In force by that" : "is not trusted. Not in force";
  return [
    `${path} ${verb}:`,
    ...consentLines(loosenings).map((line) => `- ${line}`),
    isTrusted
      ? "`troupe trust --revoke` takes it back; when the file changes, consent is needed again."
      : "`troupe trust` consents to it.",
  ];
}
