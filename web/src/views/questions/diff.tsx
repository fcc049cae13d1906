import type { DiffLine } from "../../../../src/protocol/dashboard.ts";
import { ScrollBox } from "../../parts/scroll-box.tsx";

const signs: Readonly<Record<DiffLine["type"], string>> = {
  same: " ",
  added: "+",
  removed: "−",
  skipped: "⋯",
};

/** What would change in a file, with signs as well as colours. */
export function Diff({ lines }: { lines: readonly DiffLine[] }) {
  return (
    <ScrollBox kind="diff" label="What would change">
      {lines.map(({ type, text }, index) => (
        <span key={index} class="diff-line" data-type={type}>
          <span class="diff-sign">{signs[type]}</span>
          {`${text}\n`}
        </span>
      ))}
    </ScrollBox>
  );
}
