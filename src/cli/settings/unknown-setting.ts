import { TeamError } from "../../errors.ts";
import { nearest } from "../nearest.ts";
import { SettingName } from "./settings.ts";

/** The error for a key that a settings file cannot have, with where it belongs. */
export function unknownSetting(key: string, path: string): TeamError {
  const words = key
    .replace(/([a-z0-9])([A-Z])/g, "$1-$2")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-");
  if (neverInFiles.test(words)) {
    return new TeamError("config-invalid", `${path}: "${key}" cannot be set in a file`, {
      hint: 'Keys, hooks and variables come only from the environment: set variables such as ANTHROPIC_API_KEY or ANTHROPIC_BASE_URL, or give a file of them with --env-file. Another provider is defined under "providers".',
    });
  }
  if (onlyFlags.has(words)) {
    return new TeamError(
      "config-invalid",
      `${path}: "${key}" can only be set on the command line`,
      {
        hint: `Use --${words}.`,
      },
    );
  }
  const meant = nearest(key, SettingName.options);
  return new TeamError("config-invalid", `${path}: "${key}" is not a setting`, {
    hint: `${meant ? `Did you mean "${meant}"? ` : ""}Settings: ${SettingName.options.join(", ")}.`,
  });
}

/** Settings by which a repository could send keys elsewhere or run programs. */
const neverInFiles =
  /(^|-)(api-?keys?|keys?|tokens?|secrets?|passwords?|credentials?|auth|base-?urls?|urls?|uri|endpoints?|hosts?|proxy|proxies|headers?|env|envs|env-file|environment|dotenv|hooks?|providers?|mcp|mcp-servers|shell|commands?|plugins?)(-|$)/;

const onlyFlags: ReadonlySet<string> = new Set([
  ...["cwd", "fresh", "take-over", "record", "team-dir", "output", "json", "debug", "plain"],
  ...["web", "help"],
]);
