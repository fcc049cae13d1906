import { useEffect, useState } from "preact/hooks";
import type { Page } from "../../state/page.ts";
import { type Kind, kinds } from "./kinds.ts";

interface FiltersProps {
  page: Page;
  member: string | null;
  names: readonly string[];
  chosen: ReadonlySet<Kind>;
  onKinds(kinds: ReadonlySet<Kind>): void;
  search: string;
  onSearch(search: string): void;
}

export function MessageFilters(props: FiltersProps) {
  const { page, member, names, chosen, onKinds } = props;
  const toggle = (kind: Kind) => {
    const others = new Set(chosen);
    if (!others.delete(kind)) others.add(kind);
    onKinds(others);
  };
  return (
    <search class="message-filters" aria-label="Filter messages">
      <select
        aria-label="Only from or to"
        value={member ?? ""}
        onChange={(event) =>
          page.go({ view: "messages", member: event.currentTarget.value || null })
        }
      >
        <option value="">Everybody</option>
        {names.map((name) => (
          <option key={name} value={name}>
            {name}
          </option>
        ))}
      </select>
      <SearchField value={props.search} onSearch={props.onSearch} />
      <fieldset class="message-kinds">
        <legend class="hidden">Kinds of messages</legend>
        {kinds.map(({ kind, label }) => (
          <button
            key={kind}
            type="button"
            class="message-kind"
            aria-pressed={chosen.has(kind)}
            onClick={() => toggle(kind)}
          >
            {label}
          </button>
        ))}
      </fieldset>
    </search>
  );
}

/** So long nothing is typed before it is searched for. */
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
