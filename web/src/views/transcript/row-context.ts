import { createContext } from "preact";
import { Store } from "../../state/store.ts";
import { type Folds, untouched } from "./folds.ts";

/** The context of all rows in the view. */
export interface RowContextValue {
  folds: Store<Folds>;
  /** The search text to highlight; empty for none. */
  search: string;
}

export const RowContext = createContext<RowContextValue>({
  folds: new Store(untouched),
  search: "",
});
