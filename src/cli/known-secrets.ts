import { type ProviderConfiguration, providerKeys } from "../model/provider-settings.ts";

/** What must never be shown of the environment: keys, and what somebody put into a base URL. */
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
