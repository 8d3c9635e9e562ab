import { defineText, plural } from "./catalogue.ts"

/** Warnings that the hub answers to a save. */
export const warningsText = defineText({
  title: (count: number) => plural(count, { one: "Saved with # warning", other: "Saved with # warnings" }),
  more: (count: string) => `And ${count} more.`
})
