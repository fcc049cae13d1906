import type { RunnerScript } from "../../src/testing/conformance/runner.ts";
import { fails, hangs, ScriptedModel, says } from "../../src/testing/scripted-model.ts";

/** A model that does what `script` says, and a promise that resolves when it begins to hang. */
export function modelThat(script: RunnerScript): { model: ScriptedModel; hanging: Promise<void> } {
  let onHang = () => {};
  const hanging = new Promise<void>((resolve) => {
    onHang = resolve;
  });
  const steps = script.map((step) => {
    if (step === "fails") return fails({ kind: "bad-request", message: "It does not work." });
    if (step !== "hangs") return says(step.says);
    return () => {
      onHang();
      return hangs();
    };
  });
  return { model: new ScriptedModel(steps), hanging };
}
