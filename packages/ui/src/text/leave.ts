import { defineText } from "./catalogue.ts"

export const leaveText = defineText({
  title: "Leave without saving?",
  what: "Your changes will be lost.",
  act: "Leave",
  stay: "Stay"
})
