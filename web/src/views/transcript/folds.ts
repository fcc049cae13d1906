/** What is folded and what is open: as a person left it, else as it is by itself. */
export interface Folds {
  /** What everything was set to; null where nothing was. */
  all: boolean | null;
  /** What was opened or closed since, by its key. */
  single: ReadonlyMap<string, boolean>;
}

export const untouched: Folds = { all: null, single: new Map() };

export function isOpen(folds: Folds, key: string, isOpenByItself: boolean): boolean {
  return folds.single.get(key) ?? folds.all ?? isOpenByItself;
}

/** Runs stay open when everything is folded: one would see nothing. */
export function isRunOpen({ single }: Folds, key: string): boolean {
  return single.get(key) ?? true;
}

export function withFold(folds: Folds, key: string, isNowOpen: boolean): Folds {
  return { ...folds, single: new Map(folds.single).set(key, isNowOpen) };
}

/** Everything open; everything folded when that was so. */
export function withAllTurned({ all }: Folds): Folds {
  return { all: all !== true, single: new Map() };
}
