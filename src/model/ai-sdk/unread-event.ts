import { z } from "zod";
import { parseOrKeep } from "./error-words.ts";

/** The SDK's error for an event that is not in the provider's format. */
const Unread = z.object({ name: z.literal("AI_TypeValidationError"), value: z.unknown() });

/**
 * The event that the SDK could not read, as JSON; undefined if something else has failed. `body` is
 * that of the SDK's error, which for the first event of a reply can be such an error again.
 */
export function unreadEvent(error: unknown, body: string | undefined): string | undefined {
  const inBody = body === undefined ? undefined : parseOrKeep(body);
  const read = [error, inBody].map((each) => Unread.safeParse(each).data);
  const value = read.find((each) => each !== undefined)?.value;
  return value === undefined ? undefined : JSON.stringify(value);
}
