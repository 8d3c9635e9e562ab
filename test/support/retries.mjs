/**
 * Tests with a second try in CI. Tests of races, kills, cut connections, money, and protocols fail at the first
 * failure, because a second try would hide the fault. Elsewhere a stalled machine may cost a try, which is reported as
 * flaky.
 */
import { inCi } from "./requirements.mjs"

/** Folders and files below `test` without a second try. */
export const unretried = [
  ...[
    "approvals",
    "audit",
    "budgets",
    "clock",
    "devices",
    "dispatch",
    "edge",
    "ledger",
    "notice-channels",
    "platform",
    "providers",
    "retention",
    "scripts",
    "standing-approvals",
    "usage",
    "voice"
  ]
    .map((folder) => `test/hub/${folder}/`),
  "test/hub/versions.test.ts",
  "test/desktop/device/",
  "test/domain/",
  "test/hub-client/",
  "test/run/",
  "test/soak/",
  "test/e2e/crash.test.ts",
  "test/e2e/second-machine.test.ts"
]

/** Console tests without a second try: money, and the actions that count as "Approve". Each file sets `retries: 0`. */
export const unretriedConsole = [
  "approvals.spec.ts",
  "batch.spec.ts",
  "money.spec.ts",
  "operator.spec.ts",
  "typing.spec.ts"
]

/** The number of retries of a file, by its path relative to the repository. @param {string} file */
export const retriesOf = (file) =>
  inCi && !unretried.some((start) => file.replaceAll("\\", "/").startsWith(start)) ? 1 : 0

/** More flaky tests than this fail the run in CI. */
export const flakyMax = 3
