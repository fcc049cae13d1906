import type { Effort } from "../../protocol/effort.ts";
import type { PermissionMode } from "../../protocol/message.ts";
import { InheritedField, type MemberRecord } from "../../protocol/team.ts";

/** The settings of the lead that a teammate has where nothing else was asked for. */
export interface LeadsChoices {
  model: string;
  effort?: Effort | undefined;
  mode: PermissionMode;
}

/**
 * The record with the lead's model, effort and mode, where it has them from the lead: the record shows what is
 * in force, also to other processes. Returns the same record where nothing changes.
 */
export function followLead(record: MemberRecord, choices: Partial<LeadsChoices>): MemberRecord {
  const { model = record.model, mode = record.permission_mode } = choices;
  // The lead may have none, so that its teammates have none either.
  const effort = "effort" in choices ? choices.effort : record.effort;
  const leads = { model, effort, permission_mode: mode };
  const changed = (record.inherits ?? []).filter((field) => record[field] !== leads[field]);
  if (changed.length === 0) return record;
  return { ...record, ...Object.fromEntries(changed.map((field) => [field, leads[field]])) };
}

type Inherited = Partial<Pick<MemberRecord, InheritedField>>;

/** The record with values that follow the lead's no longer. */
export function withOwn(record: MemberRecord, own: Inherited): MemberRecord {
  const inherits = record.inherits?.filter((field) => !(field in own));
  return { ...record, ...own, ...(inherits && { inherits }) };
}

/** The record with the lead's values, which it follows from now on. */
export function withLeads(record: MemberRecord, leads: Inherited): MemberRecord {
  const { inherits: before = [] } = record;
  const inherits = InheritedField.options.filter(
    (field) => field in leads || before.includes(field),
  );
  return { ...record, ...leads, inherits };
}

/** True for a teammate that has the field from the lead. */
export function followsLead(record: MemberRecord | undefined, field: InheritedField): boolean {
  return record?.inherits?.includes(field) ?? false;
}

/** True for a field that was asked for when the member was spawned, or set by the person; it may be set to none. */
export function isOwnField(record: MemberRecord, field: InheritedField): boolean {
  return record.inherits ? !record.inherits.includes(field) : record[field] !== undefined;
}

/** What was asked for when the member was spawned, or set by the person; undefined for inherited. */
export function ownField<Field extends InheritedField>(
  record: MemberRecord | undefined,
  field: Field,
): MemberRecord[Field] {
  return record?.inherits?.includes(field) ? undefined : record?.[field];
}

/**
 * The mode that limits a member beside the lead's current mode, which always does: none for a member
 * that has its mode from the lead.
 */
export function ownModeLimit(record: MemberRecord): PermissionMode {
  return ownField(record, "permission_mode") ?? "bypassPermissions";
}
