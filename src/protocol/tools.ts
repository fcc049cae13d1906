/** A tool as it is described to a model. */
export interface ToolSpec {
  /** The name by which a model calls it. */
  readonly name: string;
  /** What it does and when to use it, for the model. */
  readonly description: string;
  /** JSON Schema of its input: an object. */
  readonly input_schema: Readonly<Record<string, unknown>>;
}

/**
 * What a call would do, for permissions, plan gates and ordering. Paths are as the model wrote
 * them.
 */
export type ToolAction =
  /** Mail, tasks, the roster: nothing outside troupe. Independent calls may run in parallel. */
  | { type: "coordinate"; isIndependent?: boolean }
  /** With `isTree`, everything below the path is read too. */
  | { type: "read"; path: string; isTree?: boolean }
  | { type: "write"; path: string }
  /**
   * With `isGated`, a closed plan gate refuses it even where the command only reads. `leaving` is why it is
   * to run outside the sandbox. With `isTriable`, it can be tried where it changes nothing.
   */
  | { type: "command"; command: string; isGated?: true; leaving?: string; isTriable?: true }
  /** Gets a page of the web. Its host learns the address, whatever a model has put into it. */
  | { type: "fetch"; url: string }
  /**
   * Something outside the workspace, such as a request to a server. `summary` says what in a few
   * words, for the person who is asked. With `isReadOnly`, it changes nothing there.
   */
  | { type: "effect"; summary: string; isReadOnly?: boolean }
  /**
   * A tool of an MCP server, by the names that rules have for them. `readOnly` is what a server that the person
   * has configured says of its tool.
   */
  | { type: "mcp"; server: string; tool: string; readOnly: boolean };
