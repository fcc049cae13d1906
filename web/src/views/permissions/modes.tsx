import { useState } from "preact/hooks";
import type { MemberView } from "../../../../src/protocol/dashboard.ts";
import type { ModeBody } from "../../../../src/protocol/dashboard-requests.ts";
import { MemberName } from "../../parts/member.tsx";
import { modeText } from "../../state/members.ts";
import type { Page } from "../../state/page.ts";
import { useRoomList } from "../../state/page-context.ts";
import { Outcome } from "./outcome.tsx";
import { type PendingChange, useChange } from "./use-change.ts";

/** The modes that the page offers, with what each allows. */
const modes: readonly (readonly [mode: ModeBody["mode"], text: string])[] = [
  ["default", "reading is free, all else asks"],
  ["acceptEdits", "changing files in the workspace is free too"],
  ["plan", "nothing that changes anything"],
];

/** The mode of every member, and how to change it. */
export function Modes({ page }: { page: Page }) {
  const change = useChange();
  const members = useRoomList((room) =>
    [...room.members.values()].filter(({ status }) => status !== "shutdown"),
  );
  return (
    <section aria-label="Modes">
      <h3>Modes</h3>
      <table class="permissions-table">
        <thead>
          <tr>
            <th scope="col">Member</th>
            <th scope="col">Mode</th>
            {page.source.canAct && <th scope="col">Change to</th>}
          </tr>
        </thead>
        <tbody>
          {members.map((member) => (
            <tr key={member.name}>
              <th scope="row">
                <MemberName name={member.name} />
              </th>
              <td>{modeText(member) ?? "not known"}</td>
              {page.source.canAct && (
                <td>
                  <ModeChoice page={page} member={member} change={change} />
                </td>
              )}
            </tr>
          ))}
        </tbody>
      </table>
      <Outcome change={change} />
      <p class="soft">
        {modes.map(([mode, text]) => `${mode}: ${text}`).join(" · ")}. When the lead's mode changes,
        that of all who have it changes too; no teammate's mode is wider than the lead's.
      </p>
    </section>
  );
}

interface ChoiceProps {
  page: Page;
  member: MemberView;
  change: PendingChange;
}

/** Choosing alone changes nothing: arrow keys choose as well. */
function ModeChoice({ page, member: { name, permission_mode }, change }: ChoiceProps) {
  const [chosen, setChosen] = useState<ModeBody["mode"] | "">("");
  const set = async () => {
    if (chosen === "") return;
    const mode = chosen;
    const what = `${name} gets the mode ${mode}`;
    if (await change.send(what, () => page.source.setMode({ member: name, mode }))) setChosen("");
  };
  return (
    <form
      class="permissions-form"
      onSubmit={(event) => {
        event.preventDefault();
        void set().catch(reportError);
      }}
    >
      <select
        aria-label={`New mode of ${name}`}
        value={chosen}
        onChange={({ currentTarget }) => {
          setChosen(modes.find(([mode]) => mode === currentTarget.value)?.[0] ?? "");
        }}
      >
        <option value="">–</option>
        {modes.map(
          ([mode]) =>
            mode !== permission_mode && (
              <option key={mode} value={mode}>
                {mode}
              </option>
            ),
        )}
      </select>
      <button
        type="submit"
        class="button"
        aria-label={`Change the mode of ${name}`}
        disabled={chosen === "" || change.isSending || change.hindrance !== null}
        title={change.hindrance ?? ""}
      >
        Change
      </button>
    </form>
  );
}
