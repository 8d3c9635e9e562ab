import type { WebhookType } from "@countersign/domain/webhook-endpoints"
import { defineText, plural } from "./catalogue.ts"
import { signingSecretWords } from "./signing-secret.ts"

/** Every event type in words, in the order of the form. */
const types: Readonly<Record<WebhookType, string>> = {
  "approval.created": "An approval is required",
  "approval.updated": "One of several approvers approved",
  "approval.decided": "An approval was decided",
  "approval.expired": "An approval expired",
  "standing_approval.updated": "A standing approval changed",
  "service_request.updated": "A request changed",
  "agent_request.created": "An agent asked a person",
  "agent_request.updated": "A question of an agent was answered",
  "budget_request.updated": "A budget request changed",
  "budget.alert": "A budget reached an alert level",
  "balance.changed": "The balance changed",
  "payment.updated": "A payment changed",
  "agent.updated": "An agent changed",
  "delegated_task.updated": "A delegated task changed",
  "chat.updated": "A chat session changed",
  "run.updated": "A workflow run changed",
  "workflow.updated": "A workflow changed",
  "schedule.updated": "A schedule changed",
  "trigger.updated": "A trigger changed",
  "publish_request.updated": "A publication changed",
  "device.updated": "A device changed",
  "device_command.updated": "A device command changed",
  "catalog.updated": "A service or a secret changed",
  "app.updated": "A connected app changed",
  "knowledge.updated": "A collection or a document changed",
  "workspace.updated": "Settings, people, or rules changed",
  "webhook.test": "Test message"
}

export const webhooksText = defineText({
  title: "Webhook endpoints",
  one: "Webhook endpoint",
  lead: "Your own systems receive the events of this workspace as signed messages.",
  noRight: "Your role here can't manage webhook endpoints.",
  empty: "A webhook endpoint sends the events of this workspace to one of your own systems.",
  allTypes: "All events",
  typeCount: (count: number) => plural(count, { one: "# event type", other: "# event types" }),
  statuses: { enabled: "Enabled", failing: "Failing", disabled: "Disabled" },
  disabledBy: {
    person: "Disabled by a person.",
    gone: "Disabled: the receiver answered 410 Gone.",
    failures: "Disabled after five days without a delivery."
  },
  failing: "Failing since",
  failingSince: "Failing since {time}",
  optional: "optional",
  types,

  create: {
    act: "Create endpoint",
    title: "New webhook endpoint",
    about: "Its signing secret is shown once, when it is created.",
    failed: "The endpoint was not created.",
    unchanged: "Nothing was changed."
  },
  edit: {
    act: "Edit",
    title: "Edit the endpoint",
    failed: "The endpoint was not changed.",
    unchanged: "It is as it was.",
    done: "Saved."
  },
  form: {
    url: "URL",
    urlAbout: "The hub sends a POST to it. It must answer with a 2xx status within 15 seconds.",
    urlExample: "https://example.com/hooks",
    urlNeeded: "Enter the URL of your system.",
    description: "Description",
    events: "Events",
    all: "All events",
    allAbout: "Also event types of later versions",
    some: "Selected events",
    someAbout: "Only the types that you select",
    types: "Event types",
    typesNeeded: "Select at least one event type.",
    selectAll: "Select all",
    selectNone: "Select none"
  },
  secret: {
    ...signingSecretWords.secret,
    keptAbout: "In the settings of the system that receives the messages. A lost secret is replaced by rotation.",
    grace: (until: string) => `Messages are signed with the previous secret too until ${until}.`,
    dead: "The previous secret no longer signs."
  },
  rotate: {
    ...signingSecretWords.rotate,
    title: "A new signing secret",
    about: "The new secret is shown once. Meanwhile each message is signed with both, so that no message fails.",
    grace: "The old secret signs for",
    unchanged: "The old secret still signs."
  },
  replay: {
    act: "Replay events",
    title: "Send past events again",
    about: "All events of its types since then are sent again, delivered ones included, each with its message id.",
    since: "Since",
    sinces: {
      1: "1 hour ago",
      6: "6 hours ago",
      24: "1 day ago",
      168: "7 days ago",
      720: "30 days ago"
    },
    failed: "No event was sent again.",
    unchanged: "Its deliveries are as they were.",
    done: (entries: number) =>
      plural(entries, { one: "# log entry is read again.", other: "# log entries are read again." })
  },
  test: {
    act: "Send test",
    failed: "The test message was not sent.",
    done: "Test message sent. Its delivery is the newest in the list."
  },
  status: {
    disable: "Disable",
    enable: "Enable",
    disabled: "The endpoint is disabled.",
    enabled: "The endpoint is enabled.",
    failed: "Its status was not changed."
  },
  detail: {
    facts: "Endpoint",
    parts: "Parts of the endpoint",
    url: "URL",
    description: "Description",
    events: "Events",
    previous: "Previous secret",
    previousUntil: "signs until {time}",
    created: "Created",
    id: "Id",
    remove: "Delete endpoint"
  },
  verify: {
    title: "Verify messages",
    about:
      "Set WEBHOOK_SECRET to the signing secret. Messages follow Standard Webhooks: its libraries for other languages work too.",
    languages: "Language",
    node: "Node.js",
    python: "Python",
    label: "Code that verifies a message",
    copy: "Copy code"
  },
  deliveries: {
    title: "Deliveries",
    list: "Deliveries, newest event first",
    empty: "No event has been sent yet. Deliveries of the last 30 days are shown.",
    noMatch: "No delivery has this status.",
    filter: "Status",
    any: "All deliveries",
    more: "Older deliveries",
    statuses: { pending: "Pending", delivered: "Delivered", failed: "Failed" },
    next: "next attempt {time}",
    attemptCount: (count: number) => plural(count, { one: "# attempt", other: "# attempts" }),
    payload: "Message",
    attempts: "Attempts",
    none: "No attempt has ended yet.",
    status: (status: number) => `Status ${status}`,
    noAnswer: "No answer",
    millis: (ms: number) => `${ms} ms`,
    response: "Response",
    redeliver: "Send again",
    redeliverOf: (type: string) => `Send again: ${type}`,
    redelivered: "The message is sent again.",
    failed: "The message was not sent again."
  },
  remove: {
    title: "Delete this endpoint?",
    what: (url: string) => `${url} receives no further events. Its deliveries are removed.`,
    act: "Delete endpoint",
    failed: "The endpoint was not deleted.",
    unchanged: "It is as it was.",
    done: "The endpoint is deleted."
  }
})
