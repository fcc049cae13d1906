import { z } from "zod";
import type { ToolAction } from "../protocol/tools.ts";
import { failure, type PreparedCall, type Tool } from "../tools/tool.ts";
import { callServer } from "./call-server.ts";
import type { ServerTool } from "./server-tools.ts";
import type { KeepBytes } from "./shown-content.ts";
import type { MemberServer } from "./team-servers.ts";

const Input = z.record(z.string(), z.unknown());

/** A tool of a server that a model has like one of Troupe's own. The server checks the input. */
export function directTool(server: MemberServer, tool: ServerTool, keepBytes: KeepBytes): Tool {
  return {
    spec: tool.spec,
    prepare(given) {
      const input = Input.safeParse(given);
      if (!input.success) {
        const text = `Error: Invalid input for ${tool.spec.name}: it must be an object. Nothing was done.`;
        return { type: "invalid", output: failure(text) };
      }
      return preparedCall(server, tool, { input: input.data, keepBytes });
    },
  };
}

/** A call of a server's tool that can be judged. */
function preparedCall(
  server: MemberServer,
  { name, spec, readOnly }: Pick<ServerTool, "name" | "spec" | "readOnly">,
  { input, keepBytes }: { input: Record<string, unknown>; keepBytes: KeepBytes },
): PreparedCall {
  return {
    type: "prepared",
    action: mcpAction(server.name, spec.name, readOnly),
    run: (context) => callServer(server, { name, arguments: input }, { context, keepBytes }),
  };
}

/** Rules are about the name that models have for a tool. */
export function mcpAction(server: string, shownName: string, readOnly: boolean): ToolAction {
  return { type: "mcp", server, tool: shownName.slice(`mcp__${server}__`.length), readOnly };
}
