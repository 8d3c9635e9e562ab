import { defineText, plural } from "@countersign/ui/text/catalogue"

export const logText = defineText({
  empty: "Nothing was written down yet.",
  app: "This app",
  times: (count: number) => plural(count, { one: "# time", other: "# times" }),
  filter: "Of",
  all: "All",
  support: "Text for support",
  supportLead:
    "Names and addresses of hubs and of this device are left out, and what looks like a secret is masked. This is all that is copied:",
  copy: { copy: "Copy as support text", copied: "Copied", refused: "It could not be copied: select it" },
  events: "Changes"
})
