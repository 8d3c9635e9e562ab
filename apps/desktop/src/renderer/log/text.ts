import { defineText, plural } from "@countersign/ui/text/catalogue"

export const logText = defineText({
  empty: "No entries yet.",
  app: "This app",
  times: (count: number) => plural(count, { one: "# time", other: "# times" }),
  filter: "Source",
  all: "All",
  support: "Text for support",
  supportLead:
    "Names and addresses of hubs and of this device are left out, and possible secrets are masked. Only this text is copied:",
  copy: { copy: "Copy as support text", copied: "Copied", refused: "Couldn't copy: select the text" },
  events: "Changes"
})
