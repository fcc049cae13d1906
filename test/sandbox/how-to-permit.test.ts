import { expect, test } from "vitest";
import { howToPermit } from "../../src/sandbox/how-to-permit.ts";

test.each([
  ["/proc/version", "Linux version 4.4.0-19041-Microsoft (x@y)", /WSL 2/],
  ["/proc/sys/kernel/apparmor_restrict_unprivileged_userns", "1\n", /bwrap-userns-restrict/],
  ["/proc/sys/kernel/unprivileged_userns_clone", "0\n", /unprivileged_userns_clone=1/],
  ["/proc/sys/user/max_user_namespaces", "0\n", /max_user_namespaces=\d+/],
])("with %s being %j it is said what to change", async (obstacle, content, remedy) => {
  expect(await howToPermit(async (file) => (file === obstacle ? content : ""))).toMatch(remedy);
});

test("where nothing is known to forbid it, a container is what probably does", async () => {
  const usual: Record<string, string> = {
    "/proc/version": "Linux version 5.15.90.1-microsoft-standard-WSL2",
    "/proc/sys/kernel/unprivileged_userns_clone": "1\n",
    "/proc/sys/user/max_user_namespaces": "62733\n",
  };

  expect(await howToPermit(async (file) => usual[file] ?? "")).toMatch(/containers.*--sandbox off/);
});
