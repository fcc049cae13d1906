import { ModelRunner } from "../../src/agent/model-runner.ts";
import { testRunner } from "../../src/testing/conformance/runner.ts";
import { TestAgent } from "../support/agent.ts";
import { modelThat } from "../support/runner-steps.ts";

testRunner("ModelRunner", async (script) => {
  const { model, hanging } = modelThat(script);
  const first = await TestAgent.open(model);
  const opened = [first];
  return {
    runner: new ModelRunner(first.agent),
    hanging,
    tell: (content) => first.tell(content),
    async reopen() {
      const next = await TestAgent.open(model, { store: first.store });
      opened.push(next);
      return new ModelRunner(next.agent);
    },
    async [Symbol.asyncDispose]() {
      for (const agent of opened.reverse()) await agent[Symbol.asyncDispose]();
    },
  };
});
