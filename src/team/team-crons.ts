import { CronTable } from "../crons/cron-table.ts";
import { TeamError } from "../errors.ts";
import { lead, type MemberName, outside, system } from "../protocol/ids.ts";
import type { Equipment } from "./equipment.ts";
import { findRecipient } from "./find-member.ts";
import { messageIdFor } from "./message-id-for.ts";
import type { Supervisor } from "./supervisor.ts";

/** The lead's tools are made before the crons are opened, which may write to members at once. */
export class LateTable {
  table: CronTable | undefined;

  schedule: CronTable["schedule"] = (entry) => this.#opened.schedule(entry);
  list: CronTable["list"] = () => this.#opened.list();
  cancel: CronTable["cancel"] = (id) => this.#opened.cancel(id);

  get #opened(): CronTable {
    if (this.table) return this.table;
    throw new Error("The crons are not open yet");
  }
}

/** Opens the timetable of the team, which sends what is due. */
export function openCrons(
  { store, place }: Pick<Equipment, "store" | "place">,
  { protocols }: Pick<Supervisor, "protocols">,
): Promise<CronTable> {
  const { post, keeper } = protocols;
  const requireMember = async (name: MemberName) => findRecipient(await keeper.read(), name);
  return CronTable.open({
    book: store.crons,
    clock: place.clock,
    requireMember,
    onWarning: place.onWarning,
    async fire({ entry, at }) {
      const to = await requireMember(entry.member).catch((error: unknown) => {
        // The member has ended: the lead decides about the prompt.
        if (error instanceof TeamError) return lead;
        throw error;
      });
      await post.send(to, {
        id: messageIdFor(`cron ${entry.id} ${at.toISOString()}`, at),
        type: "message",
        from: entry.created_by === outside ? outside : system,
        content: entry.prompt,
        cron_id: entry.id,
      });
    },
  });
}
