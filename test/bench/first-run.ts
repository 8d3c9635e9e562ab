/**
 * The path of a new user from `npm start` in an installed and built checkout to the first approved request: real clicks
 * in a real browser, a real shell for the command line, no time to think or read. The result is the time that the
 * product itself takes, with the number of clicks and fields.
 */
import { type Browser, chromium, type Locator, type Page } from "@playwright/test"
import { Effect } from "effect"
import { execFile } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { ensureConsole } from "../../apps/hub/scripts/console.mjs"
import { findChromium } from "../support/chromium.mjs"
import { announcedFile, spawnProgram } from "../support/hub-program.ts"
import { closedPort } from "../support/upstream.ts"
import { type Figure, info } from "./figures.ts"
import { median } from "./rounds.ts"
import { owner, Stage } from "./stage.ts"

const root = join(import.meta.dirname, "..", "..")
const run = promisify(execFile)

interface Walkthrough {
  /** Milliseconds per step, named by its result. */
  readonly steps: ReadonlyArray<readonly [name: string, millis: number]>
  readonly presses: number
  readonly fields: number
  readonly pastes: number
}

/** Counts the actions of a person. */
const makePerson = () => {
  const actions = { presses: 0, fields: 0, pastes: 0 }
  return {
    actions,
    press: async (button: Locator) => {
      actions.presses++
      await button.click()
    },
    fill: async (field: Locator, text: string) => {
      actions.fields++
      await field.fill(text)
    },
    /** Into a shell. */
    paste: async (command: string) => {
      actions.pastes++
      await run("/bin/sh", ["-c", command])
    }
  }
}

const clipboard = (page: Page) => page.evaluate<string>("navigator.clipboard.readText()")

/** Starts with the link that the terminal prints. */
const walk = async (page: Page, link: string, step: (name: string) => void): Promise<Omit<Walkthrough, "steps">> => {
  const { fill, actions, paste, press } = makePerson()
  const button = (name: string | RegExp) => page.getByRole("button", { name })
  await page.goto(link)
  await page.getByLabel("E-mail").waitFor()
  step("link opened, its form")
  await fill(page.getByLabel("E-mail"), owner.email)
  await fill(page.getByLabel("Password", { exact: true }), owner.password)
  await press(button("Create owner"))
  await button("Create agent Scout").waitFor()
  step("owner and workspace created, the first step")
  await press(button("Create agent Scout"))
  await button("Copy the command").waitFor()
  step("agent, funds, and service")
  await press(button("Copy the command"))
  await page.waitForFunction("navigator.clipboard.readText().then((text) => text.includes('curl'))")
  await paste(await clipboard(page))
  await button("Approve $0.01").waitFor()
  step("command copied and pasted, the pending approval shown")
  await press(button("Approve $0.01"))
  await page.getByText("Decided: executed").waitFor()
  step("approved, its outcome seen")
  return actions
}

const walkthroughOf = (browser: Browser) =>
  Effect.gen(function*() {
    const dataDir = yield* Effect.acquireRelease(
      Effect.sync(() => mkdtempSync(join(tmpdir(), "cs-bench-first-"))),
      (directory) => Effect.sync(() => rmSync(directory, { recursive: true, force: true, maxRetries: 5 }))
    )
    const port = yield* closedPort
    const steps: Array<readonly [string, number]> = []
    let since = performance.now()
    const step = (name: string) => {
      const now = performance.now()
      steps.push([name, now - since])
      since = now
    }
    const program = yield* spawnProgram(["npm", "start"], { HUB_DATA_DIR: dataDir, HUB_PORT: String(port) }, {
      cwd: root
    })
    const [link = ""] = /\S+\/setup#token=\S+/.exec(yield* announcedFile(program, /The setup link/)) ?? []
    step("npm start, the link printed")
    const page = yield* Effect.acquireRelease(
      Effect.promise(async () => {
        const context = await browser.newContext({ permissions: ["clipboard-read", "clipboard-write"] })
        return context.newPage()
      }),
      (opened) => Effect.promise(() => opened.context().close())
    )
    const actions = yield* Effect.promise(() => walk(page, link, step))
    return { ...actions, steps } satisfies Walkthrough
  }).pipe(Effect.scoped)

const seconds = (millis: number): string => `${(millis / 1000).toFixed(2)} s`

export const firstRun: Effect.Effect<ReadonlyArray<Figure>, unknown, Stage> = Effect.gen(function*() {
  const { rounds } = yield* Stage
  const { problem } = ensureConsole()
  if (problem !== undefined) return yield* Effect.die(new Error(`the console could not be built: ${problem}`))
  const executablePath = findChromium()
  const browser = yield* Effect.acquireRelease(
    Effect.promise(() =>
      chromium.launch({
        ...executablePath === undefined ? {} : { executablePath },
        args: ["--no-sandbox", "--disable-dev-shm-usage"]
      })
    ),
    (opened) => Effect.promise(() => opened.close())
  )
  const walkthroughs: Array<Walkthrough> = []
  for (let round = 0; round < rounds; round++) walkthroughs.push(yield* walkthroughOf(browser))
  const [first] = walkthroughs
  if (first === undefined) return []
  const whole = walkthroughs.map(({ steps }) => steps.reduce((sum, [, millis]) => sum + millis, 0))
  return [
    info("from `npm start` to an approved request, without time to read or think", seconds(median(whole))),
    info(
      "asked of a person",
      `${first.presses} presses, ${first.fields} fields, ${first.pastes} pastes into a shell, one link opened`
    ),
    ...first.steps.map(([name], at) =>
      info(name, seconds(median(walkthroughs.map(({ steps }) => steps[at]?.[1] ?? 0))))
    )
  ]
}).pipe(Effect.scoped)
