import { useState } from "preact/hooks";
import { counted, sizeText } from "../../../../src/protocol/amounts.ts";
import type { CleanedView } from "../../../../src/protocol/dashboard.ts";
import { Ago, MemberName } from "../../parts/member.tsx";
import { Refusal } from "../../parts/refusal.tsx";
import type { Page } from "../../state/page.ts";
import { useHindrance, useRoom } from "../../state/page-context.ts";
import { useStore } from "../../state/store.ts";
import { useAnswer } from "./use-answer.ts";
import { useLoaded } from "./use-loaded.ts";

/** Where members work, and what that takes of the disk. */
export function Checkouts({ page }: { page: Page }) {
  const [looks, setLooks] = useState(0);
  const team = useRoom((room) => room.team?.id ?? null);
  const isThere = useStore(page.connection, ({ type }) => type === "connected");
  const hindrance = useHindrance();
  const cleaning = useAnswer(() => page.source.cleanCheckouts());
  const inputs = [team, isThere, looks, cleaning.value];
  const { value, error } = useLoaded(() => page.source.checkouts(), inputs);
  return (
    <section aria-label="Checkouts">
      <h3>Checkouts</h3>
      <Refusal error={error} />
      {!value && !error && <p class="soft">Measuring…</p>}
      {value?.checkouts.length === 0 && (
        <p class="empty">All members work in the lead’s directory.</p>
      )}
      {value && value.checkouts.length > 0 && (
        <table class="permissions-table">
          <thead>
            <tr>
              <th scope="col">Of</th>
              <th scope="col">Size</th>
              <th scope="col">Place</th>
              <th scope="col">Since</th>
            </tr>
          </thead>
          <tbody>
            {value.checkouts.map(({ member, state, path, since, bytes, unkept }) => (
              <tr key={path}>
                <td>
                  <MemberName name={member} /> {state !== "ready" && state}
                </td>
                <td class="clock">{sizeText(bytes)}</td>
                <td>
                  <code>{path}</code>
                  {state === "retired" && unkept.length > 0 && (
                    <p class="soft">Not kept, because git ignores it: {unkept.join(", ")}</p>
                  )}
                </td>
                <td>
                  <Ago at={since} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      <div class="actions">
        <button type="button" class="button" onClick={() => setLooks(looks + 1)}>
          Look again
        </button>
        {value?.checkouts.some(({ state }) => state === "retired") && (
          <button
            type="button"
            class="button is-bad"
            disabled={cleaning.isSending || hindrance !== null}
            title={hindrance ?? ""}
            onClick={cleaning.ask}
          >
            Remove retired ones
          </button>
        )}
      </div>
      <Refusal error={cleaning.error} />
      {cleaning.value && <p role="status">{cleanedText(cleaning.value)}</p>}
    </section>
  );
}

function cleanedText({ removed, stayed }: CleanedView): string {
  const left = stayed.map(({ member, reason }) => ` The one of ${member} stays: ${reason}.`);
  return `Removed ${counted(removed, "checkout")}.${left.join("")}`;
}
