import { useEffect, useRef, useState } from "preact/hooks";
import type { MessageView } from "../../../../src/protocol/dashboard.ts";
import { useFocusPassedOn } from "../../hooks/use-focus-passed-on.ts";
import { CloseIcon } from "../../parts/icons.tsx";
import { Prose } from "../../parts/prose.tsx";
import { cssColor } from "../../state/members.ts";
import type { Page } from "../../state/page.ts";
import { useStore } from "../../state/store.ts";
import { momentText } from "../../state/times.ts";
import { typeLabel } from "./message-groups.ts";
import type { MessageRow } from "./rows.ts";
import { fateText, rowHeadText } from "./words.ts";

interface MessageDetailProps {
  page: Page;
  row: MessageRow;
  onClose(): void;
}

/** All details of a message. */
export function MessageDetail({ page, row, onClose }: MessageDetailProps) {
  const [message, ...copies] = row.messages;
  const text = useWholeText(page, message);
  const element = useRef<HTMLElement>(null);
  useFocusPassedOn(element, () => document.querySelector<HTMLElement>(".sequence-canvas"));
  return (
    <aside class="detail" aria-label="Message" ref={element}>
      <header>
        <h2>{typeLabel(message.type)}</h2>
        <button type="button" class="tool" aria-label="Close" onClick={onClose}>
          <CloseIcon />
        </button>
      </header>
      <dl>
        <dt>From</dt>
        <dd>
          <Participant page={page} name={message.from} />
        </dd>
        <dt>To</dt>
        <dd>
          {copies.length === 0 ? (
            <Participant page={page} name={message.to} />
          ) : (
            `${row.messages.length} members, ${rowHeadText(row)}`
          )}
        </dd>
        <dt>Sent</dt>
        <dd>{message.sent_at === null ? "not known" : momentText(message.sent_at)}</dd>
        {copies.length === 0 && <Fate message={message} />}
        {Object.entries(message.facts).map(([name, fact]) => (
          <FactLine key={name} name={name} fact={fact} />
        ))}
      </dl>
      <Prose text={text.text || "No text."} />
      {text.note && <p class="message-note">{text.note}</p>}
      {copies.length > 0 && <Recipients page={page} row={row} />}
      {copies.length === 0 && <ToTranscript page={page} name={message.to} />}
    </aside>
  );
}

function Fate({ message }: { message: MessageView }) {
  return (
    <>
      <dt>Seen</dt>
      <dd data-state={message.state}>
        {message.seen_at !== null && `${momentText(message.seen_at)} · `}
        {fateText(message)}
      </dd>
    </>
  );
}

function FactLine({ name, fact }: { name: string; fact: string }) {
  return (
    <>
      <dt>{name.replaceAll("_", " ")}</dt>
      <dd>{fact}</dd>
    </>
  );
}

function Participant({ page, name }: { page: Page; name: string }) {
  const color = useStore(page.room, (room) => room?.members.get(name)?.color ?? null);
  return (
    <span class="message-participant" style={{ color: cssColor(color) }}>
      {name}
    </span>
  );
}

function Recipients({ page, row }: { page: Page; row: MessageRow }) {
  return (
    <ul class="message-recipients" aria-label="Recipients">
      {row.messages.map((message) => (
        <li key={message.id}>
          <button type="button" onClick={() => page.go({ view: "member", name: message.to })}>
            <Participant page={page} name={message.to} />
          </button>
          <span data-state={message.state}>{fateText(message)}</span>
        </li>
      ))}
    </ul>
  );
}

function ToTranscript({ page, name }: { page: Page; name: string }) {
  const isMember = useStore(page.room, (room) => room?.members.has(name) ?? false);
  if (!isMember) return null;
  return (
    <button type="button" class="button" onClick={() => page.go({ view: "member", name })}>
      Open {name}'s transcript
    </button>
  );
}

/** The known beginning of the text, and the whole text once it is loaded. */
function useWholeText(page: Page, message: MessageView): { text: string; note: string | null } {
  const { id, to, is_cut } = message;
  const [whole, setWhole] = useState<{ id: string; text: string | null; note: string } | null>(
    null,
  );
  useEffect(() => {
    if (!is_cut) return;
    let isWanted = true;
    page.source.message(to, id).then(
      ({ text }) => isWanted && setWhole({ id, text, note: "" }),
      (error: Error) => isWanted && setWhole({ id, text: null, note: error.message }),
    );
    return () => {
      isWanted = false;
    };
  }, [page, id, to, is_cut]);
  if (!is_cut) return { text: message.text, note: null };
  if (whole?.id !== id) return { text: `${message.text}…`, note: "Loading the rest…" };
  if (whole.text !== null) return { text: whole.text, note: null };
  return { text: `${message.text}…`, note: `The rest could not be loaded: ${whole.note}` };
}
