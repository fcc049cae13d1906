import { secretsInUrl } from "../lib/secrets-in-url.ts";
import { expandMcpServer, type McpServers, type ServerVariables } from "../protocol/mcp-servers.ts";

/**
 * What the entries of servers have that must not be stored or shown: the values of headers and variables, without those that
 * are plainly no secrets, and what an address has of credentials.
 */
export function serverSecrets(servers: McpServers, variables: ServerVariables): string[] {
  return Object.values(servers).flatMap((entry) => {
    const expanded = expandMcpServer(entry, variables);
    // A server with a variable that is not set is never started.
    if (!("server" in expanded)) return [];
    const { server } = expanded;
    if (!("url" in server)) return namedSecrets(server.env);
    return [...secretsInAddress(server.url), ...namedSecrets(server.headers)];
  });
}

function namedSecrets(values: Readonly<Record<string, string>> = {}): string[] {
  return Object.entries(values).flatMap(([name, value]) => secretsInValue(name, value));
}

/** The value and its parts: of `Bearer abc`, a server may repeat only `abc`. */
function secretsInValue(name: string, value: string): string[] {
  if (isAddress(value)) return secretsInAddress(value);
  const words = value.trim().split(/[\s;,]+/);
  const parts = [
    value.trim(),
    ...words,
    ...words.map((word) => word.replace(/^[\w.-]+=(?=.)/, "")),
  ];
  const last = saysSecret.test(name) ? [value, words.at(-1) ?? ""] : [];
  return [...last, ...parts.filter((part) => !isOrdinary(part))];
}

function secretsInAddress(url: string): string[] {
  const query = /\?([^#]*)/.exec(url)?.[1] ?? "";
  const parameters = [...new URLSearchParams(query)].map(([, value]) => value);
  const secrets = parameters.filter((value) => !isOrdinary(value) && !isAddress(value));
  return [
    ...secretsInUrl(url, { isProxy: false }).filter((text) => !isOrdinary(text)),
    ...secretsInUrl(url, { isProxy: true }).filter((text) => text !== ""),
    ...secrets.flatMap((value) => [value, encodeURIComponent(value)]),
  ];
}

/** Names of values that are secrets, whatever they look like. A path to a file of them is none. */
const saysSecret =
  /(token|secret|password|passwd|passphrase|api[-_]?key|access[-_]?key|private[-_]?key|authorization|cookie)$/i;

function isAddress(text: string): boolean {
  return /^[a-z][a-z0-9+.-]*:\/\//i.test(text);
}

/** Words, numbers and paths: they stand in many texts, which would be unreadable without them. */
function isOrdinary(text: string): boolean {
  const isPath = /^(~|\.{1,2})?\//.test(text);
  const parts = text.split(/[-_.,:;/@+=\s]+/);
  return isPath || parts.every((part) => /^([a-z]{0,24}|\d{0,12}|[a-z\d]{0,4})$/i.test(part));
}
