import { decoded } from "./decoded.ts";

/** The name and password in an address, in all forms that a text may have them in. */
export function secretsInUrl(url: string, { isProxy }: { isProxy: boolean }): string[] {
  // An `@` in a password is often not escaped: the last one ends it.
  const credentials = /^(?:[a-z][a-z0-9+.-]*:\/\/)?([^/?#]*)@/i.exec(url)?.[1] ?? "";
  const [user = "", ...rest] = credentials.split(":");
  const password = rest.join(":");
  // The name of a proxy's user is no secret, unless it is all there is: then it is a token.
  const secret = isProxy && password !== "" ? [password] : [user, password];
  return secret.flatMap((text) => [text, decoded(text), encodeURIComponent(decoded(text))]);
}
