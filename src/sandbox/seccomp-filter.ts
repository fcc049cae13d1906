import { endianness } from "node:os";

/** The architectures whose calls are known here. */
export type FilteredArchitecture = "x64" | "arm64";

export function isFiltered(architecture: string): architecture is FilteredArchitecture {
  return architecture in calls && endianness() === "LE";
}

/**
 * A program for the kernel's seccomp filter, as bubblewrap takes it: it refuses calls by which a
 * process could change mounts and namespaces, look into other processes, or reach rarely used parts
 * of the kernel, where its faults are found. Everything else is allowed.
 */
export function seccompFilter(architecture: FilteredArchitecture): Uint8Array {
  const { audit, denied, clone, clone3, unshare, ioctl } = calls[architecture];
  const program = [
    load(offsets.architecture),
    ...unless({ is: audit }, [answer(verdicts.kill)]),
    load(offsets.call),
    // Calls by the numbers of another interface, which these rules do not know.
    ...(architecture === "x64"
      ? ifAtLeast(firstX32Call, [answer(errorVerdict(errno.ENOSYS))])
      : []),
    // Its flags are in memory, which a filter cannot read. C libraries take clone instead.
    ...when(clone3, [answer(errorVerdict(errno.ENOSYS))]),
    ...denied.flatMap((call) => when(call, [answer(errorVerdict(errno.EPERM))])),
    ...[clone, unshare].flatMap((call) => when(call, refusedFlags(namespaceFlags))),
    ...when(ioctl, [
      load(offsets.secondArgument),
      ...terminalInput.flatMap((request) => when(request, [answer(errorVerdict(errno.EPERM))])),
      answer(verdicts.allow),
    ]),
    answer(verdicts.allow),
  ];
  const bytes = new DataView(new ArrayBuffer(program.length * instructionBytes));
  program.forEach(({ code, ifTrue = 0, ifFalse = 0, value }, index) => {
    const at = index * instructionBytes;
    bytes.setUint16(at, code, true);
    bytes.setUint8(at + 2, ifTrue);
    bytes.setUint8(at + 3, ifFalse);
    bytes.setUint32(at + 4, value, true);
  });
  return new Uint8Array(bytes.buffer);
}

/** One step of classic BPF. The jumps are numbers of steps to skip. */
interface Instruction {
  readonly code: number;
  readonly ifTrue?: number;
  readonly ifFalse?: number;
  readonly value: number;
}

const instructionBytes = 8;

/** Where the parts of a call are, as the kernel gives them to a filter. Of arguments, the low half. */
const offsets = { call: 0, architecture: 4, firstArgument: 16, secondArgument: 24 } as const;

const verdicts = { allow: 0x7fff_0000, kill: 0x8000_0000, error: 0x0005_0000 } as const;
const errno = { EPERM: 1, ENOSYS: 38 } as const;

function errorVerdict(number: number): number {
  return verdicts.error | number;
}

function load(offset: number): Instruction {
  return { code: 0x20, value: offset };
}

function answer(verdict: number): Instruction {
  return { code: 0x06, value: verdict };
}

/** `steps` for exactly this value. */
function when(value: number, steps: readonly Instruction[]): Instruction[] {
  return [{ code: 0x15, ifFalse: steps.length, value }, ...steps];
}

function unless({ is }: { is: number }, steps: readonly Instruction[]): Instruction[] {
  return [{ code: 0x15, ifTrue: steps.length, value: is }, ...steps];
}

function ifAtLeast(value: number, steps: readonly Instruction[]): Instruction[] {
  return [{ code: 0x35, ifFalse: steps.length, value }, ...steps];
}

/** Refuses a call whose first argument has one of these flags, and allows it otherwise. */
function refusedFlags(flags: number): Instruction[] {
  return [
    load(offsets.firstArgument),
    { code: 0x45, ifFalse: 1, value: flags },
    answer(errorVerdict(errno.EPERM)),
    answer(verdicts.allow),
  ];
}

/** CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID and NEWNET. */
const namespaceFlags = 0x7e02_0000;

/** TIOCSTI and TIOCLINUX, which put input into a terminal. */
const terminalInput = [0x5412, 0x541c];

const firstX32Call = 0x4000_0000;

/** Calls that have the same number on both. */
const newerCalls = [
  ...[425, 426, 427], // io_uring
  ...[428, 429, 430, 431, 432, 433, 442], // mounts
  ...[438, 440, 443], // pidfd_getfd, process_madvise, quotactl_fd
];

/** The numbers of calls. */
const calls = {
  x64: {
    audit: 0xc000_003e,
    denied: [
      ...[155, 165, 166, 167, 168, 308], // pivot_root, mount, umount2, swapon, swapoff, setns
      ...[101, 310, 311, 312], // ptrace, process_vm_readv, process_vm_writev, kcmp
      ...[103, 163, 169, 172, 173, 179], // syslog, acct, reboot, iopl, ioperm, quotactl
      ...[175, 176, 313, 246, 320], // modules and kexec
      ...[248, 249, 250], // keys
      ...[298, 303, 304, 321, 323], // perf_event_open, file handles, bpf, userfaultfd
      ...newerCalls,
    ],
    ...{ clone: 56, clone3: 435, unshare: 272, ioctl: 16 },
  },
  arm64: {
    audit: 0xc000_00b7,
    denied: [
      ...[39, 40, 41, 224, 225, 268],
      ...[117, 270, 271, 272],
      ...[60, 89, 116, 142],
      ...[104, 105, 106, 273, 294],
      ...[217, 218, 219],
      ...[241, 264, 265, 280, 282],
      ...newerCalls,
    ],
    ...{ clone: 220, clone3: 435, unshare: 97, ioctl: 29 },
  },
} as const;
