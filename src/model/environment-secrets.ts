import { type ProviderConfiguration, providerKeys } from "./provider-settings.ts";

/** The secrets in the environment: keys, and credentials in the URLs of providers and proxies. */
export function environmentSecrets(configuration: ProviderConfiguration): string[] {
  const inUrls = Object.entries(configuration.env).flatMap(([name, url = ""]) => {
    const [user = "", ...password] = /(?:^|\/\/)([^/@]*)@/.exec(url)?.[1]?.split(":") ?? [];
    if (/_BASE_URL$/i.test(name)) return [user, ...password];
    // The name of a proxy's user is no secret, unless it is all there is: then it is a token.
    return /_PROXY$/i.test(name) ? (password.length > 0 ? password : [user]) : [];
  });
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
