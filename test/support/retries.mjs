/**
 * Which tests get a second try in CI. A race, a kill, a cut connection, money and a protocol fail at the first failure: there a
 * second try would hide the fault. Elsewhere a stalled machine may cost a try, which is reported as flaky.
 */
import { inCi } from "./requirements.mjs"

/** Folders and files below `test` that never get a second try. */
export const unretried = [
  ...[
    "approvals",
    "audit",
    "budgets",
    "clock",
    "devices",
    "dispatch",
    "edge",
    "events",
    "ledger",
    "platform",
    "providers",
    "retention",
    "scripts",
    "usage"
  ]
    .map((folder) => `test/hub/${folder}/`),
  "test/hub/versions.test.ts",
  "test/desktop/device/",
  "test/domain/",
  "test/run/",
  "test/soak/",
  "test/e2e/crash.test.ts",
  "test/e2e/second-machine.test.ts"
]

/** The same among the console's tests: money, and what counts as a press on "Approve". */
export const unretriedConsole = [
  "approvals.spec.ts",
  "batch.spec.ts",
  "money.spec.ts",
  "operator.spec.ts",
  "typing.spec.ts"
]

/** Of a file by its path relative to the repository. @param {string} file */
export const retriesOf = (file) =>
  inCi && !unretried.some((start) => file.replaceAll("\\", "/").startsWith(start)) ? 1 : 0

/** More tests than this that pass only at the second try fail the run in CI. */
export const flakyMax = 3
