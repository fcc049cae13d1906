import type { SettingName } from "../settings/settings.ts";

/** Something that was found and has its effect in Troupe already. */
interface InForce {
  readonly what: string;
  readonly path: string;
}

/** Something that was found and has no effect in Troupe. */
export interface NotInForce {
  readonly what: string;
  /** Null where `what` names it. */
  readonly path: string | null;
  /** Why, and what to do about it. */
  readonly reason: string;
  /** True where Troupe permits more without it. */
  readonly warning: boolean;
  /** True for a file of settings that could not be read. */
  readonly broken: boolean;
}

/** Something that `troupe init --write` puts into `troupe.json`. */
export interface Proposal {
  readonly setting: Extract<SettingName, "allow" | "ask" | "deny" | "permission-mode" | "hooks">;
  /** One rule of a list, or the value of the setting. */
  readonly value: unknown;
  /** What it comes from. */
  readonly from: string;
  readonly path: string;
  /** True if `troupe.json` has it. */
  readonly present: boolean;
}

/** What there is for Troupe in a workspace. */
export interface Survey {
  readonly in_force: readonly InForce[];
  readonly not_in_force: readonly NotInForce[];
  readonly proposed: readonly Proposal[];
}

/** The same, while it is being made. */
export interface OpenSurvey {
  readonly in_force: InForce[];
  readonly not_in_force: NotInForce[];
  readonly proposed: Proposal[];
}
