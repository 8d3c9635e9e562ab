/** The built app with real hubs and the console's window in Chromium: the start of the desktop journeys. */
import { type Browser, chromium, expect as seen, type Page } from "@playwright/test"
import { Effect, Exit, Scope } from "effect"
import { type BuiltMain, ensureBuilt, eventually, loadBuiltMain, quit } from "./built-main.ts"
import { findChromium } from "./chromium.mjs"
import { type DesktopWindow, openWindow, origin } from "./desktop-window.ts"
import type { OwnerInTest } from "./hub.ts"

/** Undefined without a Chromium: the journeys cannot run here. */
export const executablePath = findChromium()

export interface DesktopApp {
  readonly main: BuiltMain
  readonly browser: Browser
  readonly window: DesktopWindow
  readonly page: Page
  /** Runs an effect in the scope of the app. */
  readonly run: <A>(effect: Effect.Effect<A, never, Scope.Scope>) => Promise<A>
  /** Addresses to which main navigated the console's window. */
  readonly sent: () => ReadonlyArray<string>
  /** Waits for more than `after` navigations by main and follows the latest. */
  readonly follow: (after: number) => Promise<void>
  readonly go: (path: string) => Promise<void>
  readonly addHub: (url: string, name?: string) => Promise<void>
  readonly signIn: (owner: OwnerInTest) => Promise<void>
  readonly end: () => Promise<void>
}

/** Call it once per process: main composes itself when it is loaded. */
export const startDesktop = async (): Promise<DesktopApp> => {
  ensureBuilt()
  const scope = await Effect.runPromise(Scope.make())
  const main = await loadBuiltMain()
  const { id } = await eventually(() => main.record.windows[0])
  const browser = await chromium.launch({
    ...executablePath === undefined ? {} : { executablePath },
    args: ["--no-sandbox", "--disable-dev-shm-usage"]
  })
  const window = await openWindow(main, browser, { id, preload: "index", session: "default" })
  const { page } = window
  const sent = () => main.record.windows.find((each) => each.id === id)?.urls ?? []
  const go = async (path: string) => void await page.goto(origin + path)
  const follow = async (after: number) => {
    const url = await eventually(() => sent().length > after ? sent().at(-1) : undefined)
    await page.goto(url.replace("app://countersign", origin))
  }
  return {
    main,
    browser,
    window,
    page,
    sent,
    go,
    follow,
    run: (effect) => Effect.runPromise(Scope.provide(effect, scope)),
    addHub: async (url, name) => {
      await page.getByLabel("Address of the hub").fill(url)
      await page.getByRole("button", { name: "Check address" }).click()
      await seen(page.getByRole("heading", { name: "Hub found" })).toBeVisible({ timeout: 60_000 })
      if (name !== undefined) await page.getByLabel("Name on this computer").fill(name)
      const before = sent().length
      await page.getByRole("button", { name: "Add hub" }).click()
      // The first hub has one more step.
      if (before === 1) await page.getByRole("button", { name: "Sign in" }).click()
      await follow(before)
    },
    signIn: async ({ email, password }) => {
      await page.getByLabel("E-mail").fill(email)
      await page.getByLabel("Password").fill(password)
      await page.getByRole("button", { name: "Sign in" }).click()
      await seen(page.getByRole("heading", { level: 1 })).toHaveText(/Inbox/u, { timeout: 60_000 })
    },
    end: async () => {
      await browser.close()
      await quit(main)
      await Effect.runPromise(Scope.close(scope, Exit.void))
    }
  }
}
