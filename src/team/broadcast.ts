import { TeamError } from "../errors.ts";
import type { MemberName } from "../protocol/ids.ts";
import type { Supervisor } from "./supervisor.ts";

/** Writes to all living members but the sender. Resolves to their number. */
export async function broadcast(
  { members, protocols }: Supervisor,
  from: MemberName,
  content: string,
): Promise<number> {
  const recipients = members.living.map(({ name }) => name).filter((name) => name !== from);
  const sent = await Promise.all(
    recipients.map(async (to) => {
      try {
        await protocols.post.send(to, { type: "broadcast", from, content });
        return 1;
      } catch (error) {
        // The member ended in this very moment.
        if (!(error instanceof TeamError) || !error.code.startsWith("member-")) throw error;
        return 0;
      }
    }),
  );
  return sent.reduce<number>((sum, each) => sum + each, 0);
}
