/**
 * The OpenAPI document with third-party tools: linters accept it, and clients from well-known generators load and make
 * a paid call.
 */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { execFile } from "node:child_process"
import { copyFileSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { ensureNodePackages, ensurePython } from "../../support/cached-tools.mjs"
import { HubTest, makeAgent, TestHub, topUp } from "../../support/hub.ts"
import { requireFor } from "../../support/required.ts"
import { missingPython } from "../../support/requirements.mjs"

const document = join(import.meta.dirname, "../../../resources/openapi.json")
const tools = join(import.meta.dirname, "tools")
const programs = join(import.meta.dirname, "programs")

/** Returns the output; rejects with all output on a nonzero exit code. */
const run = (cwd: string, program: string, args: ReadonlyArray<string>): Promise<string> =>
  new Promise((resolve, reject) =>
    execFile(
      program,
      args,
      { cwd, maxBuffer: 1 << 26 },
      (error, stdout, stderr) =>
        error === null ? resolve(stdout) : reject(new Error(`${program} ${args.join(" ")}\n${stdout}\n${stderr}`))
    )
  )

const workshop = Effect.acquireRelease(
  Effect.sync(() => {
    const folder = mkdtempSync(join(tmpdir(), "cs-clients-"))
    symlinkSync(join(ensureNodePackages("openapi-tools", tools), "node_modules"), join(folder, "node_modules"))
    writeFileSync(join(folder, "package.json"), JSON.stringify({ type: "module" }))
    return folder
  }),
  (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
)
const bin = (name: string) => join("node_modules", ".bin", name)

layer(HubTest(), { excludeTestServices: true, timeout: 600_000 })("the OpenAPI document", (it) => {
  const caller = Effect.gen(function*() {
    const hub = yield* TestHub
    yield* topUp(hub, hub.owner, 100)
    return [hub.url, (yield* makeAgent(hub, hub.owner)).key] as const
  })

  it.effect("has no errors and no warnings in Redocly and Spectral", () =>
    Effect.gen(function*() {
      const folder = yield* workshop
      yield* Effect.promise(() =>
        run(folder, bin("redocly"), ["lint", "--config", join(tools, "redocly.yaml"), "--format=json", document]).then(
          (text) => {
            const { totals } = JSON.parse(text.slice(text.indexOf("{"))) as {
              readonly totals: { readonly errors: number; readonly warnings: number }
            }
            assert.deepStrictEqual([totals.errors, totals.warnings], [0, 0], text)
          }
        )
      )
      yield* Effect.promise(() =>
        run(folder, bin("spectral"), [
          "lint",
          "--fail-severity=hint",
          "--ruleset",
          join(tools, "spectral.yaml"),
          document
        ])
      )
    }), 300_000)

  it.effect(
    "generates TypeScript types that compile, and a call through them is executed",
    () =>
      Effect.gen(function*() {
        const folder = yield* workshop
        copyFileSync(join(programs, "dispatch.ts"), join(folder, "dispatch.ts"))
        const options = [
          "--strict",
          "--noEmit",
          "--target",
          "esnext",
          "--module",
          "nodenext",
          "--allowImportingTsExtensions",
          "--skipLibCheck",
          "--types",
          "node",
          "--typeRoots",
          join(import.meta.dirname, "../../../node_modules/@types")
        ]
        const asked = yield* caller
        const output = yield* Effect.promise(async () => {
          await run(folder, bin("openapi-typescript"), [document, "-o", "generated.ts"])
          await run(folder, process.execPath, [
            join(import.meta.dirname, "../../../node_modules/typescript/bin/tsc"),
            ...options,
            "dispatch.ts"
          ])
          return run(folder, process.execPath, ["dispatch.ts", ...asked])
        })
        assert.strictEqual(output.trim(), "executed 1")
      }),
    300_000
  )

  it.effect(
    "generates Python clients that load, and calls through them are executed",
    (context) =>
      Effect.gen(function*() {
        const missing = missingPython()
        if (missing !== undefined) return requireFor(context, missing)
        const folder = yield* workshop
        const python = ensurePython(join(tools, "python-clients.txt"))
        const asked = yield* caller
        const output = yield* Effect.promise(async () => {
          await run(folder, python, ["-m", "openapi_spec_validator", document])
          await run(folder, python, [
            "-m",
            "openapi_python_client",
            "generate",
            "--path",
            document,
            "--output-path",
            "generated",
            "--meta",
            "none",
            "--fail-on-warning",
            "--config",
            join(tools, "openapi-python-client.yaml")
          ])
          await run(folder, python, [
            "-m",
            "datamodel_code_generator",
            "--input",
            document,
            "--input-file-type",
            "openapi",
            "--output",
            "models.py",
            "--output-model-type",
            "pydantic_v2.BaseModel"
          ])
          for (const program of ["dispatch.py", "call.py"]) copyFileSync(join(programs, program), join(folder, program))
          return [
            await run(folder, python, ["dispatch.py", ...asked]),
            await run(folder, python, ["call.py", ...asked])
          ]
        })
        assert.deepStrictEqual(output.map((line) => line.trim()), ["executed 1", "executed 1"])
      }),
    600_000
  )
})
