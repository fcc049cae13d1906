import { AsyncLocalStorage } from "node:async_hooks";
import fs from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";

/** What goes wrong at the `at`-th call that can fail so, counted from one. */
export type Fault =
  /** The process dies: this change, and everything after it, does not happen. */
  | { type: "crash"; at: number; writtenShare: number }
  /** This one call fails, and all goes on. */
  | { type: "error"; at: number; code: Errno }
  /** This one write takes only half of the bytes, and all goes on. */
  | { type: "short-write"; at: number };

export type Errno = "EIO" | "ENOSPC" | "EROFS" | "EMFILE";

/** What code in a dead process gets from every call: it can no longer reach the disk. */
class SimulatedCrash extends Error {
  override readonly name = "SimulatedCrash";
}

export interface FaultyRun {
  /** The call that the fault hit; undefined where the run ended before it. */
  hit: string | undefined;
  isWriteHit: boolean;
  /** What the operation threw, a simulated crash included. */
  error: unknown;
}

/** Closing is no place for faults: a local disk does not fail there, and a dead process closes. */
type Kind = "open" | "create" | "write" | "change" | "remove" | "read";

/**
 * Breaks `node:fs`, `node:fs/promises` and file handles for one operation at a time, without any
 * seam in the code under test. An operation and all it starts are one process: once that has
 * crashed, whatever is left of it cannot touch the disk, while all other code goes on as ever.
 */
export class FaultyFileSystem implements Disposable {
  readonly #process = new AsyncLocalStorage<FaultyProcess | undefined>();
  readonly #originals: { target: object; name: string; original: unknown }[] = [];

  private constructor() {}

  static async install(): Promise<FaultyFileSystem> {
    const faulty = new FaultyFileSystem();
    const handle = await open("/dev/null");
    await handle.close();
    const handles: FileHandle = Object.getPrototypeOf(handle);
    for (const [name, kind] of Object.entries(syncFunctions)) faulty.#patchSync(name, kind);
    for (const [name, kind] of Object.entries(promiseFunctions)) {
      faulty.#patchAsync(fs.promises, name, kind);
    }
    for (const [name, kind] of Object.entries(handleMethods)) {
      faulty.#patchAsync(handles, name, kind);
    }
    syncBuiltinESMExports();
    return faulty;
  }

  /** Runs `operation` as a process of its own that meets `fault`. */
  async run(fault: Fault, operation: () => Promise<void>): Promise<FaultyRun> {
    const faultyProcess = new FaultyProcess(fault);
    let error: unknown;
    try {
      await this.#process.run(faultyProcess, operation);
    } catch (thrown) {
      error = thrown;
    }
    const { hit, isWriteHit } = faultyProcess;
    return { hit, isWriteHit, error };
  }

  /** Throws where the calling code is part of a process that has died: it has seen no result. */
  assertAlive(): void {
    this.#process.getStore()?.assertAlive();
  }

  [Symbol.dispose](): void {
    for (const { target, name, original } of this.#originals) Reflect.set(target, name, original);
    syncBuiltinESMExports();
  }

  #patchSync(name: string, kind: Kind): void {
    const faulty = this;
    this.#patch(fs, name, (original) => {
      return function (this: unknown, ...args: unknown[]) {
        const judged = faulty.#judge(name, kind, args);
        const result = judged.happens && faulty.#call(original, this, judged.args);
        if (judged.error) throw judged.error;
        return result;
      };
    });
  }

  #patchAsync(target: object, name: string, kind: Kind): void {
    const faulty = this;
    this.#patch(target, name, (original) => {
      return async function (this: unknown, ...args: unknown[]) {
        const judged = faulty.#judge(name, kind, args);
        const result = judged.happens && (await faulty.#call(original, this, judged.args));
        if (judged.error) throw judged.error;
        return result;
      };
    });
  }

  /** What Node's own functions call in their turn is no call of the code under test. */
  #call(original: AnyFunction, self: unknown, args: unknown[]): unknown {
    return this.#process.run(undefined, () => Reflect.apply(original, self, args));
  }

  #patch(target: object, name: string, wrap: (original: AnyFunction) => unknown): void {
    const original: unknown = Reflect.get(target, name);
    if (!isFunction(original)) throw new Error(`There is no function ${name}`);
    this.#originals.push({ target, name, original });
    Reflect.set(target, name, wrap(original));
  }

  #judge(name: string, kind: Kind, args: unknown[]): Judged {
    const faultyProcess = this.#process.getStore();
    if (!faultyProcess) return { happens: true, args };
    const isCreation = (name === "open" || name === "openSync") && createsFile(args[1]);
    return faultyProcess.judge({ name, kind: isCreation ? "create" : kind, args });
  }
}

type AnyFunction = (...args: never) => unknown;

function isFunction(value: unknown): value is AnyFunction {
  return typeof value === "function";
}

interface Call {
  name: string;
  kind: Kind;
  args: unknown[];
}

/** Whether a call happens, with which arguments, and what it throws afterwards. */
interface Judged {
  happens: boolean;
  args: unknown[];
  error?: Error;
}

class FaultyProcess {
  hit: string | undefined;
  isWriteHit = false;
  readonly #fault: Fault;
  #calls = 0;
  #isDead = false;

  constructor(fault: Fault) {
    this.#fault = fault;
  }

  assertAlive(): void {
    if (this.#isDead) throw new SimulatedCrash("The process is dead");
  }

  judge({ name, kind, args }: Call): Judged {
    this.assertAlive();
    if (!canHit(this.#fault, kind) || ++this.#calls !== this.#fault.at) {
      return { happens: true, args };
    }
    this.hit = name;
    this.isWriteHit = kind === "write";
    return this.#breakCall({ name, kind, args });
  }

  #breakCall({ name, kind, args }: Call): Judged {
    switch (this.#fault.type) {
      case "crash": {
        this.#isDead = true;
        const { writtenShare } = this.#fault;
        const error = new SimulatedCrash(`The process died in ${name}`);
        const happens = kind === "write" && writtenShare > 0;
        return { happens, args: happens ? cutWrite(name, args, writtenShare) : args, error };
      }
      case "error":
        return { happens: false, args, error: systemError(this.#fault.code, name) };
      case "short-write": {
        const cut = { happens: true, args: cutWrite(name, args, 0.5) };
        // Only write(2) tells how much fitted; what is built on it goes on and then meets the end.
        return name.startsWith("writeFile") ? { ...cut, error: systemError("ENOSPC", name) } : cut;
      }
    }
  }
}

function canHit(fault: Fault, kind: Kind): boolean {
  if (fault.type === "short-write") return kind === "write";
  if (fault.type === "crash") return kind !== "open" && kind !== "read";
  switch (fault.code) {
    case "EIO":
      return true;
    case "ENOSPC":
      return kind === "create" || kind === "write" || kind === "change";
    case "EROFS":
      return kind !== "open" && kind !== "read";
    case "EMFILE":
      return kind === "open" || kind === "create";
  }
}

function createsFile(flags: unknown): boolean {
  if (typeof flags === "number") return (flags & fs.constants.O_CREAT) !== 0;
  return typeof flags === "string" && flags !== "r" && flags !== "r+";
}

/** The arguments of a write with only the first part of its data. */
function cutWrite(name: string, args: unknown[], share: number): unknown[] {
  const dataIndex = name === "writeSync" || name === "writeFileSync" ? 1 : 0;
  const data = args[dataIndex];
  if (typeof data !== "string" && !(data instanceof Uint8Array)) {
    throw new Error(`${name} was called in a way that cannot be cut`);
  }
  const bytes = Buffer.from(data);
  return args.with(dataIndex, bytes.subarray(0, Math.floor(bytes.length * share)));
}

function systemError(code: Errno, name: string): Error {
  return Object.assign(new Error(`${code}: injected into ${name}`), { code });
}

const syncFunctions: Record<string, Kind> = {
  openSync: "open",
  writeSync: "write",
  writeFileSync: "write",
  ftruncateSync: "change",
  truncateSync: "change",
  renameSync: "change",
  linkSync: "change",
  mkdirSync: "change",
  chmodSync: "change",
  fchmodSync: "change",
  unlinkSync: "remove",
  rmSync: "remove",
  readSync: "read",
  fstatSync: "read",
  statSync: "read",
  readFileSync: "open",
  readdirSync: "open",
};

const promiseFunctions: Record<string, Kind> = {
  open: "open",
  writeFile: "write",
  appendFile: "write",
  truncate: "change",
  rename: "change",
  link: "change",
  mkdir: "change",
  chmod: "change",
  unlink: "remove",
  rm: "remove",
  stat: "read",
  lstat: "read",
  readFile: "open",
  readdir: "open",
};

const handleMethods: Record<string, Kind> = {
  write: "write",
  writeFile: "write",
  appendFile: "write",
  truncate: "change",
  chmod: "change",
  read: "read",
  readFile: "read",
  stat: "read",
};
