/**
 * The app in Electron itself. Skipped without Electron's binary, in CI too; with `REQUIRE_ELECTRON=1` a missing binary
 * fails.
 */
import { _electron } from "@playwright/test"
import { mkdtempSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { expect, test } from "vitest"
import { findElectron } from "../../../apps/desktop/scripts/electron-path.mjs"
import { ensureBuilt } from "../../support/built-main.ts"

const found = findElectron() as { readonly path?: string; readonly reason?: string }
const name = "the window opens from app://, sandboxed, and answers over its bridge"

if (found.path === undefined && process.env["REQUIRE_ELECTRON"] !== "1") {
  // The only permitted skip: some machines cannot download Electron's binary, so CI counts this as skipped, too.
  test(name, ({ skip }) => skip(`no Electron binary: ${found.reason}`))
} else {
  test(name, async () => {
    if (found.path === undefined) {
      throw new Error(`REQUIRE_ELECTRON is set, but Electron cannot be run: ${found.reason}`)
    }
    ensureBuilt()
    const root = resolve(import.meta.dirname, "../../..")
    const app = await _electron.launch({
      executablePath: found.path,
      args: [
        ...process.getuid?.() === 0 ? ["--no-sandbox"] : [],
        `--user-data-dir=${mkdtempSync(join(tmpdir(), "desktop-electron-"))}`,
        join(root, "apps", "desktop")
      ]
    })
    try {
      const window = await app.firstWindow()
      await window.getByRole("heading", { name: "Add a hub" }).waitFor()
      expect(window.url()).toBe("app://countersign/")
      expect(await window.evaluate(`typeof require + typeof process`)).toBe("undefinedundefined")
      expect(await window.evaluate(`window.countersign.shell.state().then((said) => said.ok)`)).toBe(true)
    } finally {
      await app.close()
    }
  }, 120_000)
}
