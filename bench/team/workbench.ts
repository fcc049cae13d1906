import { Workbench as AnyWorkbench } from "../lib/workbench.ts";

const programs = {
  provider: "bench/team/programs/provider.ts",
  team: "bench/team/programs/team.ts",
  crowd: "bench/team/programs/crowd.ts",
  floor: "bench/team/programs/floor.ts",
};

export type Workbench = AnyWorkbench<keyof typeof programs>;

export function openWorkbench(directory: string): Promise<Workbench> {
  return AnyWorkbench.open(directory, programs);
}
