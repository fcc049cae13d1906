import { join } from "node:path";
import { StoredCheckouts } from "../../src/checkouts/stored-checkouts.ts";
import { hmacSignature } from "../../src/keys/signature.ts";
import { StoredLandings } from "../../src/landing/stored-landings.ts";
import { systemClock } from "../../src/lib/clock.ts";

/** The records of a team, in files. */
export function openStores(directory: string, onDamage: (problem: string) => void) {
  const parts = { clock: systemClock, signature: hmacSignature(Buffer.alloc(32, 7)), onDamage };
  return {
    checkouts: StoredCheckouts.inFiles({ ...parts, directory: join(directory, "checkouts") }),
    landings: StoredLandings.inFiles({ ...parts, directory: join(directory, "landings") }),
  };
}
