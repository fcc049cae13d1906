/** The header in which a page shows that it was let in, and its server that it is the one. */
export const proofHeader = "X-Troupe-Proof";

/** What a request shows: which key it was signed with, and the signature. */
export interface ShownProof {
  /** As it was sent. */
  text: string;
  /** Of a session, or of a token. */
  id: string;
  /** Chosen by the page, so that no two requests and no two answers are signed alike. */
  nonce: string;
  signature: string;
}

const pattern = /^([0-9a-z.]{1,64}) ([0-9a-f]{32}) ([0-9a-f]{64})$/;

export function shownProof(text = ""): ShownProof | undefined {
  const [, id, nonce, signature] = pattern.exec(text) ?? [];
  if (id === undefined || nonce === undefined || signature === undefined) return undefined;
  return { text, id, nonce, signature };
}
