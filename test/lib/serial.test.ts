import { expect, test } from "vitest";
import { Serial } from "../../src/lib/serial.ts";

test("tasks run one after the other, in the order given, failures included", async () => {
  const serial = new Serial();
  const steps: string[] = [];
  const slow = async (name: string) => {
    steps.push(`${name} starts`);
    await new Promise((resolve) => setImmediate(resolve));
    steps.push(`${name} ends`);
    return name;
  };

  const first = serial.run(() => slow("one"));
  const failing = serial.run(async () => {
    await slow("two");
    throw new Error("two fails");
  });
  const last = serial.run(() => slow("three"));

  await expect(first).resolves.toBe("one");
  await expect(failing).rejects.toThrow("two fails");
  await expect(last).resolves.toBe("three");
  expect(steps).toEqual(
    ["one", "two", "three"].flatMap((name) => [`${name} starts`, `${name} ends`]),
  );
});
