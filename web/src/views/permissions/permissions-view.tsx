import type { Page } from "../../state/page.ts";
import "../../styles/views.css";
import "../../styles/permissions.css";
import { Modes } from "./modes.tsx";
import { Rules } from "./rules.tsx";

/** What may run without a question: everybody's mode, and the rules that were added to the team. */
export function PermissionsView({ page }: { page: Page }) {
  return (
    <section class="permissions view" aria-label="Permissions">
      <h2 class="hidden">Permissions</h2>
      <Modes page={page} />
      <Rules page={page} />
    </section>
  );
}
