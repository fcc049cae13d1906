import { useMemo } from "preact/hooks";
import type { TaskView } from "../../../../src/protocol/dashboard.ts";
import { type Status, statuses } from "../../state/tasks.ts";
import type { TaskFilter } from "./task-list.ts";

interface TaskFiltersProps {
  all: ReadonlyMap<string, TaskView>;
  filter: TaskFilter;
  onFilter(filter: TaskFilter): void;
  isList: boolean;
  /** Null if there is no choice. */
  onList: ((isList: boolean) => void) | null;
}

export function TaskFilters({ all, filter, onFilter, isList, onList }: TaskFiltersProps) {
  const counts = useMemo(() => countsOf(all.values()), [all]);
  return (
    <div class="view-filters">
      <fieldset class="choices">
        <legend class="hidden">Status</legend>
        <Chip
          label="all"
          count={all.size}
          isOn={filter.status === null}
          onClick={() => onFilter({ ...filter, status: null })}
        />
        {statuses.map(({ status, word }) => (
          <Chip
            key={status}
            label={word}
            count={counts.byStatus.get(status) ?? 0}
            isOn={filter.status === status}
            onClick={() => onFilter({ ...filter, status })}
          />
        ))}
      </fieldset>
      <OwnerSelect owners={counts.owners} filter={filter} onFilter={onFilter} />
      {onList && (
        <fieldset class="choices task-shape">
          <legend class="hidden">Layout</legend>
          <Chip label="Board" isOn={!isList} onClick={() => onList(false)} />
          <Chip label="List" isOn={isList} onClick={() => onList(true)} />
        </fieldset>
      )}
    </div>
  );
}

interface OwnerProps extends Pick<TaskFiltersProps, "filter" | "onFilter"> {
  owners: readonly string[];
}

function OwnerSelect({ owners, filter, onFilter }: OwnerProps) {
  // The chosen owner is listed too, even if it has no task left.
  const offered = filter.owner ? [...new Set([...owners, filter.owner])].sort() : owners;
  return (
    <select
      aria-label="Owner"
      value={filter.owner === null ? "all" : `of ${filter.owner}`}
      onChange={({ currentTarget: { value } }) =>
        onFilter({ ...filter, owner: value === "all" ? null : value.slice(3) })
      }
    >
      <option value="all">Any owner</option>
      <option value="of ">No owner</option>
      {offered.map((owner) => (
        <option key={owner} value={`of ${owner}`}>
          {owner}
        </option>
      ))}
    </select>
  );
}

interface FilterChipProps {
  label: string;
  count?: number;
  isOn: boolean;
  onClick(): void;
}

function Chip({ label, count, isOn, onClick }: FilterChipProps) {
  return (
    <button type="button" class="choice" aria-pressed={isOn} onClick={onClick}>
      {label}
      {count !== undefined && <span> {count}</span>}
    </button>
  );
}

function countsOf(tasks: Iterable<TaskView>) {
  const byStatus = new Map<Status, number>();
  const owners = new Set<string>();
  for (const { status, owner } of tasks) {
    byStatus.set(status, (byStatus.get(status) ?? 0) + 1);
    if (owner) owners.add(owner);
  }
  return { byStatus, owners: [...owners].sort() };
}
