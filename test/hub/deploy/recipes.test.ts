/** The container, compose, Kubernetes, and systemd files of `resources/deploy`, by the checkers of their formats. */
import { unknownSettings } from "@countersign/hub/setting-names"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { execFileSync, spawnSync } from "node:child_process"
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { parse } from "yaml"
import { ensurePython } from "../../support/cached-tools.mjs"
import { startNginx, trustedCertificate } from "../../support/fronts.ts"
import { requireFor } from "../../support/required.ts"
import { missingProgram, missingPython } from "../../support/requirements.mjs"
import { scratchFolder } from "../../support/scratch.ts"
import { closedPort, httpUpstream } from "../../support/upstream.ts"

const root = join(import.meta.dirname, "..", "..", "..")
const deploy = join(root, "resources", "deploy")
const read = (name: string) => readFileSync(join(deploy, name), "utf8")
const readYaml = (name: string) => parse(read(name))

interface ComposeService {
  readonly environment?: Readonly<Record<string, string>>
  readonly depends_on?: ReadonlyArray<string> | Readonly<Record<string, unknown>>
  readonly build?: { readonly context: string; readonly dockerfile: string }
  readonly volumes?: ReadonlyArray<string>
}

const tools = (context: Parameters<typeof requireFor>[0]): string => {
  requireFor(context, missingPython())
  return dirname(ensurePython(join(import.meta.dirname, "deploy-tools.txt")))
}

const installMillisMax = 300_000

describe("the container", { timeout: installMillisMax }, () => {
  it("has a valid recipe, whose sources exist and reach the build", (context) => {
    execFileSync(join(tools(context), "hadolint"), [join(deploy, "Containerfile")], { stdio: "pipe" })
    const reaching = read("Containerfile.dockerignore").split("\n").filter((line) => line.startsWith("!"))
    for (const path of reaching) assert.isTrue(existsSync(join(root, path.slice(1))), path)
    const { workspaces } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"))
    for (const folder of workspaces.filter((each: string) => !each.startsWith("!"))) {
      assert.include(reaching, `!${dirname(folder)}`)
    }
  })
})

describe("compose files", { timeout: installMillisMax }, () => {
  it.for(["compose.yaml", "compose.postgres.yaml"])(
    "%s is valid, complete, and names existing settings",
    (name, context) => {
      const required = new Set<string>()
      const text = read(name).replaceAll(
        /\$\{(\w+):([?-])([^}]*)\}/gu,
        (_, variable: string, kind: string, rest: string) => {
          if (kind === "?") required.add(variable)
          return kind === "?" ? "x" : rest
        }
      )
      assert.notInclude(text, "${")
      for (const variable of required) assert.match(read(name), new RegExp(`^#.*\\b${variable}\\b`, "mu"))
      const compose = parse(text, { merge: true })
      const checked = "import sys; from compose_spec import PyCompose; PyCompose.from_json(sys.stdin.read())"
      execFileSync(join(tools(context), "python"), ["-c", checked], {
        input: JSON.stringify(compose)
      })
      for (const service of Object.values<ComposeService>(compose.services)) {
        assert.deepStrictEqual(unknownSettings(service.environment ?? {}), [])
        const others = Array.isArray(service.depends_on)
          ? service.depends_on
          : Object.keys(service.depends_on ?? {})
        assert.includeMembers(Object.keys(compose.services), others)
        if (service.build !== undefined) {
          assert.isTrue(existsSync(join(deploy, service.build.context, service.build.dockerfile)))
        }
        const named = (service.volumes ?? []).filter((each) => /^\w+:/u.test(each))
        for (const volume of named) assert.property(compose.volumes, volume.split(":")[0] ?? "")
      }
    }
  )
})

describe("the Kubernetes manifests", { timeout: installMillisMax }, () => {
  it("are valid by the strict schemas of Kubernetes, and keep two hubs serving during an upgrade", (context) => {
    const folder = "kubernetes"
    const { resources } = readYaml(`${folder}/kustomization.yaml`)
    assert.sameMembers(resources, readdirSync(join(deploy, folder)).filter((name) => name !== "kustomization.yaml"))
    const files = resources.map((name: string) => join(deploy, folder, name))
    execFileSync(
      join(tools(context), "python"),
      ["-m", "kubernetes_validate", "--strict", "--version", "1.30", ...files],
      { stdio: "pipe" }
    )
    assert.deepStrictEqual(unknownSettings(readYaml(`${folder}/settings.yaml`).data), [])
    const { replicas, strategy, template } = readYaml(`${folder}/deployment.yaml`).spec
    assert.strictEqual(replicas, 2)
    assert.strictEqual(strategy.rollingUpdate.maxUnavailable, 0)
    const [hub] = template.spec.containers
    // The drain of 30 s follows the pause.
    assert.isAtLeast(template.spec.terminationGracePeriodSeconds, 30 + hub.lifecycle.preStop.sleep.seconds + 8)
    assert.deepStrictEqual([hub.readinessProbe, hub.livenessProbe].map(({ httpGet }) => httpGet.path), [
      "/ready",
      "/health"
    ])
  })
})

describe("the systemd unit", () => {
  it("is valid", (context) => {
    requireFor(context, missingProgram("systemd-analyze", "systemd"))
    const file = join(scratchFolder("systemd-"), "countersign.service")
    // The account and Node's place are the machine's own.
    const unit = read("countersign.service").replace("/usr/bin/node", process.execPath).replace(
      /^User=.*$/mu,
      "User=root"
    )
    writeFileSync(file, unit)
    const { status, stderr } = spawnSync("systemd-analyze", ["verify", "--man=no", file], { encoding: "utf8" })
    assert.deepStrictEqual({ status, stderr }, { status: 0, stderr: "" })
  })
})

describe("nginx", () => {
  it.live("continues to use hubs that answered with 503, and goes around a stopped one", (context) =>
    Effect.gen(function*() {
      requireFor(context, missingProgram("nginx", "nginx-light"))
      const folder = yield* Effect.acquireRelease(
        Effect.sync(() => scratchFolder("cs-nginx-")),
        (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true, maxRetries: 5 }))
      )
      yield* trustedCertificate(folder)
      const hub = httpUpstream(({ url }, response) => response.writeHead(url === "/full" ? 503 : 200).end())
      const stopped = `http://127.0.0.1:${yield* closedPort}`
      const hubs = [(yield* hub).origin, stopped, (yield* hub).origin]
      const port = yield* closedPort
      yield* startNginx({ folder, port, plainPort: yield* closedPort, hubs })
      const status = (path: string) =>
        Effect.promise(() => fetch(`https://127.0.0.1:${port}${path}`).then((answer) => answer.status))
      for (let round = 0; round < 4; round++) {
        assert.isAtLeast(yield* status("/full"), 502)
        assert.strictEqual(yield* status("/agents"), 200, `round ${round}`)
      }
    }).pipe(Effect.scoped))
})
