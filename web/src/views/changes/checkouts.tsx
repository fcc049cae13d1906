import { useState } from "preact/hooks";
import { sizeText } from "../../../../src/protocol/amounts.ts";
import { Ago, MemberName } from "../../parts/member.tsx";
import { Refusal } from "../../parts/refusal.tsx";
import type { Page } from "../../state/page.ts";
import { useRoom } from "../../state/page-context.ts";
import { useStore } from "../../state/store.ts";
import { useLoaded } from "./use-loaded.ts";

/** Where members work, and what that takes of the disk. */
export function Checkouts({ page }: { page: Page }) {
  const [looks, setLooks] = useState(0);
  const team = useRoom((room) => room.team?.id ?? null);
  const isThere = useStore(page.connection, ({ type }) => type === "connected");
  const { value, error } = useLoaded(() => page.source.checkouts(), [team, isThere, looks]);
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
      <p class="soft">
        <button type="button" class="button" onClick={() => setLooks(looks + 1)}>
          Look again
        </button>{" "}
        <code>troupe checkouts --clean</code> removes retired ones.
      </p>
    </section>
  );
}
