import { type ProviderConfiguration, providerKeys } from "../model/provider-settings.ts";

/** The secrets in the environment: keys, and credentials in base URLs. */
export function environmentSecrets(configuration: ProviderConfiguration): string[] {
  const { env } = configuration;
  const inUrls = Object.entries(env)
    .filter(([name]) => name.endsWith("_BASE_URL"))
    .flatMap(([, url = ""]) => /\/\/([^/@]*)@/.exec(url)?.[1]?.split(":") ?? []);
  return [...providerKeys(configuration), ...inUrls.flatMap((text) => [text, decoded(text)])];
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch (error) {
    if (!(error instanceof URIError)) throw error;
    return text;
  }
}
