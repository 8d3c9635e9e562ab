import { defineConfig } from "vitest/config"

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    globalSetup: ["test/support/global-setup.ts"],
    testTimeout: 60_000,
    hookTimeout: 120_000,
    // Decides which tests get a second try in CI.
    runner: "./test/support/runner.ts",
    // What was built is run as it is: by Node, whose hooks put a stub in the place of `electron`.
    server: { deps: { external: [/\/apps\/desktop\/out\//u, /\/electron-stub\.mjs$/u] } },
    pool: "forks",
    maxWorkers: 2
  }
})
