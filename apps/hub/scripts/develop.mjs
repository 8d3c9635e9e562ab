/**
 * `npm run dev`: runs the hub, restarted at every change, and Vite's server, which serves the console from its
 * sources and proxies every other address to the hub. One origin serves both, so that cookies and links work as in
 * production.
 */
import { spawn } from "node:child_process"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { findNode, root } from "./installation.mjs"
import { boundToParent, runToEnd } from "./process.mjs"

const ui = join(root, "packages", "ui")
/** Addresses of the hub; the same list as in apps/hub/src/console/rules.ts. */
const HUB_PATHS = "^/(api|docs|health|mcp|metrics|openapi\\.json|ready|v1|\\.well-known)(/|\\?|$)"

/** Vite's server as packages/ui configures it, in a separate process under Node 24. */
const server = `
import { createServer } from "vite"
const { DEV_CONSOLE_ROOT: root, DEV_CONSOLE_PORT: port, DEV_HUB_URL: target, DEV_HUB_PATHS: paths } = process.env
const vite = await createServer({
  root,
  server: {
    host: "127.0.0.1", port: Number(port), strictPort: true,
    proxy: { [paths]: { target, changeOrigin: false, secure: false, ws: true } }
  }
})
try {
  await vite.listen()
} catch (error) {
  console.error("The console is not served from its sources: " + error.message)
  process.exit(1)
}
console.log("The console from its sources: http://127.0.0.1:" + port)
`

export const develop = (args) => {
  const node = findNode()
  const hubPort = process.env.HUB_PORT || "4780"
  const consolePort = String(Number(hubPort) + 1)
  const env = { ...process.env }
  if (existsSync(join(ui, "index.html")) && hubPort !== "0") {
    const scheme = process.env.HUB_TLS_CERT ? "https" : "http"
    const target = `${scheme}://127.0.0.1:${hubPort}`
    const [command, ...rest] = boundToParent([node, "--input-type=module", "--eval", server])
    const vite = spawn(command, rest, {
      cwd: root,
      stdio: ["ignore", "inherit", "inherit"],
      // HUB: packages/ui/vite.config.ts proxies `/api` to this address.
      env: {
        ...process.env,
        HUB: target,
        DEV_CONSOLE_ROOT: ui,
        DEV_CONSOLE_PORT: consolePort,
        DEV_HUB_URL: target,
        DEV_HUB_PATHS: HUB_PATHS
      }
    })
    vite.once("error", (error) => console.error(`The console is not served from its sources: ${error.message}`))
    process.once("exit", () => vite.kill())
    // The hub's links lead to the page that Vite serves from the sources.
    env.HUB_PUBLIC_URL ??= `http://127.0.0.1:${consolePort}`
  }
  const main = join(root, "apps", "hub", "src", "main.ts")
  return runToEnd(node, ["--watch", "--watch-preserve-output", main, "start", ...args], { env })
}
