import { useMemo, useRef } from "preact/hooks";
import type { MemberView } from "../../../src/protocol/dashboard.ts";
import {
  cssColor,
  filteredNames,
  type MemberStanding,
  standingWords,
  waitingText,
} from "../state/members.ts";
import { usePageContext, useRoom, useRoomList } from "../state/page-context.ts";
import { hashOf } from "../state/route.ts";
import { useStore } from "../state/store.ts";
import "../styles/rail.css";
import { FilterBox } from "./filter-box.tsx";
import { Ago, Clock, StandingMark } from "./member.tsx";
import { type SeenMember, useMember } from "./use-member.ts";

/** Every member at a glance, always in the order of the roster. */
export function Rail() {
  const pageContext = usePageContext();
  const filter = useStore(pageContext.filter, (value) => value);
  const names = useRoomList((room) => filteredNames(room, filter));
  const total = useRoom(({ members }) => members.size) ?? 0;
  return (
    <nav class="rail" aria-label="Members">
      <h2>
        Members{" "}
        <span class="clock soft">
          {names.length === total ? total : `${names.length} of ${total}`}
        </span>
      </h2>
      <FilterBox label="Filter the members in the list" />
      <ul class="rail-list">
        {names.map((name) => (
          <RailMember key={name} name={name} />
        ))}
      </ul>
      {names.length === 0 && total > 0 && <p class="empty">No member matches the filter.</p>}
    </nav>
  );
}

function RailMember({ name }: { name: string }) {
  const { page } = usePageContext();
  const element = useRef<HTMLLIElement>(null);
  const seen = useMember(name, element);
  const isShown = useStore(page.route, (route) => route.view === "member" && route.name === name);
  const inside = useMemo(
    () => seen && <RailLines {...seen} />,
    [seen?.member, seen?.standing, seen?.isAsking],
  );
  return (
    <li ref={element} class="rail-member">
      <a
        href={hashOf({ view: "member", name })}
        data-member={name}
        aria-current={isShown ? "page" : undefined}
      >
        {inside}
      </a>
    </li>
  );
}

function RailLines({ member, standing, isAsking }: SeenMember) {
  const doing = standing === "working" ? member.doing : null;
  return (
    <>
      <StandingMark standing={standing} isAsking={isAsking} />
      <span class="rail-name" style={{ color: cssColor(member.color) }}>
        {member.name}
      </span>
      <span class="rail-side">
        {member.unread > 0 && (
          <span class="unread" title="Unread mail">
            {member.unread}
            <span class="hidden"> unread</span>
          </span>
        )}
        {doing ? (
          <Clock since={doing.since} />
        ) : (
          member.last_activity && <Ago at={member.last_activity} />
        )}
      </span>
      <span class="rail-doing">{glanceOf(member, standing)}</span>
    </>
  );
}

/** The most important fact about a member, for a compact display. */
function glanceOf({ doing, waits_for, role }: MemberView, standing: MemberStanding): string {
  if (waits_for !== null) return waitingText(waits_for);
  if (standing === "working" && doing) return [doing.tool, doing.text].filter(Boolean).join(" ");
  return `${standingWords[standing]} · ${role}`;
}
