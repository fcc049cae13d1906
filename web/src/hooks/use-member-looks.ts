import { useMemo } from "preact/hooks";
import type { MemberView } from "../../../src/protocol/dashboard.ts";
import type { Page } from "../state/page.ts";
import { useStore } from "../state/store.ts";

export type MemberLooks = ReadonlyMap<string, Pick<MemberView, "name" | "role" | "color">>;

/** Who is in the team and in what colour: the same object as long as that does not change. */
export function useMemberLooks(page: Page): MemberLooks {
  const key = useStore(page.room, (room) =>
    [...(room?.members.values() ?? [])]
      .map(({ name, role, color }) => `${name}\t${color}\t${role}`)
      .join("\n"),
  );
  // The key says what is in the cast.
  return useMemo(() => new Map(page.room.value?.members), [page, key]);
}
