import type { Page } from "../../state/page.ts";
import { useRoomList } from "../../state/page-context.ts";
import "../../styles/views.css";
import "../../styles/changes.css";
import { Bring } from "./bring.tsx";
import { Checkouts } from "./checkouts.tsx";
import { LandingCard } from "./landing-card.tsx";

/** The work of members with checkouts: what has landed, what waits or is in conflict, and where it is. */
export function ChangesView({ page }: { page: Page }) {
  const landings = useRoomList((room) => room.landings);
  return (
    <section class="changes view" aria-label="Changes">
      <h2 class="hidden">Changes</h2>
      {landings.length === 0 && (
        <p class="empty">No member has handed in work from a checkout of its own.</p>
      )}
      {page.source.canAct && landings.some(({ state }) => state === "landed") && (
        <Bring page={page} />
      )}
      {landings.toReversed().map((landing) => (
        <LandingCard key={landing.id} landing={landing} page={page} />
      ))}
      {page.source.canAct && <Checkouts page={page} />}
    </section>
  );
}
