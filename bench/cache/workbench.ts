import { Workbench as AnyWorkbench } from "../lib/workbench.ts";

const programs = { team: "bench/cache/programs/team.ts" };

export type Workbench = AnyWorkbench<keyof typeof programs>;

export function openWorkbench(directory: string): Promise<Workbench> {
  return AnyWorkbench.open(directory, programs);
}
