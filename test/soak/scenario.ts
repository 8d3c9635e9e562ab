/**
 * Soak scenarios: long, seeded campaigns that throw when an invariant is violated. A scenario is a module
 * `test/soak/<name>.ts` that exports `soak`; `npm test` runs its short form (`short.test.ts`), `npm run soak` runs it
 * at the given `--scale`.
 */
import { readdirSync } from "node:fs"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import type { Missing } from "../support/requirements.mjs"

export interface SoakOptions {
  /** The same seed repeats the same choices: use `chanceOf(seed)` of `test/support/random.ts` for all of them. */
  readonly seed: number
  /** An integer from 1. Scale 1 takes a few seconds; the work grows in proportion. */
  readonly scale: number
  /** Progress and figures, one line per call. */
  readonly log: (line: string) => void
}

export interface SoakScenario {
  /** The file name without `.ts`. */
  readonly name: string
  /** One line for `npm run soak -- --list`. */
  readonly summary: string
  /** A requirement on the machine that is missing. */
  readonly missing?: () => Missing | undefined
  /** Rejects when an invariant is violated. Releases its resources in either case. */
  readonly run: (options: SoakOptions) => Promise<void>
}

const frame = new Set(["main.ts", "scenario.ts"])

/** The names of the scenarios in `folder`, sorted. Every module there except the frame and the tests is a scenario. */
export const scenarioNames = (folder: string = import.meta.dirname): ReadonlyArray<string> =>
  readdirSync(folder)
    .filter((file) => file.endsWith(".ts") && !file.endsWith(".test.ts") && !frame.has(file))
    .map((file) => file.slice(0, -".ts".length))
    .toSorted()

const isScenario = (value: unknown): value is SoakScenario =>
  typeof value === "object" && value !== null &&
  "name" in value && typeof value.name === "string" &&
  "summary" in value && typeof value.summary === "string" &&
  "run" in value && typeof value.run === "function"

/** Imports one scenario. Throws if the module exports none, or one with another name. */
export const loadScenario = async (name: string, folder: string = import.meta.dirname): Promise<SoakScenario> => {
  const found: { readonly soak?: unknown } = await import(pathToFileURL(join(folder, `${name}.ts`)).href)
  if (!isScenario(found.soak)) {
    throw new Error(`test/soak/${name}.ts exports no "soak" scenario; shared code belongs in test/support`)
  }
  if (found.soak.name !== name) throw new Error(`the scenario in test/soak/${name}.ts is named "${found.soak.name}"`)
  return found.soak
}
