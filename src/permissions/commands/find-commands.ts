import type {
  ArithmeticExpression,
  Assignment,
  Command,
  CommandNode,
  CompoundCommand,
  CompoundList,
  For,
  ParsedScript,
  Redirection,
  Script,
  Statement,
  SyntaxNode,
  TestExpression,
  Word,
} from "unbash";
import { forEachChild } from "unbash";
import { type Argument, anyNumber, anyWord, anyWords, knownValue, literal } from "./argument.ts";
import { evaluateWord } from "./evaluate-word.ts";
import type { Line, OpenedFile, Route, SimpleCommand } from "./line.ts";
import { parseLine } from "./parse-line.ts";
import { isHarmlessVariable, isLeadingVariable } from "./variables.ts";
import { unwrap } from "./wrappers.ts";

/** More commands than a person could look through are not judged one by one. */
const mostCommands = 500;
const deepest = 100;

/** Walks a parsed line as bash would run it, and collects every command that might be run. */
export function findCommands(script: ParsedScript): Line {
  const finder = new CommandFinder();
  finder.walk(script);
  return finder.line;
}

/** The directories a shell may be in after a command that succeeded, and after one that failed. */
interface Outcome {
  readonly success: readonly Route[];
  readonly failure: readonly Route[];
}

const undoubted = { doubt: undefined, caution: undefined };

class CommandFinder {
  readonly #commands: SimpleCommand[] = [];
  readonly #doubts = new Set<string>();
  #variables = new Map<string, Argument>();
  #depth = 0;

  get line(): Line {
    return { commands: this.#commands, doubts: [...this.#doubts] };
  }

  walk(script: ParsedScript): void {
    this.#script(script, [[]]);
  }

  #doubt(reason: string): void {
    this.#doubts.add(reason);
  }

  #script(script: ParsedScript, routes: readonly Route[]): void {
    if (script.errors?.length) this.#doubt("it cannot be parsed as bash");
    this.#statements(script.commands, routes);
  }

  #statements(statements: Script["commands"], routes: readonly Route[]): Outcome {
    let outcome: Outcome = { success: routes, failure: routes };
    for (const statement of statements) {
      if (this.#isTooMuch()) break;
      outcome = this.#statement(statement, eitherWay(outcome));
    }
    return outcome;
  }

  #isTooMuch(): boolean {
    if (this.#commands.length >= mostCommands) {
      this.#doubt(`it has more than ${mostCommands} commands`);
    } else if (this.#depth > deepest) {
      this.#doubt("it is nested too deeply");
    } else {
      return false;
    }
    return true;
  }

  #statement({ command, background }: Statement, routes: readonly Route[]): Outcome {
    if (background) return this.#aside(routes, () => this.#node(command, routes));
    return this.#node(command, routes);
  }

  /** Runs what has a shell of its own: neither its variables nor its directory come back. */
  #aside(routes: readonly Route[], walk: () => void): Outcome {
    const variables = new Map(this.#variables);
    walk();
    this.#variables = variables;
    return { success: routes, failure: routes };
  }

  /** Runs what may not run at all: what it changes is not known afterwards. */
  #perhaps<T>(walk: () => T): T {
    const before = new Map(this.#variables);
    const result = walk();
    for (const [name, value] of this.#variables) {
      if (before.get(name) !== value) this.#variables.set(name, anyWords);
    }
    return result;
  }

  #node(node: Statement["command"], routes: readonly Route[]): Outcome {
    this.#depth++;
    const outcome = this.#isTooMuch() ? staying(routes) : this.#anyNode(node, routes);
    this.#depth--;
    return outcome;
  }

  #anyNode(node: Statement["command"], routes: readonly Route[]): Outcome {
    if (node.type === "AndOr") {
      let outcome = this.#node(node.commands[0] ?? unexpected(node), routes);
      for (const [index, next] of node.commands.slice(1).entries()) {
        const { success, failure } = outcome;
        const isAnd = node.operators[index] === "&&";
        const then = this.#perhaps(() => this.#node(next, isAnd ? success : failure));
        outcome = isAnd
          ? { success: then.success, failure: merged(failure, then.failure) }
          : { success: merged(success, then.success), failure: then.failure };
      }
      return outcome;
    }
    if (node.type === "Pipeline") {
      const [only, ...others] = node.commands;
      if (only && others.length === 0) return staying(eitherWay(this.#node(only, routes)));
      for (const command of node.commands) this.#aside(routes, () => this.#node(command, routes));
      return staying(routes);
    }
    return this.#command(node, routes);
  }

  #command(node: CommandNode, routes: readonly Route[]): Outcome {
    switch (node.type) {
      case "Command":
        return this.#simple(node, routes);
      case "Redirected": {
        const opened = this.#opened(node.redirects, routes);
        this.#commands.push({ words: [], wrappings: [], opened, routes, ...undoubted });
        return this.#compound(node.command, routes);
      }
      case "Function":
        this.#doubt("it defines a function");
        this.#node(node.body.type === "CompoundList" ? unexpected(node) : node.body, routes);
        return staying(routes);
      case "Coproc":
        this.#doubt("it starts a coprocess");
        this.#node(node.body.type === "CompoundList" ? unexpected(node) : node.body, routes);
        return staying(routes);
      default:
        return this.#compound(node, routes);
    }
  }

  #compound(node: CompoundCommand, routes: readonly Route[]): Outcome {
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
          this.#inside(word, routes);
        }
        return this.#branches(
          node.items.map(({ body }) => body),
          routes,
        );
      case "For":
        return this.#for(node, routes);
      case "While":
        return this.#loop([node.clause, node.body], routes);
      case "ArithmeticFor":
        for (const part of [node.initialize, node.test, node.update])
          this.#arithmetic(part, routes);
        return this.#loop([node.body], routes);
      case "Select":
        this.#doubt("it has a menu");
        return this.#loop([node.body], routes);
      case "TestCommand":
        this.#test(node.expression, routes);
        return staying(routes);
      case "ArithmeticCommand":
        this.#arithmetic(node.expression, routes);
        return staying(routes);
    }
  }

  /** Each part may be run or not, in this order. */
  #branches(lists: readonly CompoundList[], routes: readonly Route[]): Outcome {
    let possible = routes;
    for (const list of lists) {
      const outcome = this.#perhaps(() => this.#statements(list.commands, possible));
      possible = merged(possible, eitherWay(outcome));
    }
    return staying(possible);
  }

  #loop(lists: readonly CompoundList[], routes: readonly Route[]): Outcome {
    this.#forgetAssigned(lists);
    for (const list of lists) {
      const outcome = this.#perhaps(() => this.#statements(list.commands, routes));
      if (merged(routes, eitherWay(outcome)).length > routes.length) {
        this.#doubt("it changes the directory in a loop");
      }
    }
    return staying(routes);
  }

  /** What a later round of a loop assigns, its first round must not take for known. */
  #forgetAssigned(lists: readonly CompoundList[]): void {
    const forget = (node: SyntaxNode): void => {
      if (node.type === "Assignment") this.#variables.set(node.name, anyWords);
      if (node.type === "For") this.#variables.set(node.name.value, anyWords);
      if (node.type === "ArithmeticUnary" || node.type === "ArithmeticBinary") {
        const target = node.type === "ArithmeticUnary" ? node.operand : node.left;
        if (target.type === "ArithmeticWord" && this.#variables.has(target.value)) {
          this.#variables.set(target.value, anyNumber);
        }
      }
      // `read` and its like assign what their arguments name.
      if (node.type === "Word" && this.#variables.has(node.text)) {
        this.#variables.set(node.text, anyWords);
      }
      forEachChild(node, forget);
    };
    for (const list of lists) forget(list);
  }

  /** A loop over known words is walked once for each of them; any other once for all. */
  #for({ name, wordlist, body }: For, routes: readonly Route[]): Outcome {
    for (const word of wordlist ?? []) this.#inside(word, routes);
    const values = wordlist?.flatMap((word) => evaluateWord(word, this.#variables)) ?? [anyWords];
    this.#assign(name.value, anyWords);
    if (values.some(({ type }) => type !== "literal")) this.#forgetAssigned([body]);
    for (const value of values) {
      if (this.#isTooMuch()) break;
      this.#variables.set(name.value, value);
      const before = routes.length;
      const outcome = this.#perhaps(() => this.#statements(body.commands, routes));
      if (merged(routes, eitherWay(outcome)).length > before) {
        this.#doubt("it changes the directory in a loop");
      }
    }
    this.#variables.set(name.value, anyWords);
    return staying(routes);
  }

  #simple(node: Command, routes: readonly Route[]): Outcome {
    const assignments = node.prefix.filter((part) => part.type === "Assignment");
    for (const assignment of assignments) this.#inside(assignment, routes);
    const opened = this.#opened(node.redirects, routes);
    const written = [node.name, ...node.args].filter((part) => part !== undefined);
    for (const part of written) this.#inside(part, routes);
    if (!node.name) {
      for (const assignment of assignments) this.#bind(assignment);
      this.#commands.push({ words: [], wrappings: [], opened, routes, ...undoubted });
      return staying(routes);
    }
    const words = written.flatMap((part) => this.#argument(part));
    const leading = assignments.find(({ name }) => !isHarmlessVariable(name));
    const doubt = leading && `it sets ${leading.name} for a program`;
    return this.#program({ ...undoubted, words, wrappings: [], opened, routes, doubt });
  }

  #argument(part: Word | Assignment): Argument[] {
    if (part.type === "Word") return evaluateWord(part, this.#variables);
    if (part.value.type === "ArrayValue") return [anyWords];
    const [value, ...others] = evaluateWord(part.value, this.#variables);
    if (value?.type !== "literal" || others.length > 0) {
      return [{ ...anyWord, start: `${part.name}=` }];
    }
    return [literal(`${part.name}=${value.value}`)];
  }

  /** Takes a command out of what it is wrapped in, and notes what it does to the shell itself. */
  #program(command: SimpleCommand): Outcome {
    const { words, routes } = command;
    const inner = unwrap(words);
    if (inner.type === "command") {
      const wrappings = [...command.wrappings, words];
      const caution = command.caution ?? inner.doubt;
      return this.#program({ ...command, words: inner.words, wrappings, caution });
    }
    if (inner.type === "script") {
      // The shell does nothing of its own: its script's commands are judged in its place.
      this.#commands.push({ ...command, words: [], wrappings: [...command.wrappings, words] });
      const parsed = parseLine(inner.script);
      if (parsed.type === "unparsable") this.#doubt(parsed.reason);
      else this.#aside(routes, () => this.#elsewhere(parsed.script, routes));
      return staying(routes);
    }
    this.#commands.push({ ...command, caution: command.caution ?? inner.doubt });
    return this.#afterBuiltin(command);
  }

  /** Another shell knows nothing of this one's variables. */
  #elsewhere(script: ParsedScript, routes: readonly Route[]): void {
    this.#variables = new Map();
    this.#script(script, routes);
  }

  #afterBuiltin({ words, wrappings, routes }: SimpleCommand): Outcome {
    const [name, ...rest] = words.map(knownValue);
    if (name === "read" || name === "export") {
      for (const word of rest) if (word) this.#assign(word.replace(/=.*/s, ""), anyWords);
    }
    if (name !== "cd") return staying(routes);
    const step = rest.length === 1 ? rest[0] : undefined;
    if (step === undefined || /^[-~]|^$/.test(step) || wrappings.length > 0) {
      this.#doubt("it changes to a directory that is not known");
      return staying(routes);
    }
    return { success: routes.map((route) => [...route, step]), failure: routes };
  }

  #bind({ name, value, append, index }: Assignment): void {
    if (index) this.#doubt("it assigns by an index");
    const values = value.type === "Word" ? evaluateWord(value, this.#variables) : [];
    const [only] = values;
    const isKnown = values.length === 1 && only?.type !== "pattern" && !append;
    this.#assign(name, (isKnown ? only : undefined) ?? anyWords);
  }

  #assign(name: string, value: Argument): void {
    if (isLeadingVariable(name)) this.#doubt(`it sets ${name}`);
    this.#variables.set(name, value);
  }

  #opened(redirections: readonly Redirection[], routes: readonly Route[]): OpenedFile[] {
    return redirections.flatMap((redirection): OpenedFile[] => {
      this.#inside(redirection, routes);
      if (redirection.type !== "Redirect") return [];
      const { operator, target } = redirection;
      const [file, ...others] = target ? evaluateWord(target, this.#variables) : [];
      if (!file || others.length > 0) return [{ use: "write", target: anyWords }];
      const isDescriptor = operator === "<&" || operator === ">&";
      if (isDescriptor && /^(\d+-?|-)$/.test(knownValue(file) ?? "")) return [];
      return [{ use: operator === "<" ? "read" : "write", target: file }];
    });
  }

  #test(expression: TestExpression, routes: readonly Route[]): void {
    const evaluates = /^-(v|R|eq|ne|lt|le|gt|ge)$/;
    forEachInside(expression, (node) => {
      if (node.type === "Word") this.#inside(node, routes);
      if (node.type !== "TestUnary" && node.type !== "TestBinary") return;
      if (!evaluates.test(node.operator)) return;
      const operands = node.type === "TestUnary" ? [node.operand] : [node.left, node.right];
      if (operands.some((operand) => !isNumeric(evaluateWord(operand, this.#variables)[0]))) {
        this.#doubt("it calculates with what is not known");
      }
    });
  }

  /** bash runs the substitutions in a variable's *value* when it calculates with it. */
  #arithmetic(expression: ArithmeticExpression | undefined, routes: readonly Route[]): void {
    if (!expression) return this.#doubt("it calculates with what is not known");
    forEachInside(expression, (node) => {
      if (node.type === "ArithmeticCommandExpansion") {
        this.#doubt("it calculates with what a command prints");
        this.#inside(node, routes);
      }
      if (node.type !== "ArithmeticWord") return;
      for (const part of node.parts ?? []) this.#inside(part, routes);
      const name = node.value.replace(/^\$/, "");
      if (!/^(\d+|[?#])$/.test(name) && !isNumeric(this.#variables.get(name))) {
        this.#doubt("it calculates with what is not known");
      }
    });
  }

  /** Walks the scripts within a word, and refuses expansions that do more than to put text in. */
  #inside(node: SyntaxNode, routes: readonly Route[]): void {
    this.#depth++;
    if (!this.#isTooMuch()) this.#insideAny(node, routes);
    this.#depth--;
  }

  #insideAny(node: SyntaxNode, routes: readonly Route[]): void {
    switch (node.type) {
      case "CommandExpansion":
      case "ProcessSubstitution":
      case "ArithmeticCommandExpansion": {
        const { script } = node;
        if (!script) return this.#doubt("it has a substitution that cannot be parsed");
        this.#aside(routes, () => this.#script(script, routes));
        return;
      }
      case "Word":
        if (hasWildBraces(node)) this.#doubt("it has braces that are not understood");
        break;
      case "ArithmeticExpansion":
        return this.#arithmetic(node.expression, routes);
      case "LocaleString":
      case "ExtendedGlob":
      case "Unknown":
      case "Transform":
        this.#doubt("it has an expansion that is not understood");
        break;
      case "ParameterExpansion":
        if (node.prefix === "!" || (node.index && !/^[@*\d]+$/.test(node.index.text))) {
          this.#doubt("it has an expansion that is not understood");
        }
        break;
      case "Default":
        if (node.operator.endsWith("=")) this.#doubt("it assigns in an expansion");
        break;
      case "Slice":
        if (![node.offset, node.length].every((word) => /^\s*-?\d*\s*$/.test(word?.text ?? ""))) {
          this.#doubt("it calculates with what is not known");
        }
        break;
      default:
        break;
    }
    forEachChild(node, (child) => this.#inside(child, routes));
  }
}

function forEachInside(node: SyntaxNode, visit: (node: SyntaxNode) => void, depth = 0): void {
  if (depth > deepest) throw new RangeError("nested too deeply");
  visit(node);
  if (node.type === "Word" || node.type === "ArithmeticWord") return;
  forEachChild(node, (child) => forEachInside(child, visit, depth + 1));
}

function isNumeric(argument: Argument | undefined): boolean {
  if (argument?.type === "unknown") return argument.isNumber;
  return /^-?\d+$/.test(knownValue(argument) ?? "");
}

/** Braces can multiply to more words than a machine can hold. */
function hasWildBraces(word: Word): boolean {
  const hasBraces = word.parts?.some(({ type }) => type === "BraceExpansion") ?? false;
  return hasBraces && evaluateWord(word, new Map())[0]?.type === "unknown";
}

function staying(routes: readonly Route[]): Outcome {
  return { success: routes, failure: routes };
}

function eitherWay({ success, failure }: Outcome): readonly Route[] {
  return merged(success, failure);
}

function merged(some: readonly Route[], others: readonly Route[]): readonly Route[] {
  const known = new Map([...some, ...others].map((route) => [JSON.stringify(route), route]));
  return [...known.values()];
}

function unexpected(node: SyntaxNode): never {
  throw new TypeError(`Nothing to run in ${node.type}`);
}
