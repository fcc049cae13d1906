import { Workbench as AnyWorkbench } from "../lib/workbench.ts";

const programs = {
  server: "bench/dashboard/programs/server.ts",
  crowd: "bench/dashboard/programs/crowd.ts",
};

export type Workbench = AnyWorkbench<keyof typeof programs>;

export function openWorkbench(directory: string): Promise<Workbench> {
  return AnyWorkbench.open(directory, programs);
}
