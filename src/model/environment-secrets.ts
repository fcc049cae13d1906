import { readFileSync } from "node:fs";
import { z } from "zod";
import { hasErrno } from "../errors.ts";
import { decoded } from "../lib/decoded.ts";
import { readJson } from "../lib/read-json.ts";
import { type ProviderConfiguration, providerKeys, secretFileNames } from "./provider-settings.ts";

/** The secrets in the environment: keys, and credentials in the URLs of providers and proxies. */
export function environmentSecrets(configuration: ProviderConfiguration): string[] {
  const inUrls = Object.entries(configuration.env).flatMap(([name, url = ""]) => {
    const [user = "", ...password] = /(?:^|\/\/)([^/@]*)@/.exec(url)?.[1]?.split(":") ?? [];
    if (/_BASE_URL$/i.test(name)) return [user, ...password];
    // The name of a proxy's user is no secret, unless it is all there is: then it is a token.
    return /_PROXY$/i.test(name) ? (password.length > 0 ? password : [user]) : [];
  });
  const inFiles = secretFileNames().flatMap((name) => secretsInFile(configuration.env[name]));
  const decodedToo = inUrls.flatMap((text) => [text, decoded(text)]);
  return [...providerKeys(configuration), ...decodedToo, ...inFiles];
}

const Credentials = z.object({
  private_key: z.string().default(""),
  client_secret: z.string().default(""),
  refresh_token: z.string().default(""),
});

/** The secrets in a file of Google's credentials. Without such a file there are none. */
function secretsInFile(path: string | undefined): string[] {
  if (!path) return [];
  try {
    const found = Credentials.safeParse(readJson(readFileSync(path, "utf8"))).data;
    // Line by line: in texts they are separated by line breaks or by their escapes.
    const lines = found?.private_key.split("\n").filter((line) => !line.startsWith("-----")) ?? [];
    return found ? [...lines, found.client_secret, found.refresh_token] : [];
  } catch (error) {
    // The package reports a file that cannot be read.
    if (error instanceof SyntaxError || hasErrno(error, "ENOENT", "EACCES", "EISDIR")) return [];
    throw error;
  }
}
