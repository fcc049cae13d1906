import { createContext } from "preact";
import { Store } from "../../state/store.ts";
import { type Folds, untouched } from "./folds.ts";

/** What every row of the view has around it. */
export interface RowContextValue {
  folds: Store<Folds>;
  /** The text searched for, to be marked everywhere; empty for none. */
  search: string;
}

export const RowContext = createContext<RowContextValue>({
  folds: new Store(untouched),
  search: "",
});
