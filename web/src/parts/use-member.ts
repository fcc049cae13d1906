import type { RefObject } from "preact";
import { useEffect, useReducer, useRef } from "preact/hooks";
import type { MemberView } from "../../../src/protocol/dashboard.ts";
import { type MemberStanding, standingOf } from "../state/members.ts";
import { usePageContext, useRoom } from "../state/page-context.ts";
import { useStore } from "../state/store.ts";

export interface SeenMember {
  member: MemberView;
  standing: MemberStanding;
  isAsking: boolean;
}

/**
 * A member for an element with `content-visibility: auto`. While the browser skips the element, the
 * member stays the same, so that a hidden element is not rendered again.
 */
export function useMember(name: string, element: RefObject<HTMLElement | null>): SeenMember | null {
  const isSkipped = useSkipped(element);
  const last = useRef<MemberView | null>(null);
  const member = useRoom(({ members }) => {
    if (!isSkipped.current || last.current === null) last.current = members.get(name) ?? null;
    return last.current;
  });
  const isRunning = useRoom((room) => room.running !== null) ?? false;
  const isAsking = useStore(usePageContext().asking, (asking) => asking.has(name));
  return member && { member, standing: standingOf(member.status, isRunning), isAsking };
}

function useSkipped(element: RefObject<HTMLElement | null>): RefObject<boolean> {
  const isSkipped = useRef(false);
  const [, redraw] = useReducer((count: number) => count + 1, 0);
  useEffect(() => {
    const shown = element.current;
    const onChange = (event: Event) => {
      // A browser without this event renders everything.
      isSkipped.current = event instanceof ContentVisibilityAutoStateChangeEvent && event.skipped;
      if (!isSkipped.current) redraw(0);
    };
    shown?.addEventListener("contentvisibilityautostatechange", onChange);
    return () => shown?.removeEventListener("contentvisibilityautostatechange", onChange);
  }, [element]);
  return isSkipped;
}
