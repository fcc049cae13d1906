import { defineConfig } from "tsdown";

export default defineConfig({
  entry: ["src/index.ts", "src/cli/main.ts", "src/testing/index.ts"],
  platform: "node",
  target: "node20",
  fixedExtension: false,
  dts: true,
});
