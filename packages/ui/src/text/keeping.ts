import { defineText, plural } from "./catalogue.ts"

export const keepingText = defineText({
  removed: "Removed, as this workspace was set to. Figures, digest and log stay.",
  removedAfter: (days: number) =>
    plural(days, {
      one: "Removed: this workspace keeps it for # day. Figures, digest and log stay.",
      other: "Removed: this workspace keeps it for # days. Figures, digest and log stay."
    })
})
