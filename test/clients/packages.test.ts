/**
 * The packages as they are published, installed elsewhere: their size, their types in the compilers of their users, the
 * examples on a real hub, and the adapters with their frameworks.
 */
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer, Schedule } from "effect"
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { gzipSync } from "node:zlib"
import { buildPackage } from "../../packages/client/scripts/build.ts"
import { ensureNodePackages } from "../support/cached-tools.mjs"
import { expectStatus, HubTest, makeAgent, TestHub, topUp } from "../support/hub.ts"
import { python, pythonClient, runProgram } from "./python.ts"

const root = join(import.meta.dirname, "..", "..")
const examples = join(root, "resources", "examples")
const programs = join(import.meta.dirname, "programs")
const sizeMax = 20 * 1024

interface ToolAnswer {
  readonly status: string
  readonly service_request_id: string
}

/** The frameworks have so much code that checking it takes minutes: their types count as unknown. */
const mypySettings = `[mypy]
[mypy-langchain_core.*,agents.*]
follow_imports = skip
[mypy-countersign_client.langchain]
disallow_subclassing_any = False
`
/** The rules that PyPI applies to an upload, and the files that the compilers and the licence need. */
const checkMetadata = `
import sys, zipfile
from packaging.metadata import Metadata
with zipfile.ZipFile(sys.argv[1]) as wheel:
    (name,) = [name for name in wheel.namelist() if name.endswith(".dist-info/METADATA")]
    metadata = Metadata.from_email(wheel.read(name), validate=True)
    assert "countersign_client/py.typed" in wheel.namelist()
assert metadata.license_expression == "Apache-2.0"
assert metadata.description and metadata.description_content_type == "text/markdown"
assert {each.name for each in metadata.requires_dist if not each.marker} == {"httpx", "pydantic", "typing-extensions"}
`
const adapters = ["**/langchain*.py", "**/openai_agents.py", "adapters.py"]

/** A folder for what a test installs. */
class Workshop extends Context.Service<Workshop, string>()("test/clients/Workshop") {
  static readonly layer = Layer.effect(
    Workshop,
    Effect.acquireRelease(
      Effect.sync(() => mkdtempSync(join(tmpdir(), "countersign-packages-"))),
      (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
    )
  )
}

const must = Effect.fnUntraced(function*(
  program: string,
  args: ReadonlyArray<string>,
  cwd: string,
  env: Readonly<Record<string, string>> = {}
) {
  const { code, errors, output } = yield* runProgram(program, args, { cwd, env })
  if (code !== 0) return yield* Effect.die(new Error(`${program} ${args.join(" ")}\n${output}\n${errors}`))
  return output
})

const agentEnvironment = Effect.gen(function*() {
  const hub = yield* TestHub
  yield* topUp(hub, hub.owner, 1_000)
  const bindings = ["echo", "llm"].map((service) => ({ service, operations: ["*"] }))
  const { id, key } = yield* makeAgent(hub, hub.owner, { bindings })
  return { hub, id, env: { COUNTERSIGN_URL: hub.url, COUNTERSIGN_API_KEY: key } }
})

const spent = Effect.fnUntraced(function*(id: string) {
  const hub = yield* TestHub
  return (yield* hub.api("GET", `/agents/${id}/budget`, { cookie: hub.owner.cookie })).body.spent_cents as number
})

/** The example of a chat: the model, a script, calls a tool that a person approves while the program waits. */
const chats = Effect.fnUntraced(function*(app: string, env: Readonly<Record<string, string>>, id: string) {
  const hub = yield* TestHub
  const { cookie } = hub.owner
  const setThreshold = (approval_threshold_cents: number) =>
    hub.api("PATCH", `/agents/${id}/budget`, { cookie, body: { monthly_budget_cents: null, approval_threshold_cents } })
  yield* setThreshold(0)
  const approve = Effect.gen(function*() {
    const pending = (yield* hub.api("GET", `/approvals?agent_id=${id}`, { cookie })).body.data
    if (pending.length === 0) return false
    return expectStatus(yield* hub.api("POST", `/approvals/${pending[0].id}/approve`, { cookie }), 200) !== undefined
  }).pipe(Effect.repeat({ until: (isDone) => isDone, schedule: Schedule.spaced("200 millis") }))
  const message = "#script\ncall echo.say {\"text\":\"from a chat\"}\n---\nsay It is said."
  const { code, errors, output } = yield* Effect.raceFirst(
    runProgram(process.execPath, ["ai-sdk-chat.ts"], { cwd: app, env, input: `${message}\n\nAnd now?\n\n` }),
    Effect.andThen(approve, Effect.never)
  )
  assert.strictEqual(code, 0, errors)
  for (
    const text of [
      "→ echo__say {\"text\":\"from a chat\"}",
      "pending: approve or reject apr_",
      "← executed, 1 cents",
      "It is said.",
      "You said: And now?"
    ]
  ) assert.include(output, text)
  yield* setThreshold(1_000)
})

layer(Layer.merge(HubTest(), Workshop.layer), { excludeTestServices: true, timeout: 600_000 })(
  "a client's package",
  (it) => {
    it.effect(
      "of npm has at most 20 kB gzipped, compiles for its users, and runs with the frameworks",
      () =>
        Effect.gen(function*() {
          const { env, id } = yield* agentEnvironment
          const folder = join(yield* Workshop, "npm")
          const built = join(folder, "built")
          mkdirSync(folder)
          yield* Effect.promise(() => buildPackage(built))
          const scripts = readdirSync(built).filter((file) => file.endsWith(".js"))
          const size = scripts.reduce((sum, file) => sum + gzipSync(readFileSync(join(built, file))).length, 0)
          assert.isAtMost(size, sizeMax)
          const manifest = JSON.parse(readFileSync(join(built, "package.json"), "utf8")) as Record<string, unknown>
          assert.notProperty(manifest, "dependencies")
          yield* must("npm", ["pack", "--silent", "--pack-destination", folder], built)
          const tarball = readdirSync(folder).find((file) => file.endsWith(".tgz"))!
          const app = join(folder, "app")
          const frameworks = join(
            ensureNodePackages("client-tools", join(import.meta.dirname, "tools")),
            "node_modules"
          )
          mkdirSync(join(app, "node_modules", "@countersign", "client"), { recursive: true })
          yield* must("tar", [
            "-xzf",
            join(folder, tarball),
            "--strip-components=1",
            "-C",
            join(app, "node_modules", "@countersign", "client")
          ], folder)
          for (const name of ["ai", "@openai", "@ai-sdk", "zod"]) {
            symlinkSync(join(frameworks, name), join(app, "node_modules", name))
          }
          symlinkSync(join(root, "node_modules", "@types"), join(app, "node_modules", "@types"))
          writeFileSync(join(app, "package.json"), JSON.stringify({ type: "module" }))
          for (const file of readdirSync(examples).filter((file) => file.endsWith(".ts"))) {
            cpSync(join(examples, file), join(app, file))
          }
          cpSync(join(programs, "adapters.ts"), join(app, "adapters.ts"))
          writeFileSync(
            join(app, "tsconfig.json"),
            JSON.stringify({
              compilerOptions: {
                strict: true,
                noEmit: true,
                target: "es2024",
                module: "nodenext",
                lib: ["es2024"],
                types: ["node"],
                skipLibCheck: true,
                allowImportingTsExtensions: true
              },
              include: ["*.ts", "node_modules/@countersign/client/*.d.ts"]
            })
          )
          yield* must(process.execPath, [join(root, "node_modules/typescript/bin/tsc"), "-p", app], app)
          assert.include(
            yield* must(process.execPath, ["first-request.ts"], app, env),
            "executed for 1 cents: {\"echo\":{\"text\":\"hello\"}}"
          )
          yield* chats(app, env, id)
          const answers = JSON.parse(yield* must(process.execPath, ["adapters.ts"], app, env)) as {
            readonly first: string
            readonly second: string
            readonly read: string
            readonly received: string
            readonly repeated: readonly [ToolAnswer, ToolAnswer]
          }
          assert.deepStrictEqual([answers.first, answers.second], ["done", "done"])
          for (const text of [answers.read, answers.received]) {
            assert.include(text.replaceAll("\\", ""), "\"status\":\"executed\"")
          }
          const [first, second] = answers.repeated
          assert.strictEqual(first.service_request_id, second.service_request_id)
          // The first request, the approved call of the chat, one call of each agent, and one call that was repeated.
          assert.strictEqual(yield* spent(id), 5)
        }),
      600_000
    )

    it.effect(
      "of PyPI is typed for mypy and pyright, and runs with the frameworks",
      (context) =>
        Effect.gen(function*() {
          const interpreter = python(context)
          const { env, id } = yield* agentEnvironment
          const folder = join(yield* Workshop, "pypi")
          const source = join(folder, "source")
          cpSync(pythonClient, source, { recursive: true, filter: (file) => !file.includes("__pycache__") })
          yield* must(interpreter, [
            "-m",
            "pip",
            "wheel",
            "--quiet",
            "--disable-pip-version-check",
            "--no-deps",
            "--no-build-isolation",
            "--wheel-dir",
            folder,
            source
          ], folder)
          const wheel = readdirSync(folder).find((file) => file.endsWith(".whl"))!
          assert.strictEqual(wheel, "countersign_client-0.2.0-py3-none-any.whl")
          const app = join(folder, "app")
          mkdirSync(app)
          yield* must(interpreter, ["-c", checkMetadata, join(folder, wheel)], folder)
          const pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps", "--no-index"]
          yield* must(interpreter, [...pip, "--no-compile", "--target", app, join(folder, wheel)], folder)
          for (const file of readdirSync(examples).filter((file) => file.endsWith(".py"))) {
            cpSync(join(examples, file), join(app, file))
          }
          cpSync(join(programs, "adapters.py"), join(app, "adapters.py"))
          const own = { ...env, PYTHONPATH: app, PYTHONWARNINGS: "error::DeprecationWarning:countersign_client" }
          assert.include(
            yield* must(interpreter, ["first_request.py"], app, own),
            "executed for 1 cents: {'echo': {'text': 'hello'}}"
          )
          const answers = JSON.parse(yield* must(interpreter, ["adapters.py"], app, own)) as {
            readonly names: ReadonlyArray<string>
            readonly langchain: readonly [ToolAnswer, ToolAnswer]
            readonly waited: ToolAnswer
            readonly agents: readonly [ToolAnswer, ToolAnswer]
          }
          assert.deepStrictEqual(answers.names, ["countersign_wait", "echo__say", "llm__chat"])
          for (const each of [...answers.langchain, answers.waited]) {
            assert.strictEqual(each.service_request_id, answers.langchain[0].service_request_id)
            assert.strictEqual(each.status, "executed")
          }
          assert.strictEqual(answers.agents[0].service_request_id, answers.agents[1].service_request_id)
          // The first request, and one call of each framework, each repeated.
          assert.strictEqual(yield* spent(id), 3)
          writeFileSync(join(app, "mypy.ini"), mypySettings)
          const cache = join(dirname(interpreter), "..", "mypy")
          yield* must(interpreter, ["-m", "mypy", "--strict", "--no-error-summary", "--cache-dir", cache, "."], app)
          const pyright = ensureNodePackages("client-tools", join(import.meta.dirname, "tools"))
          writeFileSync(
            join(app, "pyrightconfig.json"),
            JSON.stringify({ include: ["."], exclude: adapters, pythonVersion: "3.10" })
          )
          yield* must(process.execPath, [
            join(pyright, "node_modules", "pyright", "index.js"),
            "--pythonpath",
            interpreter,
            "-p",
            app
          ], app)
        }),
      600_000
    )
  }
)
