import { useState } from "preact/hooks";
import type { LandingChangesView, LandingView } from "../../../../src/protocol/dashboard.ts";
import { Diff } from "../../parts/diff.tsx";
import { Ago, MemberName } from "../../parts/member.tsx";
import { Refusal } from "../../parts/refusal.tsx";
import { ScrollBox } from "../../parts/scroll-box.tsx";
import { counted } from "../../state/amounts.ts";
import type { Page } from "../../state/page.ts";
import { Outcome } from "../permissions/outcome.tsx";
import { useChange } from "../permissions/use-change.ts";
import { useLoaded } from "./use-loaded.ts";

interface LandingProps {
  landing: LandingView;
  page: Page;
}

/** One member's work: how far it has got, what is wrong, and what it changes. */
export function LandingCard({ landing, page }: LandingProps) {
  const { id, member, target, state, attempt, reason, replaced_by, updated_at } = landing;
  const [isOpen, setOpen] = useState(false);
  return (
    <article class="landing" aria-label={`Landing ${id} of ${member}`}>
      <h3>
        <span>
          <MemberName name={member} /> → {target}
        </span>
        <span class="landing-state" data-state={state}>
          {state}
          {attempt > 1 && `, attempt ${attempt}`}
          {replaced_by !== null && ` by ${replaced_by}`}
        </span>
        <Ago at={updated_at} />
      </h3>
      {reason && <p class="why">{reason}</p>}
      <Trouble landing={landing} />
      <button type="button" class="button" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        {isOpen ? "Hide" : "Show"} what it changes
      </button>
      {isOpen && <Changed landing={landing} page={page} />}
    </article>
  );
}

/** Why it does not land. */
function Trouble({ landing: { files, check } }: { landing: LandingView }) {
  return (
    <>
      {files.length > 0 && (
        <>
          <p>In conflict; its member was told:</p>
          <ul class="landing-files" aria-label="In conflict">
            {files.map((path) => (
              <li key={path}>
                <code>{path}</code>
              </li>
            ))}
          </ul>
        </>
      )}
      {check && (
        <>
          <p>
            <code>{check.command}</code> {check.reason}
          </p>
          <ScrollBox kind="asked" label="The end of its output">
            {check.output}
          </ScrollBox>
        </>
      )}
    </>
  );
}

/** What it changes, and the person's decision about exactly that. */
function Changed({ landing, page }: LandingProps) {
  const { id, state } = landing;
  // With another state, it is compared with something else.
  const { value, error } = useLoaded(() => page.source.landingChanges(id), [id, state]);
  if (!value) return error ? <Refusal error={error} /> : <p class="soft">Reading…</p>;
  const { files, more } = value;
  return (
    <div class="landing-changes">
      {files.length === 0 && <p class="soft">It changes nothing there.</p>}
      {files.map((file) => (
        <ChangedFile key={file.path} file={file} />
      ))}
      {more > 0 && <p class="soft">And {counted(more, "more file")}.</p>}
      {page.source.canAct && <Decision landing={landing} commit={value.commit} page={page} />}
    </div>
  );
}

function ChangedFile({ file }: { file: LandingChangesView["files"][number] }) {
  const { path, change, added, removed, diff, reason } = file;
  return (
    <details open={(diff?.length ?? 0) < 200}>
      <summary>
        <code>{path}</code> {change} <span class="landing-added">+{added}</span>{" "}
        <span class="landing-removed">−{removed}</span> {reason}
      </summary>
      {diff && <Diff lines={diff} />}
    </details>
  );
}

function Decision({
  landing,
  commit,
  page,
}: LandingProps & { commit: LandingChangesView["commit"] }) {
  const { id, member, state, can_land, can_discard } = landing;
  const change = useChange();
  const isAgain = state === "conflict" || state === "rejected" || state === "failed";
  const button = (decision: "land" | "discard", title: string, look: string) => (
    <button
      type="button"
      class={`button ${look}`}
      disabled={change.isSending || change.hindrance !== null}
      title={change.hindrance ?? ""}
      onClick={() => {
        const ask = () => page.source.decideLanding(id, { commit, decision });
        void change.send(`${decision} ${member}`, ask).catch(reportError);
      }}
    >
      {title}
    </button>
  );
  return (
    <>
      <div class="actions">
        {can_discard && button("discard", "Discard", "is-bad")}
        {can_land && button("land", isAgain ? "Try again" : "Land", "is-strong")}
      </div>
      <Outcome change={change} />
    </>
  );
}
