import { defineText } from "./catalogue.ts"

/** Two people edited the same object. */
export const mergeText = defineText({
  changedBy: "{person} changed this {time}, while you were editing.",
  changed: "Somebody else changed this while you were editing.",
  what: "Nothing was saved yet. Review both changes, then save again.",
  theirs: "Their changes, now in your form",
  mine: "Your changes, kept",
  collisions: "Changed by both: choose one",
  before: "was",
  after: "is now",
  keepMine: "Yours",
  takeTheirs: "Theirs",
  undecided: "Choose a value for each field, then save again.",
  ready: "Save again to apply.",
  title: "Review changes",
  none: "None",
  yes: "On",
  no: "Off"
})
