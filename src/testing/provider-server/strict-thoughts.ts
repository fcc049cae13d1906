import type { ProviderRequest } from "./provider-api.ts";

/** A thought that was sent to a client. */
export interface SentThought {
  readonly text: string;
  /** The model that had it. */
  readonly model: string;
  /** All that the model had been shown. */
  readonly prefix: string;
}

/** The thoughts that were sent, by what seals them: a signature, or encrypted content. */
export type SentThoughts = ReadonlyMap<string, SentThought>;

/** All that a request shows to the model, up to one of its messages; marks for caches do not count. */
export function prefixOf({ body }: Pick<ProviderRequest, "body">, messages?: number): string {
  const shown = [body.system, body.tools, body.messages.slice(0, messages)];
  return JSON.stringify(shown, (key, value) => (key === "cache_control" ? undefined : value));
}
