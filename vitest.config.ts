import { defineConfig } from "vitest/config"

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    globalSetup: ["test/support/global-setup.ts"],
    testTimeout: 60_000,
    hookTimeout: 120_000,
    // A shared machine may stall for a while; what passes at its second try is marked so.
    retry: process.env["CI"] === undefined ? 0 : 1,
    // A peer that a test killed may reset a socket that nobody waits on any more; everything else unhandled fails the run.
    onUnhandledError: ({ code }: { readonly code?: unknown }) => code !== "ECONNRESET" && code !== "EPIPE",
    // What was built is run as it is: by Node, whose hooks put a stub in the place of `electron`.
    server: { deps: { external: [/\/apps\/desktop\/out\//u, /\/electron-stub\.mjs$/u] } },
    pool: "forks",
    maxWorkers: 2
  }
})
