/**
 * The desktop app's build: main and preload for Electron's Node, the renderer for its Chromium. Into
 * `apps/desktop/out`. Main carries its workspace packages and libraries in one script; keytar, which is native, stays a
 * package.
 */
import react from "@vitejs/plugin-react"
import { defineConfig } from "electron-vite"
import { readdirSync, readFileSync } from "node:fs"
import { resolve } from "node:path"
import { layerOrder } from "./packages/ui/layer-order.ts"

const app = resolve(import.meta.dirname, "apps/desktop")

/** The tray's, beside the script that draws them. */
const pictures = {
  name: "pictures",
  generateBundle(
    this: {
      readonly emitFile: (
        file: { readonly type: "asset"; readonly fileName: string; readonly source: Buffer }
      ) => unknown
    }
  ) {
    const folder = resolve(import.meta.dirname, "resources/desktop")
    for (const name of readdirSync(folder).filter((each) => /^tray-.*\.png$/u.test(each))) {
      this.emitFile({ type: "asset", fileName: `pictures/${name}`, source: readFileSync(resolve(folder, name)) })
    }
  }
}

/**
 * A screen's address has several parts, and each may be where the window begins. electron-vite wants pages beside their
 * files.
 */
const fromRoot = {
  name: "from-root",
  enforce: "post" as const,
  config: (config: { base?: string }) => {
    config.base = "/"
  }
}

export default defineConfig({
  main: {
    plugins: [pictures],
    build: {
      outDir: resolve(app, "out/main"),
      externalizeDeps: false,
      minify: true,
      rolldownOptions: {
        // The agent runs in a separate process, and its search in a separate thread.
        input: {
          index: resolve(app, "src/main/index.ts"),
          device: resolve(app, "src/device/app.ts"),
          "matcher-thread": resolve(app, "src/device/tools/matcher-thread.ts")
        },
        external: ["keytar"]
      }
    }
  },
  preload: {
    build: {
      outDir: resolve(app, "out/preload"),
      // A sandboxed preload can require no packages and no other file, and has no module syntax.
      externalizeDeps: false,
      isolatedEntries: true,
      minify: true,
      rolldownOptions: {
        input: {
          index: resolve(app, "src/preload/index.ts"),
          confirm: resolve(app, "src/preload/confirm.ts"),
          owner: resolve(app, "src/preload/owner.ts")
        },
        output: { format: "cjs", entryFileNames: "[name].cjs" }
      }
    }
  },
  renderer: {
    root: resolve(app, "src/renderer"),
    publicDir: resolve(import.meta.dirname, "packages/ui/public"),
    plugins: [react(), layerOrder(), fromRoot],
    build: {
      outDir: resolve(app, "out/renderer"),
      // Each window loads only its own code: the owner's window and the confirmation window load no code of the
      // console.
      isolatedEntries: true,
      // A file as a `data:` address would need a policy for it.
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      minify: true,
      cssMinify: "lightningcss",
      rolldownOptions: {
        // As the hub's build: what every page needs is two files.
        output: {
          codeSplitting: {
            groups: [
              { name: "libraries", test: /node_modules/u, tags: ["$initial"], priority: 2 },
              { name: "console", tags: ["$initial"], priority: 1 }
            ]
          }
        },
        input: {
          index: resolve(app, "src/renderer/index.html"),
          confirm: resolve(app, "src/renderer/confirm.html"),
          owner: resolve(app, "src/renderer/owner.html")
        }
      }
    }
  }
})
