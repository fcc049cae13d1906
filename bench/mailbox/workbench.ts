import { Workbench as AnyWorkbench } from "../lib/workbench.ts";

const programs = {
  sender: "bench/mailbox/programs/sender.ts",
  receiver: "bench/mailbox/programs/receiver.ts",
  "unread-sender": "bench/mailbox/programs/unread-sender.ts",
  ticker: "bench/mailbox/programs/ticker.ts",
  listener: "bench/mailbox/programs/listener.ts",
  idler: "bench/mailbox/programs/idler.ts",
  "life-maker": "bench/mailbox/programs/life-maker.ts",
  reopener: "bench/mailbox/programs/reopener.ts",
};

export type Workbench = AnyWorkbench<keyof typeof programs>;

export function openWorkbench(directory: string): Promise<Workbench> {
  return AnyWorkbench.open(directory, programs);
}
