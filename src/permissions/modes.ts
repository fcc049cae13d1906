import type { PermissionMode } from "../protocol/message.ts";

/** From the narrowest to the widest: each permits all that those before it do. */
const byWidth: readonly PermissionMode[] = ["plan", "default", "acceptEdits", "bypassPermissions"];

export function isWiderMode(mode: PermissionMode, than: PermissionMode): boolean {
  return byWidth.indexOf(mode) > byWidth.indexOf(than);
}

export function narrowerMode(a: PermissionMode, b: PermissionMode): PermissionMode {
  return isWiderMode(a, b) ? b : a;
}
