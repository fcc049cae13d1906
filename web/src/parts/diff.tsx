import type { DiffLine } from "../../../src/protocol/dashboard.ts";
import { ScrollBox } from "./scroll-box.tsx";

const signs: Readonly<Record<DiffLine["type"], string>> = {
  same: " ",
  added: "+",
  removed: "−",
  skipped: "⋯",
};

/** The change to a file, with signs as well as colours. */
export function Diff({ lines }: { lines: readonly DiffLine[] }) {
  return (
    <ScrollBox kind="diff" label="The change">
      {lines.map(({ type, text }, index) => (
        <span key={index} class="diff-line" data-type={type}>
          <span class="diff-sign">{signs[type]}</span>
          {`${text}\n`}
        </span>
      ))}
    </ScrollBox>
  );
}
