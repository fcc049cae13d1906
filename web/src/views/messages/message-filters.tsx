import { useEffect, useState } from "preact/hooks";
import type { MessageGroup } from "../../../../src/protocol/message-types.ts";
import type { Page } from "../../state/page.ts";
import type { Filter } from "./filter.ts";
import { messageGroups } from "./message-groups.ts";

interface MessageFiltersProps {
  page: Page;
  filter: Filter;
  names: readonly string[];
  onGroups(groups: ReadonlySet<MessageGroup>): void;
  onSearch(search: string): void;
}

export function MessageFilters(props: MessageFiltersProps) {
  const { page, filter, names, onGroups } = props;
  const chosen = filter.groups;
  const toggle = (group: MessageGroup) => {
    const others = new Set(chosen);
    if (!others.delete(group)) others.add(group);
    onGroups(others);
  };
  return (
    <search class="view-filters" aria-label="Filter messages">
      <MemberSelect page={page} member={filter.member} names={names} />
      <SearchField value={filter.search} onSearch={props.onSearch} />
      <fieldset class="choices">
        <legend class="hidden">Kinds of messages</legend>
        {messageGroups.map(({ group, label }) => (
          <button
            key={group}
            type="button"
            class="choice"
            aria-pressed={chosen.has(group)}
            onClick={() => toggle(group)}
          >
            {label}
          </button>
        ))}
      </fieldset>
    </search>
  );
}

interface MemberSelectProps extends Pick<MessageFiltersProps, "page" | "names"> {
  member: string | null;
}

function MemberSelect({ page, member, names }: MemberSelectProps) {
  return (
    <select
      aria-label="Only from or to"
      value={member ?? ""}
      onChange={(event) => page.go({ view: "messages", member: event.currentTarget.value || null })}
    >
      <option value="">Everybody</option>
      {names.map((name) => (
        <option key={name} value={name}>
          {name}
        </option>
      ))}
    </select>
  );
}

/** The search starts this long after the last key press. */
const pauseMs = 250;

function SearchField({ value, onSearch }: { value: string; onSearch(search: string): void }) {
  const [text, setText] = useState(value);
  useEffect(() => {
    if (text === value) return;
    const timer = setTimeout(() => onSearch(text), pauseMs);
    return () => clearTimeout(timer);
  }, [text, value, onSearch]);
  return (
    <input
      type="search"
      class="message-search"
      placeholder="Search all messages"
      aria-label="Search all messages"
      maxLength={200}
      value={text}
      onInput={(event) => setText(event.currentTarget.value)}
    />
  );
}
