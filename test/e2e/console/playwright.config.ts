/** `npm test -- test/e2e/console`, or part of `npm test`: the built console of real hubs, in Chromium. */
import { defineConfig } from "@playwright/test"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { findChromium } from "../../support/chromium.mjs"
import { inCi } from "../../support/requirements.mjs"

const executablePath = findChromium()

export default defineConfig({
  testDir: ".",
  testMatch: "*.spec.ts",
  // Files in which a second try would hide a fault set 0 (`retries.mjs`). One project, because each has its own workers
  // with their own hubs and browsers.
  retries: inCi ? 1 : 0,
  globalSetup: "../../support/console-setup.ts",
  outputDir: join(tmpdir(), `countersign-console-${process.pid}`),
  fullyParallel: true,
  forbidOnly: inCi,
  // A page waits for its hub half of the time: four workers fill two cores.
  workers: Number(process.env["TEST_BROWSER_WORKERS"] ?? 4),
  // Generous: a slow machine alone must fail no test. A test that passes ends no later for it.
  timeout: 180_000,
  expect: { timeout: 45_000 },
  reporter: [["list"], ["../../support/console-counts.ts"]],
  use: {
    browserName: "chromium",
    // The container of the tests is the sandbox.
    launchOptions: {
      ...executablePath === undefined ? {} : { executablePath },
      args: ["--no-sandbox", "--disable-dev-shm-usage"]
    },
    viewport: { width: 1440, height: 900 },
    locale: "en-US",
    timezoneId: "UTC",
    actionTimeout: 45_000,
    navigationTimeout: 60_000,
    screenshot: "only-on-failure"
  }
})
