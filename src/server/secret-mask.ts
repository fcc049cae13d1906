import { homedir } from "node:os";
import type { ProviderDefinitions } from "../model/provider-definitions.ts";
import type { EnvironmentVariables } from "../model/provider-settings.ts";
import { systemEnvironment } from "../team/system-place.ts";
import type { SecretMask } from "./export/mask-secrets.ts";

/** Where the secrets are known from that must not be shown. */
export interface SecretSources {
  /** Variables that may hold keys and credentials (default: those of this process). */
  env?: EnvironmentVariables | undefined;
  /** Model providers besides the built-in ones: their keys are secrets, too. */
  providers?: ProviderDefinitions | undefined;
  /** A directory whose path becomes `~` (default: the home of this user). */
  home?: string | undefined;
}

/**
 * Masks texts that others are to read: the keys in the environment, all that looks like a key, a token or a password, and the
 * path of the person's home. It cannot find every secret.
 */
export async function secretMask({
  env = systemEnvironment(),
  providers,
  home = homedir(),
}: SecretSources = {}): Promise<SecretMask> {
  const { SecretMask } = await import("./export/mask-secrets.ts");
  const { environmentSecrets } = await import("../model/environment-secrets.ts");
  return new SecretMask({ known: environmentSecrets({ env, providers }), home });
}
