import { defineText, plural } from "./catalogue.ts"

export const keepingText = defineText({
  removed: "Removed, as this workspace was set to. Figures, digest and log stay.",
  removedAfter: (days: number) =>
    plural(days, {
      one: "Removed: this workspace keeps it for # day. Figures, digest and log stay.",
      other: "Removed: this workspace keeps it for # days. Figures, digest and log stay."
    }),
  commandRemoved: (days: number) =>
    plural(days, {
      one: "Removed after # day. The command's input, plan, result, and output are no longer kept; its audit log is.",
      other: "Removed after # days. The command's input, plan, result, and output are no longer kept; its audit log is."
    })
})
