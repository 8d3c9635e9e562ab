import { defineConfig } from "vitest/config"
import { BaseSequencer } from "vitest/node"

/**
 * A worker loads the modules once for all files of these folders, not once a file: they change nothing that a process
 * has only one of.
 */
const sharing = ["test/{clients,desktop,domain,hub,hub-client,ui}/**/*.test.ts"]

/**
 * Of those the files that do: the clock, the environment, `electron`, the app that composes itself once in a process.
 */
const changing = [
  "test/hub/clock/**/*.test.ts",
  "test/desktop/device/sandbox-secrets.test.ts",
  "test/desktop/main/owner.test.ts",
  "test/desktop/main/shell/page.test.ts",
  "test/desktop/main/electron/{app,confirm-window,failed-start,pages,quitting,updater}.test.ts"
]

/**
 * Files that take longest, those of more than 17 s. They begin in this order in their project, so that none of them runs
 * alone at the end.
 */
const longest = [
  "test/soak/short.test.ts",
  "test/soak/http-fuzz.test.ts",
  "test/soak/kill-between-writes.test.ts",
  "test/soak/money-tree.test.ts",
  "test/soak/host.test.ts",
  "test/e2e/crash.test.ts",
  "test/e2e/clients/generated.test.ts",
  "test/e2e/desktop/this-device.test.ts",
  "test/e2e/desktop/hubs.test.ts",
  "test/hub/commands/start.test.ts",
  "test/hub/commands/commands.test.ts",
  "test/desktop/device/poll.test.ts",
  "test/desktop/device/cuts.test.ts",
  "test/hub/dispatch/pipeline/approval-races.test.ts",
  "test/hub/edge/endpoints.test.ts",
  "test/desktop/main/device/host.test.ts",
  "test/hub/platform/postgres/backup.test.ts",
  "test/hub/devices/protocol.test.ts",
  "test/desktop/device/faults.test.ts",
  "test/hub/platform/postgres/crash.test.ts",
  "test/hub/dispatch/decision/changes.test.ts",
  "test/hub/platform/postgres/embedded.test.ts",
  "test/desktop/device/agent.test.ts",
  "test/hub/dispatch/recovery/polling.test.ts",
  "test/desktop/device/hostile.test.ts"
]

class LongestFirst extends BaseSequencer {
  override async sort(files: Parameters<BaseSequencer["sort"]>[0]): ReturnType<BaseSequencer["sort"]> {
    const sorted = await super.sort(files)
    const projects = [...new Set(sorted.map(({ project }) => project.name))]
    const rank = ({ moduleId, project }: typeof sorted[number]) => {
      const place = longest.findIndex((file) => moduleId.endsWith(file))
      return (longest.length + 1) * projects.indexOf(project.name) + (place === -1 ? longest.length : place)
    }
    return sorted.toSorted((left, right) => rank(left) - rank(right))
  }
}

export default defineConfig({
  test: {
    globalSetup: ["test/support/global-setup.ts"],
    // Generous: a slow machine alone must fail no test.
    testTimeout: 180_000,
    hookTimeout: 240_000,
    // Decides which tests get a second try in CI.
    runner: "./test/support/runner.ts",
    sequence: { sequencer: LongestFirst },
    // What was built is run as it is: by Node, whose hooks put a stub in the place of `electron`.
    server: { deps: { external: [/\/apps\/desktop\/out\//u, /\/electron-stub\.mjs$/u] } },
    pool: "forks",
    // Files wait for processes, timers and connections two fifths of the time: three workers fill two cores.
    maxWorkers: Number(process.env["TEST_WORKERS"] ?? 3),
    projects: [
      { extends: true, test: { name: "alone", include: ["test/{e2e,run,soak}/**/*.test.ts", ...changing] } },
      { extends: true, test: { name: "sharing", include: sharing, exclude: changing, isolate: false } }
    ]
  }
})
