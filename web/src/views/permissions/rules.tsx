import { useState } from "preact/hooks";
import type { RuleView } from "../../../../src/protocol/dashboard.ts";
import { Ago } from "../../parts/member.tsx";
import type { Page } from "../../state/page.ts";
import { useRoomList } from "../../state/page-context.ts";
import { Outcome } from "./outcome.tsx";
import { type PendingChange, useChange } from "./use-change.ts";

/** The rules that were added to the running team: whose, since when, and how to take them back. */
export function Rules({ page }: { page: Page }) {
  const change = useChange();
  const rules = useRoomList((room) => room.rules);
  return (
    <section aria-label="Rules">
      <h3>Rules</h3>
      {rules.length === 0 && <p class="empty">No rule was added to this team.</p>}
      {rules.length > 0 && (
        <table class="permissions-table">
          <thead>
            <tr>
              <th scope="col">Decides</th>
              <th scope="col">Rule</th>
              <th scope="col">From</th>
              <th scope="col">Since</th>
              {page.source.canAct && (
                <th scope="col">
                  <span class="hidden">Remove</span>
                </th>
              )}
            </tr>
          </thead>
          <tbody>
            {rules.map((rule) => (
              <RuleRow
                key={`${rule.decision} ${rule.rule}`}
                rule={rule}
                page={page}
                change={change}
              />
            ))}
          </tbody>
        </table>
      )}
      {page.source.canAct && <NewRule page={page} change={change} />}
      <Outcome change={change} />
      <p class="soft">
        A rule applies to the whole team, also after a restart. Deny beats ask, ask beats allow.
        Rules of settings files and flags are not in this list: <code>/permissions</code> in the
        talk has them too.
      </p>
    </section>
  );
}

interface ChangeProps {
  page: Page;
  change: PendingChange;
}

function RuleRow({ rule, page, change }: ChangeProps & { rule: RuleView }) {
  const { decision, shown, from, since } = rule;
  const remove = () =>
    change.send(`Removed: ${decision} ${shown}`, () =>
      page.source.changeRule({ change: "removed", decision, rule: rule.rule }),
    );
  return (
    <tr>
      <td class="permissions-decision" data-decision={decision}>
        {decision}
      </td>
      <td>
        <code>{shown}</code>
      </td>
      <td>{from === "answer" ? "you answered always" : "you added it"}</td>
      <td>
        <Ago at={since} />
      </td>
      {page.source.canAct && (
        <td>
          <button
            type="button"
            class="button"
            aria-label={`Remove ${decision} ${shown}`}
            disabled={change.isSending || change.hindrance !== null}
            title={change.hindrance ?? ""}
            onClick={() => void remove().catch(reportError)}
          >
            Remove
          </button>
        </td>
      )}
    </tr>
  );
}

const decisions = ["deny", "ask", "allow"] as const;

function NewRule({ page, change }: ChangeProps) {
  const [decision, setDecision] = useState<RuleView["decision"]>("deny");
  const [text, setText] = useState("");
  const rule = text.trim();
  const add = async () => {
    const ask = () => page.source.changeRule({ change: "added", decision, rule });
    if (await change.send(`Added: ${decision} ${rule}`, ask)) setText("");
  };
  return (
    <form
      class="permissions-form"
      aria-label="Add a rule"
      onSubmit={(event) => {
        event.preventDefault();
        if (rule !== "") void add().catch(reportError);
      }}
    >
      <select
        aria-label="What the new rule decides"
        value={decision}
        onChange={({ currentTarget }) => {
          setDecision(decisions.find((each) => each === currentTarget.value) ?? "deny");
        }}
      >
        {decisions.map((each) => (
          <option key={each} value={each}>
            {each}
          </option>
        ))}
      </select>
      <input
        type="text"
        aria-label="The new rule"
        placeholder="bash(npm test:*)"
        value={text}
        onInput={({ currentTarget }) => setText(currentTarget.value)}
      />
      <button
        type="submit"
        class="button"
        disabled={rule === "" || change.isSending || change.hindrance !== null}
        title={change.hindrance ?? ""}
      >
        Add
      </button>
    </form>
  );
}
