import { readFile } from "node:fs/promises";
import { orNothing } from "../lib/or-nothing.ts";

/** Settings of the kernel that keep bubblewrap from working, and what to do. */
const obstacles: readonly { file: string; value: RegExp; remedy: string }[] = [
  {
    file: "/proc/version",
    // WSL 2 writes its name in small letters.
    value: /Microsoft/,
    remedy: "WSL 1 has no namespaces. Change this distribution to WSL 2 (wsl --set-version)",
  },
  {
    file: "/proc/sys/kernel/apparmor_restrict_unprivileged_userns",
    value: /^1/,
    remedy:
      "AppArmor permits user namespaces only to programs with a profile. On Ubuntu: apt-get install apparmor-profiles, copy /usr/share/apparmor/extra-profiles/bwrap-userns-restrict to /etc/apparmor.d/, and apparmor_parser -r that file",
  },
  {
    file: "/proc/sys/kernel/unprivileged_userns_clone",
    value: /^0/,
    remedy:
      "The kernel permits user namespaces only to root: sysctl kernel.unprivileged_userns_clone=1",
  },
  {
    file: "/proc/sys/user/max_user_namespaces",
    value: /^0/,
    remedy: "The kernel permits no user namespaces: sysctl user.max_user_namespaces=15000",
  },
];

const inContainer =
  "It needs user namespaces, which this system refuses, as many containers do: permit them there (with Docker: --security-opt seccomp=unconfined --security-opt systempaths=unconfined)";

/** What to do where bubblewrap is installed, and does not work. */
export async function howToPermit(read: (file: string) => Promise<string> = text): Promise<string> {
  const found = await Promise.all(
    obstacles.map(async ({ file, value, remedy }) =>
      value.test(await read(file)) ? [remedy] : [],
    ),
  );
  const [remedy = inContainer] = found.flat();
  return `${remedy}. Or run troupe with --sandbox off.`;
}

function text(file: string): Promise<string> {
  return orNothing(readFile(file, "utf8"), "");
}
