/** Runs Schemathesis against a hub with one credential, and reports its findings. */
import { spawn } from "node:child_process"
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { ensurePython } from "./cached-tools.mjs"
import type { CredentialKind, documentFor } from "./fuzz-target.ts"

export interface FuzzOptions {
  readonly url: string
  readonly kind: CredentialKind
  readonly credential: string
  /** Ids of the operations to call. */
  readonly operations: ReadonlyArray<string>
  readonly document: ReturnType<typeof documentFor>["document"]
  /** Existing ids, for `{id}` in paths that match the pattern. */
  readonly ids: Readonly<Record<string, string>>
  /** A provider on loopback: every URL in a body is this one, so that no request leaves this machine. */
  readonly origin: string
  readonly seed: number
  /** Random requests per operation, and sequences of requests. */
  readonly examples: number
  /** Also sends every boundary of every schema, and every undeclared method. Takes twice as long as one example. */
  readonly hasBoundaries: boolean
}

export interface FuzzReport {
  readonly requests: number
  /** By hundreds: `2` → number of 2xx responses. */
  readonly statuses: ReadonlyMap<number, number>
  /** Operations that succeeded at least once. */
  readonly succeeded: ReadonlySet<string>
}

/** The share of paths that get an existing id. */
const knownIdShare = 0.8

const configOf = ({ credential, ids, kind, origin }: FuzzOptions) =>
  [
    "color = false",
    "warnings = false",
    "[cache]",
    "enabled = false",
    "[generation]",
    "database = \"none\"",
    "no-shrink = true",
    "[dictionaries.loopback]",
    `values = ["${origin}/openapi.json"]`,
    ...Object.values(ids).flatMap((id) => [`[dictionaries.${id}]`, `values = ["${id}"]`]),
    "[parameters]",
    "\"body.url\" = { dictionary = \"loopback\" }",
    "\"body.base_url\" = { dictionary = \"loopback\" }",
    // A long poll would take its 30 s.
    "\"query.wait\" = 1",
    ...kind === "none"
      ? []
      : [`[auth.openapi.${kind}]`, `${kind === "session" ? "api_key" : "bearer"} = "${credential}"`],
    ...Object.entries(ids).flatMap(([pattern, id]) => [
      "[[operations]]",
      `include-path-regex = '${pattern}'`,
      `parameters = { "path.id" = { dictionary = "${id}", probability = ${knownIdShare} } }`
    ]),
    ""
  ].join("\n")

/**
 * The schema accepts more than rules such as an expression that must parse, which answer a documented 400: this is not
 * a fault.
 */
const unchecked = ["positive_data_acceptance"]

const run = (python: string, args: ReadonlyArray<string>, cwd: string) =>
  new Promise<{ readonly code: number | null; readonly output: string }>((resolve, reject) => {
    const child = spawn(python, ["-c", "from schemathesis.cli import schemathesis; schemathesis()", ...args], {
      cwd,
      stdio: ["ignore", "pipe", "pipe"],
      env: { PATH: process.env["PATH"], HOME: cwd, COLUMNS: "120", PYTHONHASHSEED: "0", NO_PROXY: "*" }
    })
    // Ends the fuzzer with a test that times out.
    const end = () => child.kill()
    process.once("exit", end)
    let output = ""
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => output += chunk.toString())
    child.once("error", reject)
    child.once("close", (code) => {
      process.off("exit", end)
      resolve({ code, output })
    })
  })

const failureLinesShown = 120

interface Interaction {
  readonly request?: { readonly method?: string }
  readonly response?: { readonly status_code?: number } | null
}
interface Scenario {
  readonly recorder?: { readonly label?: string; readonly interactions?: Readonly<Record<string, Interaction>> }
}

const reportOf = (folder: string): FuzzReport => {
  const statuses = new Map<number, number>()
  const succeeded = new Set<string>()
  let requests = 0
  for (const line of readFileSync(join(folder, "events.ndjson"), "utf8").split("\n").filter(Boolean)) {
    const { ScenarioFinished: scenario } = JSON.parse(line) as { readonly ScenarioFinished?: Scenario }
    for (const { request, response } of Object.values(scenario?.recorder?.interactions ?? {})) {
      requests++
      const hundreds = Math.floor((response?.status_code ?? 0) / 100)
      statuses.set(hundreds, (statuses.get(hundreds) ?? 0) + 1)
      // Every path answers OPTIONS.
      if (hundreds === 2 && request?.method !== "OPTIONS") succeeded.add(scenario?.recorder?.label ?? "")
    }
  }
  return { requests, statuses, succeeded }
}

/** Throws with the failures and a request that reproduces each. */
export const fuzz = async (options: FuzzOptions): Promise<FuzzReport> => {
  const { hasBoundaries } = options
  const python = ensurePython(join(import.meta.dirname, "schemathesis.txt"))
  const folder = mkdtempSync(join(tmpdir(), "cs-fuzz-"))
  try {
    writeFileSync(join(folder, "openapi.json"), JSON.stringify(options.document))
    writeFileSync(join(folder, "schemathesis.toml"), configOf(options))
    const { code, output } = await run(python, [
      "--config-file",
      join(folder, "schemathesis.toml"),
      "run",
      join(folder, "openapi.json"),
      "--url",
      options.url,
      "--seed",
      String(options.seed),
      "--phases",
      [...hasBoundaries ? ["coverage"] : [], "fuzzing", "stateful"].join(","),
      "--max-examples",
      String(options.examples),
      "--exclude-checks",
      unchecked.join(","),
      "--continue-on-failure",
      "--max-redirects",
      "0",
      "--request-timeout",
      "60",
      "--report",
      "ndjson",
      "--report-ndjson-path",
      join(folder, "events.ndjson"),
      ...options.operations.flatMap((id) => ["--include-operation-id", id])
    ], folder)
    if (code !== 0) {
      const lines = output.split("\n")
      const from = Math.max(lines.findIndex((line) => /={5,} (ERRORS|FAILURES) ={5,}/.test(line)), 0)
      throw new Error(
        `fuzzing with ${options.kind} found faults\n${lines.slice(from, from + failureLinesShown).join("\n")}`
      )
    }
    if (!readdirSync(folder).includes("events.ndjson")) throw new Error(`Schemathesis wrote no report:\n${output}`)
    return reportOf(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
