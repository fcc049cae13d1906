import { readFileSync } from "node:fs";
import { z } from "zod";
import { hasErrno } from "../errors.ts";
import { decoded } from "../lib/decoded.ts";
import { readJson } from "../lib/read-json.ts";
import { secretsInUrl } from "../lib/secrets-in-url.ts";
import { type ProviderConfiguration, providerKeys, secretFileNames } from "./provider-settings.ts";

/** The secrets in the environment: keys, and credentials in the URLs of providers and proxies. */
export function environmentSecrets(configuration: ProviderConfiguration): string[] {
  const inUrls = Object.entries(configuration.env).flatMap(([name, url = ""]) => {
    const isProxy = /_PROXY$/i.test(name);
    return isProxy || isAddress(name) ? secretsInUrl(url, { isProxy }) : [];
  });
  const inFiles = secretFileNames().flatMap((name) => secretsInFile(configuration.env[name]));
  const inHeaders = telemetryHeaderNames.flatMap((name) =>
    secretsInHeaders(configuration.env[name]),
  );
  return [...providerKeys(configuration), ...inUrls, ...inFiles, ...inHeaders];
}

/** The variables whose headers let telemetry into a collector: no command of a member needs them. */
export const telemetryHeaderNames = [
  "OTEL_EXPORTER_OTLP_HEADERS",
  "OTEL_EXPORTER_OTLP_TRACES_HEADERS",
  "OTEL_EXPORTER_OTLP_METRICS_HEADERS",
] as const;

/** The values of `name=value,name=value`, as they are written and as they are sent; of `Bearer key` also the key. */
function secretsInHeaders(text = ""): string[] {
  const values = text.split(",").map((pair) => pair.slice(pair.indexOf("=") + 1).trim());
  return values
    .flatMap((value) => [value, decoded(value)])
    .flatMap((value) => [value, value.replace(/^(Basic|Bearer)\s+/i, "")])
    .filter((value) => value !== "");
}

/** Whether a variable has the address of a provider, or of a collector of telemetry. */
function isAddress(name: string): boolean {
  if (/^OTEL_EXPORTER_OTLP_(TRACES_|METRICS_)?ENDPOINT$/.test(name)) return true;
  return /_BASE_URL$/i.test(name) || name === "OLLAMA_HOST" || name.startsWith("AWS_ENDPOINT_URL");
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
