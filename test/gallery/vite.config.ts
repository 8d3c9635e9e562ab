/** The page of all components, for `vite test/gallery` and the tests of the components. Neither needs a hub. */
import react from "@vitejs/plugin-react"
import { fileURLToPath } from "node:url"
import { defineConfig } from "vite"
import { layerOrder } from "../../packages/ui/layer-order.ts"

export default defineConfig({
  root: fileURLToPath(new URL(".", import.meta.url)),
  plugins: [react(), layerOrder()],
  build: {
    emptyOutDir: true,
    target: ["chrome120", "firefox121", "safari17.4"],
    // As in the console's build: nothing inline, for the policy of the page.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    cssMinify: "lightningcss"
  }
})
