import packageJson from "../../package.json" with { type: "json" };
import { reasonOf, TeamError } from "../errors.ts";
import { HttpEndpoint } from "../mcp-server/http-endpoint.ts";
import { memberOffer } from "../mcp-server/member-offer.ts";
import { lead, type MemberName, parseMemberName } from "../protocol/ids.ts";
import type { Tool } from "../tools/tool.ts";
import type { Supervisor } from "./supervisor.ts";

/** How a program that does the work of a member reaches the member's tools for the team. */
export interface MemberSeat extends AsyncDisposable {
  /** An MCP server over HTTP, for programs of this machine. */
  readonly url: string;
  /** For the header `Authorization: Bearer …`. Anyone who has it is this member, until the member ends or is spawned again. */
  readonly secret: string;
  /** Withdraws the secret. */
  close(): Promise<void>;
}

/** The seats of a team's members. They share one endpoint, which is opened with the first. */
export class MemberSeats implements AsyncDisposable {
  readonly #supervisor: Supervisor;
  #endpoint: Promise<HttpEndpoint> | undefined;

  constructor(supervisor: Supervisor) {
    this.#supervisor = supervisor;
  }

  async open(given: string): Promise<MemberSeat> {
    const { options, members } = this.#supervisor;
    const { name } = members.require(parseMemberName(given));
    if (name === lead) {
      throw new TeamError("config-invalid", "The lead has no seat", {
        hint: "A program that acts for the person is served by `troupe mcp`.",
      });
    }
    const incarnation = await this.#incarnationOf(name);
    const { secrets, clock, onWarning } = options;
    const tools = options.teamTools(name, this.#supervisor)({ takeMail: async () => [] });
    const offer = memberOffer({
      version: packageJson.version,
      caller: { member: name, cwd: options.lead.cwd, clock, mask: (text) => secrets.mask(text) },
      tools: tools.map((tool) => masking(tool, (input) => secrets.maskJson(input))),
      // Its loop delivers all mail, with the requests to its model: to show it here, too, would show it twice.
      takeMail: async () => [],
      onFailure: (error) => onWarning(`A call of '${name}' over MCP failed: ${reasonOf(error)}`),
    });
    this.#endpoint ??= HttpEndpoint.open();
    const endpoint = await this.#endpoint;
    const admission = endpoint.admit(offer, {
      isValid: async () =>
        incarnation !== undefined && (await this.#incarnationOf(name)) === incarnation,
    });
    const close = async () => admission[Symbol.asyncDispose]();
    return { url: endpoint.url, secret: admission.secret, close, [Symbol.asyncDispose]: close };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await (await this.#endpoint)?.[Symbol.asyncDispose]();
  }

  /** Undefined for a member that has ended. */
  async #incarnationOf(name: MemberName): Promise<string | undefined> {
    const { members } = await this.#supervisor.protocols.keeper.read();
    const record = members.find((member) => member.name === name);
    return record?.status === "shutdown" ? undefined : record?.incarnation;
  }
}

/** What a model writes never has a key in it. */
function masking(tool: Tool, mask: (input: unknown) => unknown): Tool {
  return { spec: tool.spec, prepare: (input) => tool.prepare(mask(input)) };
}
