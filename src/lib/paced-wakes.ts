import type { Clock } from "./clock.ts";
import type { WakeSource } from "./wake-source.ts";

/**
 * The wakes of `source`, joined: the first comes `paceMs` later, together with all that come
 * meanwhile.
 */
export function pacedWakes(source: WakeSource, clock: Clock, paceMs: number): WakeSource {
  return {
    subscribe(fileName, wake) {
      let cancel: (() => void) | undefined;
      const unsubscribe = source.subscribe(fileName, () => {
        cancel ??= clock.schedule(paceMs, () => {
          cancel = undefined;
          wake();
        });
      });
      return () => {
        unsubscribe();
        cancel?.();
      };
    },
  };
}
