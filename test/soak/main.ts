/**
 * `npm run soak [-- name…] [--seed 1] [--scale 10] [--minutes 30] [--list]`: runs the named scenarios, or all, one
 * after the other over a separate PostgreSQL. The last line is `N passed, N failed`; a failure, or no scenario at all,
 * ends with exit code 1.
 */
import { parseArgs } from "node:util"
import setUp from "../support/global-setup.ts"
import { loadScenario, scenarioNames } from "./scenario.ts"

const usageError = (problem: string): never => {
  process.stderr.write(`${problem}\n`)
  process.exit(2)
}

const read = () => {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        seed: { type: "string", default: "1" },
        scale: { type: "string", default: "10" },
        minutes: { type: "string", default: "30" },
        list: { type: "boolean", default: false }
      }
    })
  } catch (error) {
    return usageError(error instanceof Error ? error.message : String(error))
  }
}
const { positionals, values } = read()

const whole = (name: "seed" | "scale" | "minutes"): number =>
  /^[1-9]\d{0,8}$/.test(values[name])
    ? Number(values[name])
    : usageError(`--${name} must be a whole number from 1 to 999999999`)
const [seed, scale, minutes] = [whole("seed"), whole("scale"), whole("minutes")]

const all = scenarioNames()
const unknown = positionals.find((name) => !all.includes(name))
if (unknown !== undefined) usageError(`There is no scenario "${unknown}". Scenarios: ${all.join(", ")}`)
const names = positionals.length === 0 ? all : positionals

const print = (line: string) => process.stdout.write(`${line}\n`)
const reasonOf = (error: unknown) => error instanceof Error ? error.stack ?? error.message : String(error)

/**
 * A scenario over its time limit cannot be stopped, so the whole run ends: another scenario would share the machine
 * with it.
 */
class OverLimit extends Error {}

const within = async (work: Promise<void>): Promise<void> => {
  const limit = Promise.withResolvers<never>()
  const timer = setTimeout(
    () => limit.reject(new OverLimit(`not finished after ${minutes} minutes (--minutes)`)),
    minutes * 60_000
  )
  try {
    await Promise.race([work, limit.promise])
  } finally {
    clearTimeout(timer)
  }
}

const runAll = async () => {
  let [passed, failed] = [0, 0]
  for (const name of names) {
    const began = performance.now()
    const seconds = () => `${((performance.now() - began) / 1000).toFixed(1)} s`
    try {
      const scenario = await loadScenario(name)
      const missing = scenario.missing?.()
      if (missing !== undefined) throw new Error(`${missing.reason}: ${missing.provide}`)
      await within(scenario.run({ seed, scale, log: (line) => print(`  ${name}: ${line}`) }))
      passed++
      print(`passed ${name}, seed ${seed}, scale ${scale}, ${seconds()}`)
    } catch (error) {
      failed++
      print(`FAILED ${name}, seed ${seed}, scale ${scale}, ${seconds()}\n${reasonOf(error)}`)
      if (error instanceof OverLimit) break
    }
  }
  return { passed, failed }
}

if (values.list) {
  for (const name of names) print(`${name}: ${(await loadScenario(name)).summary}`)
  process.exit(0)
}

const tearDown = await setUp()
// A signal also ends the server, which would otherwise outlive the run.
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.once(signal, () => void tearDown().finally(() => process.exit(130)))
}
const { passed, failed } = await runAll()
await tearDown()
print(`${passed} passed, ${failed} failed`)
process.exit(failed === 0 && passed > 0 ? 0 : 1)
