/** Of the builds of the console: the hub's and the desktop app's. */
import type { Plugin } from "vite"

/** Whichever file of styles comes first says the order of the layers. */
export const layerOrder = (): Plugin => ({
  name: "layer-order",
  generateBundle: {
    order: "post",
    handler: (_, bundle) => {
      for (const file of Object.values(bundle)) {
        if (file.type === "asset" && file.fileName.endsWith(".css")) {
          file.source = `@layer reset,tokens,components,patterns,utilities,screens;${String(file.source)}`
        }
      }
    }
  }
})
