/** The decision on a call, and the reason. */
export interface Verdict {
  readonly decision: "allow" | "ask" | "deny";
  /** For the person who is asked, or the model that is refused: what about the call decided it. */
  readonly reason: string;
  /** True when the call changes nothing: such calls run beside each other, and under a plan gate. */
  readonly isReadOnly: boolean;
  /** The rule that "always allow" would add, where one would cover such a call. */
  readonly suggestedRule?: string;
}
