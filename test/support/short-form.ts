/** A soak scenario at scale 1 as a test. The longest ones have separate test files, which run beside the others. */
import { it } from "@effect/vitest"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { loadScenario } from "../soak/scenario.ts"
import { requireFor } from "./required.ts"

const seed = 1
const linesShown = 20

/** Whether `test/soak/<name>.test.ts` runs the scenario. */
export const hasOwnFile = (name: string): boolean =>
  existsSync(join(import.meta.dirname, "..", "soak", `${name}.test.ts`))

export const testShortForm = (name: string): void =>
  it(`${name} at scale 1`, { timeout: 600_000 }, async (context) => {
    const scenario = await loadScenario(name)
    requireFor(context, scenario.missing?.())
    const lines: Array<string> = []
    try {
      await scenario.run({ seed, scale: 1, log: (line) => lines.push(line) })
    } catch (cause) {
      const reason = cause instanceof Error ? cause.message : String(cause)
      throw new Error(
        [`${reason} (repeat it: npm run soak -- ${name} --seed ${seed} --scale 1)`, ...lines.slice(-linesShown)].join(
          "\n"
        ),
        { cause }
      )
    }
  })
