import type { ComponentChildren } from "preact";
import { useContext, useId } from "preact/hooks";
import { useStore } from "../../state/store.ts";
import { isOpen, isRunOpen, withFold } from "./folds.ts";
import { RowContext } from "./row-context.ts";

interface FoldProps {
  /** The key under which its state is stored. */
  id: string;
  isOpenByItself?: boolean;
  isRun?: boolean;
  /** The text of the summary line. */
  line: ComponentChildren;
  children: ComponentChildren;
}

/** A line that can be unfolded. Folded content is not in the document. */
export function Fold({ id, isOpenByItself = false, isRun = false, line, children }: FoldProps) {
  const { folds } = useContext(RowContext);
  const isNowOpen = useStore(folds, (all) =>
    isRun ? isRunOpen(all, id) : isOpen(all, id, isOpenByItself),
  );
  const content = useId();
  return (
    <div class="fold">
      <button
        type="button"
        class="fold-line"
        data-row
        aria-expanded={isNowOpen}
        aria-controls={isNowOpen ? content : undefined}
        onClick={() => folds.set(withFold(folds.value, id, !isNowOpen))}
      >
        <span class="fold-mark" aria-hidden="true" />
        {line}
      </button>
      {isNowOpen && (
        <div class="fold-content" id={content}>
          {children}
        </div>
      )}
    </div>
  );
}
