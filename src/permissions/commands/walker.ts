import type { ParsedScript, SyntaxNode } from "unbash";
import type { Argument } from "./argument.ts";
import type { ShellVariables } from "./shell-variables.ts";

/** The walk through a line, as its words and calculations need it. */
export interface Walker {
  readonly variables: ShellVariables;
  /** Looks into a part of a word. */
  look(part: SyntaxNode): void;
  /** Walks a script that runs within a word. */
  script(script: ParsedScript): void;
  doubt(reason: string): void;
  assign(name: string, value: Argument): void;
}
