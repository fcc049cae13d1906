import { dirname } from "node:path";
import { contains } from "../lib/contains.ts";
import type { SpecialPlace } from "./special-places.ts";

export interface SeatbeltReach {
  /** Each behind those that it is in. */
  readonly places: readonly SpecialPlace[];
  /** The directory for temporary files. */
  readonly temporary: string;
  readonly isReadOnly: boolean;
  /** What it reaches: nothing, everything, or the proxy on this port of the loopback interface. */
  readonly network: "off" | "open" | { readonly proxyPort: number };
}

/**
 * What programs need that do no harm, as far as it is known: a profile permits nothing that it does not name. A later rule
 * counts before an earlier one.
 */
const beginning = `(version 1)
(deny default)
(allow process-exec)
(allow process-fork)
(allow process-info* (target same-sandbox))
(allow signal (target same-sandbox))
(allow mach-priv-task-port (target same-sandbox))
(allow user-preference-read)
(allow mach-lookup
  (global-name "com.apple.logd")
  (global-name "com.apple.system.logger")
  (global-name "com.apple.system.notification_center")
  (global-name "com.apple.system.opendirectoryd.libinfo")
  (global-name "com.apple.system.opendirectoryd.membership")
  (global-name "com.apple.bsd.dirhelper")
  (global-name "com.apple.PowerManagement.control")
  (global-name "com.apple.trustd.agent"))
(allow ipc-posix-sem)
(allow ipc-posix-shm)
(allow iokit-open (iokit-registry-entry-class "RootDomainUserClient"))
(allow iokit-get-properties)
(allow sysctl-read)
(allow pseudo-tty)
(allow file-ioctl (literal "/dev/ptmx") (regex #"^/dev/ttys[0-9]+$"))
(allow file-read* file-write* (literal "/dev/ptmx") (literal "/dev/tty") (regex #"^/dev/ttys[0-9]+$"))
(allow file-read*)
(allow file-write-data (literal "/dev/null") (literal "/dev/zero") (subpath "/dev/fd"))`;

/** The profile for `sandbox-exec` by which a command is confined. */
export function seatbeltProfile({ places, temporary, isReadOnly, network }: SeatbeltReach): string {
  const own: SpecialPlace = { path: temporary, kind: isReadOnly ? "read-only" : "writable" };
  const all = [...places.map((place) => (isReadOnly ? readOnly(place) : place)), own];
  return [
    beginning,
    ...all.flatMap(ruleFor),
    ...all.flatMap(({ path, kind }) => (kind === "writable" ? [] : stepsAbove(path, all))),
    // The way to a place, and whether there is one, is no secret.
    "(allow file-read-metadata)",
    ...networkRules(network, all),
  ].join("\n");
}

function readOnly({ path, kind }: SpecialPlace): SpecialPlace {
  return { path, kind: kind === "writable" ? "read-only" : kind };
}

function ruleFor({ path, kind }: SpecialPlace): string[] {
  const place = `(subpath ${quoted(path)})`;
  if (kind === "writable") return [`(allow file-read* file-write* ${place})`];
  if (kind === "hidden") return [`(deny file-read* file-write* ${place})`];
  return [`(allow file-read* ${place})`, `(deny file-write* ${place})`];
}

/** The directories above it that could be renamed, and it with them. */
function stepsAbove(path: string, places: readonly SpecialPlace[]): string[] {
  const above = dirname(path);
  const isWritable = places.some(
    (place) => place.kind === "writable" && place.path !== above && contains(place.path, above),
  );
  if (!isWritable) return [];
  return [`(deny file-write-unlink (literal ${quoted(above)}))`, ...stepsAbove(above, places)];
}

function networkRules(
  network: SeatbeltReach["network"],
  places: readonly SpecialPlace[],
): string[] {
  if (network === "open") {
    return [
      "(allow network* system-socket)",
      `(allow mach-lookup (global-name "com.apple.mDNSResponder") (global-name "com.apple.SystemConfiguration.configd"))`,
    ];
  }
  const sockets = places
    .filter(({ kind }) => kind === "writable")
    .map(({ path }) => `(subpath ${quoted(path)})`)
    .flatMap((place) => [
      `(allow network-bind (local unix-socket ${place}))`,
      `(allow network-outbound (remote unix-socket ${place}))`,
    ]);
  if (network === "off") return sockets;
  return [...sockets, `(allow network-outbound (remote ip "localhost:${network.proxyPort}"))`];
}

/** A text of the profile's language. */
function quoted(path: string): string {
  return `"${path.replace(/["\\]/g, "\\$&")}"`;
}
