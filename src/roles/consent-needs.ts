import type { RoleDefinition } from "./role.ts";

/** A field of a repository's role file that counts only with the person's consent. */
export interface ConsentNeed {
  /** The name of the field. */
  readonly field: string;
  /** What it says, one thing per line. */
  readonly lines: readonly string[];
}

/**
 * The fields with which a role is not certain to be narrower than a member without one. The model is
 * among them, although it permits nothing: it decides who reads the workspace, and at what price.
 */
export function consentNeeds(role: RoleDefinition): ConsentNeed[] {
  const { permissionMode: mode, model, hooks, mcpServers, network } = role;
  const needs: ConsentNeed[] = [];
  const add = (field: string, values: readonly string[]) => {
    if (values.length > 0)
      needs.push({ field, lines: values.map((value) => `${field}: ${value}`) });
  };
  add("model", model === undefined || model === "inherit" ? [] : [model]);
  add("permissionMode", mode === "acceptEdits" || mode === "bypassPermissions" ? [mode] : []);
  add("network", network === undefined || network === "off" ? [] : [[network].flat().join(", ")]);
  add(
    "hooks",
    Object.entries(hooks ?? {}).flatMap(([event, groups]) =>
      groups.flatMap((group) => group.hooks.map(({ command }) => `${event}: ${command}`)),
    ),
  );
  const { names = [], own = {} } = mcpServers ?? {};
  add("mcpServers", [
    ...names,
    ...Object.entries(own).map(([name, server]) => `${name}: ${JSON.stringify(server)}`),
  ]);
  return needs;
}
