/**
 * Other gateways for AI providers, as published by their projects: installed into the user's cache, never into the
 * product's packages.
 */
import { Effect, type Scope } from "effect"
import { spawnSync } from "node:child_process"
import { readFileSync, writeFileSync } from "node:fs"
import { type AddressInfo, createServer } from "node:net"
import { join } from "node:path"
import { ensureNodePackages, ensurePython } from "../../support/cached-tools.mjs"
import { type Program, spawnProgram } from "../../support/hub-program.ts"
import { hasPython } from "../../support/requirements.mjs"
import { chat } from "../stage.ts"

/** A gateway that answers OpenAI's chat completions on a port, with the headers that a caller sends. */
export interface Peer extends Program {
  readonly version: string
  readonly port: number
  readonly headers: Readonly<Record<string, string>>
}

const packages = join(import.meta.dirname, "packages")
const startMillisMax = 120_000

const freePort = Effect.promise(() =>
  new Promise<number>((resolve, reject) => {
    const probe = createServer().once("error", reject)
    probe.listen(0, "127.0.0.1", () => {
      const { port } = probe.address() as AddressInfo
      probe.close(() => resolve(port))
    })
  })
)

const isUp = (url: string): Promise<boolean> => fetch(url).then(({ ok }) => ok, () => false)

const untilUp = (name: string, url: string) =>
  Effect.promise(async () => {
    for (const until = performance.now() + startMillisMax; !await isUp(url);) {
      if (performance.now() > until) throw new Error(`${name} did not answer within ${startMillisMax / 1000} s`)
      await new Promise((resolve) => setTimeout(resolve, 200))
    }
  })

type Started = Effect.Effect<Peer, unknown, Scope.Scope>

/** Portkey's gateway, a pass-through without budgets. */
export const startPortkey = (upstream: number): Started =>
  Effect.gen(function*() {
    const folder = yield* Effect.try(() =>
      join(ensureNodePackages("bench-portkey", packages), "node_modules", "@portkey-ai", "gateway")
    )
    const { version } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as { readonly version: string }
    const port = yield* freePort
    const program = yield* spawnProgram([
      process.execPath,
      join(folder, "build", "start-server.js"),
      `--port=${port}`,
      "--headless"
    ])
    yield* untilUp("Portkey's gateway", `http://127.0.0.1:${port}/`)
    const headers = {
      authorization: "Bearer sk-bench",
      "x-portkey-provider": "openai",
      "x-portkey-custom-host": `http://127.0.0.1:${upstream}/v1`
    }
    return { ...program, version, port, headers }
  })

/**
 * LiteLLM's proxy without its database and so without budgets, because its PostgreSQL client downloads programs from a
 * site that is not a package registry.
 */
export const startLitellm = (upstream: number, folder: string): Started =>
  Effect.gen(function*() {
    if (!hasPython()) return yield* Effect.fail(new Error("Python 3.11 or later with venv is not installed"))
    const python = yield* Effect.try(() => ensurePython(join(packages, "litellm.txt")))
    const version = spawnSync(python, ["-c", "from importlib.metadata import version; print(version('litellm'))"], {
      encoding: "utf8"
    }).stdout.trim()
    const config = join(folder, "litellm.json")
    const key = "sk-bench-master"
    // JSON is valid YAML.
    writeFileSync(
      config,
      JSON.stringify({
        model_list: [{
          model_name: chat.model,
          litellm_params: {
            model: `openai/${chat.model}`,
            api_base: `http://127.0.0.1:${upstream}/v1`,
            api_key: "sk-bench"
          }
        }],
        general_settings: { master_key: key }
      })
    )
    const port = yield* freePort
    const program = yield* spawnProgram(
      [
        python,
        "-c",
        "from litellm import run_server; run_server()",
        "--config",
        config,
        "--host",
        "127.0.0.1",
        "--port",
        String(port)
      ],
      { LITELLM_LOG: "ERROR" }
    )
    yield* untilUp("LiteLLM", `http://127.0.0.1:${port}/health/liveliness`)
    return { ...program, version, port, headers: { authorization: `Bearer ${key}` } }
  })
