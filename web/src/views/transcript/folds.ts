/** Which lines are folded: as the person left them, otherwise by default. */
export interface Folds {
  /** The setting for all lines; null if there is none. */
  all: boolean | null;
  /** The lines that were opened or closed since, by their keys. */
  single: ReadonlyMap<string, boolean>;
}

export const untouched: Folds = { all: null, single: new Map() };

export function isOpen(folds: Folds, key: string, isOpenByItself: boolean): boolean {
  return folds.single.get(key) ?? folds.all ?? isOpenByItself;
}

/** Runs stay open when everything is folded; otherwise nothing would be visible. */
export function isRunOpen({ single }: Folds, key: string): boolean {
  return single.get(key) ?? true;
}

export function withFold(folds: Folds, key: string, isNowOpen: boolean): Folds {
  return { ...folds, single: new Map(folds.single).set(key, isNowOpen) };
}

/** Opens everything, or folds everything if it was open. */
export function withAllTurned({ all }: Folds): Folds {
  return { all: all !== true, single: new Map() };
}
