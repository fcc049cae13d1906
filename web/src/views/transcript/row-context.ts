import { createContext } from "preact";
import { Store } from "../../state/store.ts";
import { type Folds, untouched } from "./folds.ts";

/** What every row of the view has around it. */
export interface RowContextValue {
  folds: Store<Folds>;
  /** What is looked for, to be marked wherever it stands; empty for nothing. */
  search: string;
}

export const RowContext = createContext<RowContextValue>({
  folds: new Store(untouched),
  search: "",
});
