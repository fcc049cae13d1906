import type {
  MemberView,
  MessageView,
  RequestView,
  RoomChange,
  RoomState,
  TaskView,
} from "../../../src/protocol/dashboard.ts";

/**
 * The team as the page knows it. Unchanged parts keep their identity, so that they are not rendered
 * again.
 */
export interface KnownRoom extends Omit<RoomState, "members" | "tasks" | "requests" | "messages"> {
  /** The lead first, then as they joined. */
  members: ReadonlyMap<string, MemberView>;
  tasks: ReadonlyMap<string, TaskView>;
  requests: ReadonlyMap<string, RequestView>;
  /** The newest messages, in the order of sending. */
  messages: readonly MessageView[];
}

/** How many messages are kept, apart from older ones that the person has loaded. */
const keptMessages = 1_000;

export function roomOf(state: RoomState): KnownRoom {
  return {
    ...state,
    members: byKey(state.members, ({ name }) => name),
    tasks: byKey(state.tasks, ({ id }) => id),
    requests: byKey(state.requests, ({ id }) => id),
    messages: mergedMessages([], state.messages),
  };
}

/** The room after `change`. Applying a change twice has the same result. */
export function changedRoom(room: KnownRoom, change: RoomChange): KnownRoom {
  return {
    ...room,
    ...(change.running !== undefined && { running: change.running }),
    ...(change.rules && { rules: change.rules }),
    ...(change.landings && { landings: change.landings }),
    ...(change.problems && { problems: change.problems }),
    ...(change.members && { members: merged(room.members, change.members, ({ name }) => name) }),
    ...(change.tasks && { tasks: merged(room.tasks, change.tasks, ({ id }) => id) }),
    ...(change.requests && { requests: merged(room.requests, change.requests, ({ id }) => id) }),
    ...(change.messages && {
      messages: mergedMessages(room.messages, change.messages).slice(-keptMessages),
    }),
  };
}

/** Both lists merged, in the order of sending. If an id is in both, the newer message is used. */
function mergedMessages(
  known: readonly MessageView[],
  more: readonly MessageView[],
): MessageView[] {
  const byId = byKey(known, ({ id }) => id);
  for (const message of more) byId.set(message.id, message);
  return [...byId.values()].sort(bySending);
}

function bySending(a: MessageView, b: MessageView): number {
  // Lines that were set aside have no time and come last.
  const [first, second] = [a.sent_at ?? "~", b.sent_at ?? "~"];
  if (first !== second) return first < second ? -1 : 1;
  return a.id < b.id ? -1 : a.id > b.id ? 1 : 0;
}

function byKey<T>(items: readonly T[], key: (item: T) => string): Map<string, T> {
  return new Map(items.map((item) => [key(item), item]));
}

function merged<T>(
  known: ReadonlyMap<string, T>,
  more: readonly T[],
  key: (item: T) => string,
): ReadonlyMap<string, T> {
  const all = new Map(known);
  for (const item of more) all.set(key(item), item);
  return all;
}
