import type * as Bash from "unbash";
import { forEachChild } from "unbash";
import { type Argument, anyWords, hasPatternSign, knownValue, oneOf } from "./argument.ts";
import { lookIntoArithmetic } from "./arithmetic.ts";
import { builtinEffect } from "./builtins.ts";
import { CommandCollector, shellItself } from "./command-collector.ts";
import {
  type DirectoryOutcome,
  type DirectoryRoutes,
  directoryStep,
  eitherWay,
  merged,
  staying,
} from "./directory-routes.ts";
import { isEndless, isLeftRunning } from "./endless.ts";
import { evaluateWord } from "./evaluate-word.ts";
import { lookInside, lookIntoTest } from "./expansions.ts";
import { findHiddenProgram } from "./launchers.ts";
import type { LineCommands, SimpleCommand } from "./line-commands.ts";
import { parseLine } from "./parse-line.ts";
import { ShellVariables } from "./shell-variables.ts";
import type { ShellEnvironment } from "./variables.ts";
import type { Walker } from "./walker.ts";
import { type Inner, unwrap } from "./wrappers.ts";
import { openedFiles, patternProblem, writtenCommand } from "./written-command.ts";

/** Commands with more wrappings are not judged. */
const mostWrappings = 20;

type ShellScript = Extract<Inner, { type: "script" }>;

/**
 * Walks a parsed line as bash would run it in an environment, and collects every command that might
 * be run.
 */
export function findCommands(
  script: Bash.ParsedScript,
  environment: ShellEnvironment = {},
): LineCommands {
  const findings = new CommandCollector();
  new CommandFinder(findings, environment).walk(script, [[]]);
  return findings.line;
}

class CommandFinder {
  readonly #collector: CommandCollector;
  readonly #variables: ShellVariables;

  constructor(findings: CommandCollector, environment: ShellEnvironment) {
    this.#collector = findings;
    this.#variables = new ShellVariables(environment);
  }

  walk(script: Bash.ParsedScript, routes: DirectoryRoutes): void {
    if (script.errors?.length) this.#collector.giveUp("it cannot be parsed as bash");
    this.#statements(script.commands, routes);
  }

  #statements(statements: Bash.Script["commands"], routes: DirectoryRoutes): DirectoryOutcome {
    let outcome: DirectoryOutcome = { success: routes, failure: routes };
    for (const [index, statement] of statements.entries()) {
      if (this.#collector.isFull()) break;
      if (isLeftRunning(statements, index)) this.#collector.doubt("it leaves a command running");
      outcome = this.#statement(statement, this.#collector.bounded(eitherWay(outcome)));
    }
    return outcome;
  }

  #statement({ command, background }: Bash.Statement, routes: DirectoryRoutes): DirectoryOutcome {
    if (background) return this.#aside(routes, () => this.#node(command, routes));
    return this.#node(command, routes);
  }

  /** Walks a part with its own shell: neither its variables nor its directory come back. */
  #aside(routes: DirectoryRoutes, walk: () => void): DirectoryOutcome {
    this.#variables.aside(walk);
    return staying(routes);
  }

  /** This walk as the words of a command see it, from where the command runs. */
  #walker(routes: DirectoryRoutes): Walker {
    const walker: Walker = {
      variables: this.#variables,
      look: (part) => lookInside(part, walker),
      doubt: (reason) => this.#collector.doubt(reason),
      assign: (name, value) => this.#assign(name, value),
      script: (script) => {
        this.#collector.deeper(() => this.#aside(routes, () => this.walk(script, routes)));
      },
    };
    return walker;
  }

  #node(node: Bash.Statement["command"], routes: DirectoryRoutes): DirectoryOutcome {
    return this.#collector.deeper(() => this.#anyNode(node, routes)) ?? staying(routes);
  }

  #anyNode(node: Bash.Statement["command"], routes: DirectoryRoutes): DirectoryOutcome {
    if (node.type === "AndOr") return this.#andOr(node, routes);
    if (node.type !== "Pipeline") return this.#command(node, routes);
    const [only, ...others] = node.commands;
    if (only && others.length === 0) return staying(eitherWay(this.#node(only, routes)));
    for (const command of node.commands) this.#aside(routes, () => this.#node(command, routes));
    return staying(routes);
  }

  #andOr({ commands, operators }: Bash.AndOr, routes: DirectoryRoutes): DirectoryOutcome {
    const [first, ...others] = commands;
    let outcome = first ? this.#node(first, routes) : staying(routes);
    for (const [index, next] of others.entries()) {
      const { success, failure } = outcome;
      const isAnd = operators[index] === "&&";
      const from = this.#collector.bounded(isAnd ? success : failure);
      const then = this.#variables.perhaps(() => this.#node(next, from));
      outcome = isAnd
        ? { success: then.success, failure: merged(failure, then.failure) }
        : { success: merged(success, then.success), failure: then.failure };
    }
    return outcome;
  }

  #command(node: Bash.CommandNode, routes: DirectoryRoutes): DirectoryOutcome {
    switch (node.type) {
      case "Command":
        return this.#simple(node, routes);
      case "Redirected": {
        const opened = openedFiles(node.redirects, this.#walker(routes));
        this.#collector.add({ ...shellItself, opened, routes });
        return this.#compound(node.command, routes);
      }
      case "Function":
      case "Coproc":
        this.#collector.doubt(`it has a ${node.type === "Function" ? "function" : "coprocess"}`);
        if (node.body.type === "CompoundList") this.#statements(node.body.commands, routes);
        else this.#node(node.body, routes);
        return staying(routes);
      default:
        return this.#compound(node, routes);
    }
  }

  #compound(node: Bash.CompoundCommand, routes: DirectoryRoutes): DirectoryOutcome {
    switch (node.type) {
      case "BraceGroup":
        return this.#statements(node.body.commands, routes);
      case "Subshell":
        return this.#aside(routes, () => this.#statements(node.body.commands, routes));
      case "If": {
        const branches = [node, ...node.elif].flatMap(({ clause, then }) => [clause, then]);
        return this.#branches(node.else ? [...branches, node.else] : branches, routes);
      }
      case "Case":
        for (const word of [node.word, ...node.items.flatMap(({ pattern }) => pattern)]) {
          lookInside(word, this.#walker(routes));
        }
        return this.#branches(
          node.items.map(({ body }) => body),
          routes,
        );
      case "For":
        return this.#for(node, routes);
      case "While":
        if (isEndless(node.clause, node.body))
          this.#collector.doubt("it has a loop without an end");
        return this.#loop(routes, () => {
          for (const list of [node.clause, node.body]) this.#round(list, routes);
        });
      case "ArithmeticFor":
      case "Select":
        this.#collector.doubt("it has a menu or a counting loop");
        this.#variables.forgetAll();
        forEachChild(node, (child) => {
          if (child !== node.body) lookInside(child, this.#walker(routes));
        });
        return this.#loop(routes, () => this.#round(node.body, routes));
      case "TestCommand":
        lookIntoTest(node.expression, this.#walker(routes));
        return staying(routes);
      case "ArithmeticCommand":
        lookIntoArithmetic(node.expression, this.#walker(routes));
        return staying(routes);
    }
  }

  /** Each part may be run or not, in this order. */
  #branches(lists: readonly Bash.CompoundList[], routes: DirectoryRoutes): DirectoryOutcome {
    let possible = routes;
    for (const list of lists) {
      const outcome = this.#variables.perhaps(() => this.#statements(list.commands, possible));
      possible = merged(possible, eitherWay(outcome));
    }
    return staying(possible);
  }

  #loop(routes: DirectoryRoutes, walk: () => void): DirectoryOutcome {
    if (!this.#variables.everyRound(walk)) {
      this.#collector.doubt("it changes a variable in a loop");
    }
    return staying(routes);
  }

  /** A loop over known words is walked once for each of them; any other once for all. */
  #for({ name, wordlist, body }: Bash.For, routes: DirectoryRoutes): DirectoryOutcome {
    for (const word of wordlist ?? []) lookInside(word, this.#walker(routes));
    const values = wordlist?.flatMap((word) => evaluateWord(word, this.#variables)) ?? [anyWords];
    const caution = patternProblem(wordlist ? values : []);
    this.#collector.add({ ...shellItself, listed: values, caution, routes });
    const anyOfThem = oneOf(values);
    const walk = () => {
      for (const value of values) {
        if (this.#collector.isFull()) break;
        this.#assign(name.value, value);
        this.#round(body, routes);
        this.#assign(name.value, anyOfThem);
      }
    };
    this.#assign(name.value, anyWords);
    if (!values.every(({ type }) => type === "literal")) return this.#loop(routes, walk);
    walk();
    return staying(routes);
  }

  #round(body: Bash.CompoundList, routes: DirectoryRoutes): void {
    const outcome = this.#variables.perhaps(() => this.#statements(body.commands, routes));
    if (merged(routes, eitherWay(outcome)).length > routes.length) {
      this.#collector.doubt("it changes the directory in a loop");
    }
  }

  #simple(node: Bash.Command, routes: DirectoryRoutes): DirectoryOutcome {
    const command = writtenCommand(node, this.#walker(routes), this.#collector);
    if (!command) return staying(routes);
    if (node.name) return this.#program({ ...command, routes });
    this.#collector.add({ ...command, routes });
    return staying(routes);
  }

  /** Unwraps a command, and records its effects on the shell itself. */
  #program(command: SimpleCommand): DirectoryOutcome {
    const { words, routes } = command;
    const wrappings = [...command.wrappings, words];
    if (wrappings.length > mostWrappings) {
      this.#collector.giveUp("it is wrapped too often");
      return staying(routes);
    }
    const hidden = findHiddenProgram(words);
    if (hidden !== undefined) this.#collector.noteHiddenProgram(hidden);
    const inner = unwrap(words);
    const caution = command.caution ?? inner.doubt;
    if (inner.type === "command") {
      return this.#program({ ...command, words: inner.words, wrappings, caution });
    }
    if (inner.type === "script") {
      // The shell itself does nothing: its script's commands are judged instead.
      this.#collector.add({ ...command, words: [], wrappings, caution });
      return this.#script(inner, routes);
    }
    this.#collector.add({ ...command, caution });
    return this.#afterBuiltin(command);
  }

  #script({ script, isOwnShell }: ShellScript, routes: DirectoryRoutes): DirectoryOutcome {
    if (!this.#collector.hasRoomForText(script)) return staying(routes);
    const parsed = parseLine(script);
    if (parsed.type === "unparsable") {
      this.#collector.giveUp(parsed.reason);
      return staying(routes);
    }
    if (!isOwnShell) return this.#statements(parsed.script.commands, routes);
    this.#variables.elsewhere(() => this.walk(parsed.script, routes));
    return staying(routes);
  }

  #afterBuiltin({ words, wrappings, routes }: SimpleCommand): DirectoryOutcome {
    const { assigned, forgets, doubt } = builtinEffect(words);
    for (const variable of assigned) {
      // An exported variable has been judged with its value.
      if (knownValue(words[0]) === "export") this.#variables.set(variable, anyWords);
      else this.#assign(variable, anyWords);
    }
    if (forgets) this.#variables.forgetAll();
    if (doubt !== undefined) this.#collector.doubt(doubt);
    if (knownValue(words[0]) !== "cd") return staying(routes);
    const step = words.length === 2 ? directoryStep(words[1]) : undefined;
    if (typeof step !== "string" || wrappings.length > 0) {
      this.#collector.doubt("it changes to a directory that is not known");
    }
    if (step === undefined) return staying(routes);
    if (typeof step === "string" && hasPatternSign(step)) this.#variables.set("PWD", anyWords);
    return { success: routes.map((route) => [...route, step]), failure: routes };
  }

  #assign(name: string, value: Argument): void {
    if (this.#variables.isLeading(name, value)) this.#collector.doubt(`it sets ${name}`);
    this.#variables.set(name, value);
  }
}
