import { Kept } from "../state/kept.ts";

// Unlike cookies, what is kept here is kept apart by port: no other server of this machine gets it.
const kept = new Kept(() => localStorage);
const key = "proof";

/** The headers that show the server that its own page asks; none before it was let in. */
export function proofHeaders(): Record<string, string> {
  // Read each time: another tab may have been let in anew, and the cookie is that one's.
  const proof = kept.get(key);
  return proof === null ? {} : { "x-troupe-proof": proof };
}

export function keepProof(proof: string): void {
  kept.set(key, proof);
}

/** True where another tab of this browser has just kept one. */
export function isProof({ key: changed, newValue }: StorageEvent): boolean {
  return changed === kept.nameOf(key) && newValue !== null;
}
