import { z } from "zod";
import { firstCharacters } from "../lib/cut-text.ts";
import type { BackgroundJob, BackgroundJobs, JobRequest } from "../processes/background-jobs.ts";
import { defineTool, failure, success, type Tool, type ToolOutput } from "./tool.ts";

const BackgroundRunInput = z.object({ command: z.string() });

/** Starts a command that outlives its call. */
export function backgroundRunTool({ background }: { background: BackgroundJobs }): Tool {
  return defineTool({
    name: "background_run",
    description:
      "Start a shell command that runs while you go on, such as a server. You are told when it ends.",
    input: BackgroundRunInput,
    // The command continues after the call, unobserved.
    action: ({ command }) => ({ type: "command", command, isGated: true }),
    run: ({ command }) => startInBackground(background, { command, timeoutMs: undefined }),
  });
}

/** What `background_run` does, and `bash` with `run_in_background`. */
export async function startInBackground(
  background: BackgroundJobs,
  request: JobRequest,
): Promise<ToolOutput> {
  const job = await background.start(request);
  if ("problem" in job) return failure(`Error: ${job.problem}`);
  return success(`Background task ${job.id} started: ${job.command}`);
}

const CheckBackgroundInput = z.object({ task_id: z.string().optional() });

export function checkBackgroundTool({ background }: { background: BackgroundJobs }): Tool {
  return defineTool({
    name: "check_background",
    description: "Status and output of a background task; without task_id, the list of them.",
    input: CheckBackgroundInput,
    action: () => ({ type: "coordinate" }),
    async run({ task_id: id }) {
      const jobs = background.list();
      if (id === undefined)
        return success(jobs.map(summaryOf).join("\n") || "No background tasks.");
      const job = jobs.find((it) => it.id === id);
      if (!job) return failure(unknownTask(id, jobs));
      return success(`[${stateOf(job)}] ${job.command}\n${job.output || "(no output yet)"}`);
    },
  });
}

function summaryOf(job: BackgroundJob): string {
  return `${job.id}: [${stateOf(job)}] ${firstLine(job.command)}`;
}

/** Includes the pid, with which a running one can be ended. */
function stateOf({ status, pid }: BackgroundJob): string {
  return status === "running" ? `running, pid ${pid}` : status;
}

function firstLine(command: string): string {
  const [line = ""] = command.trim().split("\n", 1);
  return line.length < command.trim().length || line.length > 100
    ? `${firstCharacters(line, 100)}…`
    : line;
}

function unknownTask(id: string, jobs: readonly BackgroundJob[]): string {
  const known = jobs.map((job) => job.id).join(", ") || "none";
  return `Error: Unknown task ${id}. Known background tasks: ${known}.`;
}
