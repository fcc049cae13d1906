import { join, resolve } from "node:path";
import { TeamError } from "../../errors.ts";
import { Secrets } from "../../lib/secrets.ts";
import { environmentSecrets } from "../../model/environment-secrets.ts";
import { type Command, type Io, lookOptions } from "../command.ts";
import { type NamedFinding, runChecks } from "../doctor/check.ts";
import { chosenModel, configurationChecks, findConfiguration } from "../doctor/configuration.ts";
import { machineChecks } from "../doctor/machine.ts";
import { mcpServerChecks } from "../doctor/mcp-servers.ts";
import { programChecks } from "../doctor/programs.ts";
import { providerChecks } from "../doctor/providers.ts";
import { teamChecks } from "../doctor/team-directory.ts";
import { jsonText } from "../render/json-text.ts";
import { oneLine } from "../render/one-line.ts";
import { providersIn } from "../settings/configuration.ts";
import { environmentWith } from "../settings/env-file.ts";
import { placeOptions } from "../settings/flags.ts";

export const doctor: Command = {
  name: "doctor",
  group: "set up",
  summary: "Check what is installed, configured and missing; exits 1 if there is a problem",
  parameters: [],
  options: { ...placeOptions, ...lookOptions },
  examples: [
    { call: "troupe doctor", does: "one line per check, and what to do about problems" },
    { call: "troupe doctor --env-file keys.env", does: "with the keys from a file" },
    { call: "troupe doctor --json | jq .ok", does: "true or false, for a script" },
  ],
  notes: [
    "Each configured provider is asked for its list of models, to check its key. No key is printed.",
  ],

  async run({ values, json, teamDir }, io) {
    const { cwd = ".", "env-file": envFile } = values;
    const { processInfo } = io;
    const workspace = resolve(processInfo.cwd, String(cwd));
    const env = await environmentWith(
      envFile === undefined ? undefined : String(envFile),
      processInfo,
    );
    const teamDirectory = teamDir ? resolve(processInfo.cwd, teamDir) : join(workspace, ".team");
    const configuration = await findConfiguration(workspace, processInfo);
    const model = chosenModel(env, configuration)?.id;
    const isWrong = configuration instanceof TeamError;
    const accounts = { env, providers: isWrong ? {} : providersIn(configuration) };
    const findings = await runChecks(
      [
        ...programChecks(accounts, workspace),
        ...configurationChecks({ ...accounts, workspace, processInfo, configuration }),
        ...providerChecks(accounts, model),
        ...mcpServerChecks({ workspace, processInfo: { ...processInfo, env } }),
        ...teamChecks(teamDirectory, io),
        ...machineChecks({ teamDirectory, workspace, processInfo, terminal: io.terminal }),
      ],
      io,
    );
    const secrets = new Secrets(environmentSecrets(accounts));
    return tell(secrets.maskJson(findings), { json }, io);
  },
};

function tell(findings: readonly NamedFinding[], { json }: { json: boolean }, io: Io): number {
  const problems = findings.filter(({ state }) => state === "problem").length;
  if (json) io.out(jsonText({ ok: problems === 0, checks: findings }, 2));
  else for (const line of asLines(findings, problems)) io.out(line);
  return problems === 0 ? 0 : 1;
}

function asLines(findings: readonly NamedFinding[], problems: number): string[] {
  const lines = findings.flatMap(({ name, state, text, remedy }) => [
    oneLine(`${state.padEnd(stateWidth)}${name}: ${text}`),
    ...(remedy ? [`${" ".repeat(stateWidth)}→ ${oneLine(remedy)}`] : []),
  ]);
  const sum = problems === 1 ? "1 problem." : `${problems} problems.`;
  return [...lines, problems === 0 ? "No problems." : sum];
}

const stateWidth = "problem  ".length;
