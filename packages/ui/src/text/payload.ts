import { defineText, plural } from "./catalogue.ts"

/** The texts of PayloadView. */
export const payloadText = defineText({
  label: "Views of the payload",
  form: "Fields",
  json: "JSON",
  diff: "Changes",
  masked: "Hidden",
  undescribed: "not in the schema",
  empty: "The payload is empty.",
  items: (count: number) => plural(count, { one: "# item", other: "# items" }),
  same: "Nothing differs.",
  added: "Added",
  removed: "Removed",
  changed: "Changed",
  notComparable: "hidden: cannot be compared",
  unchangedCount: (count: number) => plural(count, { one: "# field is unchanged", other: "# fields are unchanged" }),
  search: "Search",
  matches: (count: number) => plural(count, { one: "# match", other: "# matches" }),
  fold: "Fold",
  unfold: "Unfold",
  more: (left: number) => plural(left, { one: "# more line", other: "# more lines" }),
  copyJson: { copy: "Copy JSON", copied: "Copied", refused: "The browser did not copy it" },
  reason: (reason: "bidi" | "control" | "invisible" | "lookalike" | "unknown", like: string | undefined) =>
    ({
      bidi: "changes the direction of the text",
      control: "a control character",
      invisible: "cannot be seen",
      lookalike: `looks like ${like ?? "another letter"}`,
      unknown: "no character that is known"
    })[reason]
})
