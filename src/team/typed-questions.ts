import { randomUUID } from "node:crypto";
import { system } from "../protocol/ids.ts";
import { unlessDecided } from "../requests/requests.ts";
import type { TeamStore } from "./team-store.ts";

const prefix = "typed-";

/** The id of a call that is made while a text of the person is prepared. */
export function newTypedCallId(): string {
  return `${prefix}${randomUUID()}`;
}

/** Withdraws what a process that was killed has asked about such calls: the texts that wanted them are gone. */
export async function withdrawTypedQuestions({
  requests,
}: Pick<TeamStore, "requests">): Promise<void> {
  const open = await requests.list({ type: "permission", state: "pending" });
  for (const { id, type, subject } of open) {
    if (type !== "permission" || !subject.call_id?.startsWith(prefix)) continue;
    await unlessDecided(requests.cancel(id, system, "the text that asked for it is gone"));
  }
}
