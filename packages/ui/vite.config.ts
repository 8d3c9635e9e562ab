/**
 * The console's build: hashed files in `dist/assets`, which the hub serves. Nothing inline: the page's policy has no
 * `unsafe-inline`. `vite dev packages/ui` serves it with `/api` handed on to a hub: `HUB=http://127.0.0.1:4780`.
 */
import react from "@vitejs/plugin-react"
import { fileURLToPath } from "node:url"
import { defineConfig } from "vite"
import { calledEndpoints } from "./called-endpoints.ts"
import { layerOrder } from "./layer-order.ts"

/** Parts with a name in their file: tests delay the palette and the filters. */
const named = ["libraries", "palette", "inbox-filters", "inbox-screen"]
const hub = process.env["HUB"] ?? "http://127.0.0.1:4780"

export default defineConfig({
  root: fileURLToPath(new URL(".", import.meta.url)),
  plugins: [react(), layerOrder(), calledEndpoints()],
  // `Host` stays what the browser said, so that the hub takes the page's origin as its own.
  server: { proxy: { "/api": { target: hub, changeOrigin: false } } },
  preview: { proxy: { "/api": { target: hub, changeOrigin: false } } },
  build: {
    outDir: "dist",
    emptyOutDir: true,
    target: ["chrome120", "firefox121", "safari17.4"],
    // A file as a `data:` address would need a policy for it.
    assetsInlineLimit: 0,
    // Every page loads the list of what each part needs. Only the inbox, where most people begin, has its scripts in it:
    // another screen is loaded when the pointer or the focus is on its link, and then names its scripts itself.
    modulePreload: {
      polyfill: false,
      resolveDependencies: (file, needed) =>
        file.includes("/inbox-") ? needed : needed.filter((each) => each.endsWith(".css"))
    },
    cssMinify: "lightningcss",
    sourcemap: false,
    // What every page needs is two files, not eighty: the libraries, which keep their name over our changes, and our
    // own.
    rolldownOptions: {
      output: {
        // Every page loads the list of all parts: names would be a third of it.
        chunkFileNames: ({ name }) => named.includes(name) ? "assets/[name]-[hash].js" : "assets/part-[hash].js",
        assetFileNames: ({ names: [name = ""] }) =>
          name.endsWith(".css") ? "assets/part-[hash].css" : "assets/[name]-[hash][extname]",
        codeSplitting: {
          groups: [
            { name: "libraries", test: /node_modules/u, tags: ["$initial"], priority: 2 },
            { name: "console", tags: ["$initial"], priority: 1 }
          ]
        }
      }
    }
  }
})
