import type { FieldNote, RoleDefinition } from "../../roles/role.ts";

/** Parts of a role that nothing puts in force. A role that has one is refused. */
const withoutEffect: readonly (keyof RoleDefinition)[] = ["mcpServers"];

/** The fields of a role that would have no effect. */
export function fieldsWithoutEffect(role: RoleDefinition): FieldNote[] {
  return withoutEffect
    .filter((field) => role[field] !== undefined)
    .map((field) => ({ field, text: "is not supported yet" }));
}
