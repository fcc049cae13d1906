import { FilterBox } from "../../parts/filter-box.tsx";
import { filteredNames } from "../../state/members.ts";
import { usePageContext, useRoom, useRoomList } from "../../state/page-context.ts";
import { useStore } from "../../state/store.ts";
import "../../styles/room.css";
import { Activity } from "./activity.tsx";
import { MemberCard } from "./member-card.tsx";

/** The overview: all members, the newest messages and the most important tasks. */
export function RoomView() {
  const filter = useStore(usePageContext().filter, (value) => value);
  const names = useRoomList((room) => filteredNames(room, filter));
  const hasMembers = useRoom(({ members }) => members.size > 0);
  return (
    <div class="room">
      <section class="room-members" aria-label="Members">
        <h2 class="hidden">Members</h2>
        <div class="narrow-only">
          <FilterBox label="Filter the members in the overview" />
        </div>
        <ul class="cards">
          {names.map((name) => (
            <MemberCard key={name} name={name} />
          ))}
        </ul>
        {names.length === 0 && (
          <p class="empty">{hasMembers ? "No member matches the filter." : "No members yet."}</p>
        )}
      </section>
      <Activity />
    </div>
  );
}
