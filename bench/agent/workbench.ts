import { Workbench as AnyWorkbench } from "../lib/workbench.ts";

const programs = {
  provider: "bench/agent/programs/provider.ts",
  member: "bench/agent/programs/member.ts",
  shell: "bench/agent/programs/shell.ts",
};

export type Workbench = AnyWorkbench<keyof typeof programs>;

export function openWorkbench(directory: string): Promise<Workbench> {
  return AnyWorkbench.open(directory, programs);
}
