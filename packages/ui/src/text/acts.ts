import { defineText } from "./catalogue.ts"

/** Words of small acts that are the same everywhere. */
export const actText = defineText({
  copying: { copy: "Copy", copied: "Copied", refused: "The browser did not copy it" },
  cancel: "Cancel",
  close: "Close",
  save: "Save",
  saving: "Saving…",
  dismiss: "Dismiss",
  notices: "Notices",
  asking: "Contacting the hub…",
  clearFilters: "Clear filters",
  loading: "Loading",
  learnMore: "Learn more",
  learnMoreOf: {
    approvals: "Learn more about approvals",
    budgets: "Learn more about budgets",
    bindings: "Learn more about access to services",
    rules: "Learn more about policy rules",
    services: "Learn more about services",
    declaring: "Learn more about declaring services",
    devices: "Learn more about devices"
  }
})
