import type { BroughtView } from "../../../../src/protocol/dashboard.ts";
import { Refusal } from "../../parts/refusal.tsx";
import type { Page } from "../../state/page.ts";
import { useHindrance } from "../../state/page-context.ts";
import { useAnswer } from "./use-answer.ts";

/** Brings what has landed to the person's branch and files, and says what came of it. */
export function Bring({ page }: { page: Page }) {
  const hindrance = useHindrance();
  const { value, error, isSending, ask } = useAnswer(() => page.source.bringLanded());
  return (
    <section aria-label="Your branch">
      <p>
        <button
          type="button"
          class="button is-strong"
          disabled={isSending || hindrance !== null}
          title={hindrance ?? ""}
          onClick={ask}
        >
          Bring what has landed to your branch
        </button>
      </p>
      <Refusal error={error} />
      {value?.results.map((result) => (
        <Brought key={result.target} result={result} />
      ))}
    </section>
  );
}

function Brought({ result }: { result: BroughtView["results"][number] }) {
  const { files, more } = result;
  return (
    <div role="status">
      <p>{sentence(result)}</p>
      {files.length > 0 && (
        <ul class="landing-files">
          {files.map(({ path, reason }) => (
            <li key={path}>
              <code>{path}</code>
              {reason !== null && `: ${reason}`}
            </li>
          ))}
          {more > 0 && <li>and {more} more</li>}
        </ul>
      )}
    </div>
  );
}

function sentence({ type, target, branch }: BroughtView["results"][number]): string {
  switch (type) {
    case "nothing":
      return `${branch} has all that is on ${target}.`;
    case "brought":
      return `${branch} has all that is on ${target} now. Changed:`;
    case "conflict":
      return `${target} cannot be merged into ${branch}, and nothing has changed. In conflict:`;
    case "blocked":
      return `${branch} stays where it is, so that nothing of yours is lost. Commit or move these files, and try again:`;
  }
}
