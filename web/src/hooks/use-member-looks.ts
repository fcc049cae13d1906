import { useMemo } from "preact/hooks";
import type { MemberView } from "../../../src/protocol/dashboard.ts";
import type { Page } from "../state/page.ts";
import { useStore } from "../state/store.ts";

export type MemberColors = ReadonlyMap<string, Pick<MemberView, "name" | "role" | "color">>;

/** The members of the team and their colours. The object is the same until they change. */
export function useMemberLooks(page: Page): MemberColors {
  const key = useStore(page.room, (room) =>
    [...(room?.members.values() ?? [])]
      .map(({ name, role, color }) => `${name}\t${color}\t${role}`)
      .join("\n"),
  );
  // The key changes whenever the members or their colours change.
  return useMemo(() => new Map(page.room.value?.members), [page, key]);
}
