import { useEffect, useRef, useState } from "preact/hooks";
import { SourceError } from "../source/source.ts";
import { all, type Draft, readdressed, suggestions } from "../state/address.ts";
import { useHindrance, usePageContext, useRoom, useRoomList } from "../state/page-context.ts";
import { useStore } from "../state/store.ts";
import "../styles/composer.css";

type Sending =
  | { type: "writing" }
  | { type: "sending" }
  | { type: "sent"; to: string }
  | { type: "refused"; error: SourceError };

/** Writes to a member. A text is removed only once it has been sent. */
export function Composer() {
  const pageContext = usePageContext();
  const draft = useStore(pageContext.draft, (value) => value);
  const names = useRoomList((room) => [...room.members.keys()]);
  const hindrance = useHindrance();
  const { sending, send, write } = useSending();
  const canSend = hindrance === null && draft.text.trim() !== "" && sending.type !== "sending";
  const onSend = () => {
    if (canSend) void send().catch(reportError);
  };
  const onChange = (next: Draft) => write(readdressed(next, names));
  return (
    <form
      class="composer"
      aria-label="Write to a member"
      onSubmit={(event) => {
        event.preventDefault();
        onSend();
      }}
    >
      <Recipient draft={draft} names={names} onChange={onChange} />
      <TextField draft={draft} names={names} onChange={onChange} onSend={onSend} />
      <button
        type="submit"
        class="button is-strong"
        disabled={!canSend}
        title={hindrance ?? "Ctrl Enter"}
      >
        Send
      </button>
      <SendingLine sending={sending} hindrance={hindrance} />
    </form>
  );
}

/** The state of the draft. */
function useSending() {
  const { draft, page } = usePageContext();
  const [sending, setSending] = useState<Sending>({ type: "writing" });
  const send = async () => {
    const { to, text } = draft.value;
    setSending({ type: "sending" });
    try {
      await page.source.send({ to, content: text });
      // Text that was typed while sending stays.
      if (draft.value.text === text) draft.set({ ...draft.value, text: "" });
      setSending({ type: "sent", to });
    } catch (error) {
      if (!(error instanceof SourceError)) throw error;
      setSending({ type: "refused", error });
    }
  };
  const write = (next: Draft) => {
    draft.set(next);
    if (sending.type !== "sending") setSending({ type: "writing" });
  };
  return { sending, send, write };
}

interface FieldProps {
  draft: Draft;
  names: readonly string[];
  onChange: (draft: Draft) => void;
}

function Recipient({ draft, names, onChange }: FieldProps) {
  const options = [...new Set([...names, draft.to])].filter((name) => name !== all);
  return (
    <label class="recipient">
      <span class="soft">To</span>
      <select
        aria-label="Recipient"
        value={draft.to}
        onChange={({ currentTarget }) => onChange({ ...draft, to: currentTarget.value })}
      >
        {options.map((name) => (
          <option key={name} value={name}>
            {name}
          </option>
        ))}
        <option value={all}>everybody</option>
      </select>
    </label>
  );
}

function TextField({ draft, names, onChange, onSend }: FieldProps & { onSend: () => void }) {
  const field = useRef<HTMLTextAreaElement>(null);
  const meant = suggestions(draft.text, names);
  const [first] = meant;
  useEffect(() => {
    if (field.current) fitHeight(field.current);
  }, [draft.text]);
  const choose = (name: string) => {
    onChange({ to: name, text: "" });
    field.current?.focus();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) onSend();
    else if ((event.key === "Enter" || event.key === "Tab") && first !== undefined) choose(first);
    else return;
    event.preventDefault();
  };
  return (
    <div class="text-field">
      <textarea
        id="composer-text"
        ref={field}
        rows={1}
        aria-label="Message"
        placeholder={`Write to ${draft.to === all ? "everybody" : draft.to}`}
        value={draft.text}
        onInput={({ currentTarget }) => onChange({ ...draft, text: currentTarget.value })}
        onKeyDown={onKeyDown}
      />
      {meant.length > 0 && <Meant names={meant} onChoose={choose} />}
    </div>
  );
}

interface MeantProps {
  names: readonly string[];
  onChoose(name: string): void;
}

/** The members that match the typed text. Tab chooses the first. */
function Meant({ names, onChoose }: MeantProps) {
  return (
    <ul class="meant" aria-label="Matching members">
      {names.map((name, place) => (
        <li key={name}>
          <button type="button" onClick={() => onChoose(name)}>
            @{name}
            {place === 0 && <kbd>Tab</kbd>}
          </button>
        </li>
      ))}
    </ul>
  );
}

function SendingLine({ sending, hindrance }: { sending: Sending; hindrance: string | null }) {
  const isRunning = useRoom((room) => room.running !== null);
  const hint =
    hindrance ??
    (isRunning
      ? "Ctrl Enter to send · @name to choose the recipient"
      : "Mail waits until the team runs again");
  switch (sending.type) {
    case "writing":
      return <p class="sending-line soft">{hint}</p>;
    case "sending":
      return <p class="sending-line soft">Sending…</p>;
    case "sent":
      return (
        <p class="sending-line is-good" role="status">
          Sent to {sending.to === all ? "everybody" : sending.to}
        </p>
      );
    case "refused":
      return (
        <p class="sending-line is-bad" role="alert">
          {sending.error.message} {sending.error.hint}
        </p>
      );
  }
}

function fitHeight(field: HTMLTextAreaElement): void {
  field.style.height = "auto";
  field.style.height = `${field.scrollHeight + 2}px`;
}
