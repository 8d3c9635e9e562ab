import { defineText } from "./catalogue.ts"
import { signingSecretWords } from "./signing-secret.ts"

export const triggersText = defineText({
  title: "Triggers",
  one: "Trigger",
  list: "Triggers, newest first",
  empty:
    "A trigger makes a request of an agent, or runs a workflow, when another system calls its signed URL or at set "
    + "times.",
  noMatch: "No trigger matches these filters.",
  columns: {
    name: "Trigger",
    kind: "Kind",
    last: "Last fired",
    created: "Created"
  },
  kinds: { webhook: "Webhook", cron: "Cron" },
  kindAbout: {
    webhook: "Another system fires it with a signed POST",
    cron: "It fires at the times of a cron expression"
  },
  status: "Status",
  kind: "Kind",
  open: "Open",
  copyId: "Copy id",
  menuOf: (name: string) => `Actions for ${name}`,
  optional: "optional",

  create: {
    act: "Create trigger",
    title: "New trigger",
    about: "Its signing secret is shown once, when it is created.",
    failed: "The trigger was not created.",
    unchanged: "Nothing was changed."
  },
  edit: {
    title: (name: string) => `Edit ${name}`,
    failed: "The trigger was not changed.",
    unchanged: "It is as it was.",
    done: "Saved."
  },
  form: {
    name: "Name",
    nameAbout: "Empty: the kind and the action.",
    kind: "Kind",
    agent: "Agent",
    agentAbout: "Its bindings, budgets, and wallet apply to each firing.",
    hasTemplate: "Make the payload from the delivery",
    hasTemplateAbout: "Otherwise every firing has the same payload.",
    template: "Payload template",
    templateAbout: "JSON; texts may contain ${body.name}, ${headers.name}, ${query.name}, and ${delivery.id}.",
    notJson: "Enter a JSON object.",
    timestamp: "Require a signed timestamp",
    timestampAbout: "Only Standard Webhooks signatures pass, so that an old delivery can't be sent again."
  },
  secret: {
    ...signingSecretWords.secret,
    keptAbout: "In a secret store or in the settings of the sender. A lost secret is replaced by rotation.",
    grace: (until: string) => `The previous secret works until ${until}.`,
    dead: "The previous secret no longer works."
  },
  rotate: {
    ...signingSecretWords.rotate,
    title: (name: string) => `A new signing secret for ${name}`,
    about: "The new secret is shown once. Deliveries signed with the old one pass until its grace period ends.",
    grace: "The old secret works for",
    unchanged: "The old secret still works."
  },
  detail: {
    rule: "Trigger",
    kind: "Kind",
    action: "Action",
    template: "Payload template",
    payload: "Payload",
    timestamp: "Timestamp",
    timestampRequired: "signed timestamp required",
    timestampOptional: "not required",
    cron: "Cron",
    previous: "Previous secret",
    previousUntil: "works until {time}",
    lastFired: "Last fired",
    created: "Created",
    id: "Id",
    next: "Next times",
    url: "URL to fire it",
    urlCopy: { copy: "Copy URL", copied: "Copied", refused: "Not copied: select it" },
    curl: "Signed call",
    curlAbout: "Set TRIGGER_SECRET to the signing secret, then run this in a shell with openssl.",
    curlCopy: "Copy command",
    paused: "Paused.",
    resumed: "Active again.",
    statusFailed: "Its status was not changed.",
    remove: "Delete trigger"
  },
  test: {
    title: "Test",
    about: "Renders the payload of a delivery and estimates its request. Nothing is fired and nothing is spent.",
    body: "Body",
    headers: "Headers",
    query: "Query parameters",
    json: "JSON",
    badJson: "This isn't JSON.",
    act: "Test",
    failed: "The delivery was not rendered.",
    unchanged: "Nothing was fired.",
    result: "Result",
    request: "Request",
    payload: "Rendered payload",
    ceiling: "Maximum cost",
    cost: "Expected cost",
    why: "Reason"
  },
  deliveries: {
    title: "Deliveries",
    list: "Deliveries of this trigger, newest first",
    empty: "It has not fired yet. Deliveries of the last 30 days are shown.",
    more: "Older deliveries",
    statuses: { fired: "Fired", refused: "Refused", queued: "Queued", skipped: "Left out", missed: "Missed" },
    delivery: "Delivery {id}",
    request: "Request"
  },
  remove: {
    title: (name: string) => `Delete ${name}?`,
    what: "Its URL and its secret stop working. Requests that it has made continue.",
    act: "Delete trigger",
    failed: "The trigger was not deleted.",
    unchanged: "It is as it was.",
    done: (name: string) => `${name} is deleted.`
  }
})
