/** The hub's metrics: `/metrics` renders them, and OTLP exports them when it is on. */
import { Context, Metric } from "effect"

/** Upper bounds in seconds, of answers and of ticks. */
const boundaries = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]

export const httpRequests = Metric.counter("countersign_http_requests_total", {
  description: "HTTP requests by method, route, and status.",
  incremental: true
})
export const httpDuration = Metric.histogram("countersign_http_request_duration_seconds", {
  description: "Time to respond to an HTTP request by method and route.",
  boundaries
})
export const dispatchOutcomes = Metric.counter("countersign_dispatch_outcomes_total", {
  description: "Service requests by status and reason.",
  incremental: true
})
export const tickDuration = Metric.histogram("countersign_tick_duration_seconds", {
  description: "Time of one batched money transaction.",
  boundaries
})
export const tickEntries = Metric.counter("countersign_tick_entries_total", {
  description: "Begins and settles decided in ticks.",
  incremental: true
})
export const providerDuration = Metric.histogram("countersign_provider_duration_seconds", {
  description: "Time of a call to a provider by service and outcome; `custom` are all services of workspaces.",
  boundaries
})
export const databaseStatements = Metric.gauge("countersign_database_statements", {
  description: "Statements of this hub that run or wait for a connection of the pool."
})
export const databaseConnections = Metric.gauge("countersign_database_connections_max", {
  description: "Connections of the pool, at most."
})
export const lateAnswers = Metric.counter("countersign_late_answers_total", {
  description: "Provider responses that arrived after the outcome of their request. A person must check them.",
  incremental: true
})
export const standingGivenUp = Metric.counter("countersign_standing_given_up_total", {
  description:
    "Pending approvals that a standing approval could not decide after many tries. A person must decide them.",
  incremental: true
})
export const paymentChanges = Metric.counter("countersign_payment_changes_total", {
  description: "Changes of payments by what happened: paid, mismatched, reversed, restored, expired, failed.",
  incremental: true
})
export const transactionRetries = Metric.counter("countersign_transaction_retries_total", {
  description: "Transactions that ran again after a deadlock or a conflict of serialization.",
  incremental: true
})
export const storageMissing = Metric.gauge("countersign_storage_missing_objects", {
  description: "Stored objects whose bytes are missing, at the last sweep. A person must restore them from a backup."
})
export const signIns = Metric.counter("countersign_sign_ins_total", {
  description: "Sign-ins by method and outcome: ok, failed, or the code of a failure at the provider.",
  incremental: true
})
export const mcpRefreshes = Metric.counter("countersign_mcp_refreshes_total", {
  description: "Reads of the tools of MCP services by result: listed, failed.",
  incremental: true
})
export const appRenewals = Metric.counter("countersign_app_renewals_total", {
  description:
    "Renewals of the tokens of connected apps by result: current (renewed), ended (the provider rejects it), unreachable.",
  incremental: true
})
export const knowledgeDocuments = Metric.gauge("countersign_knowledge_documents", {
  description: "Documents of all workspaces by status, at the last sweep of this hub: `queued` and `processing` wait."
})
export const knowledgeEmbedding = Metric.histogram("countersign_knowledge_embedding_seconds", {
  description: "Time to embed one passage of a document.",
  boundaries
})
export const knowledgeTokens = Metric.counter("countersign_knowledge_embedding_tokens_total", {
  description: "Tokens of documents and queries that the embedding endpoint reported.",
  incremental: true
})
export const modelCalls = Metric.counter("countersign_model_calls_total", {
  description:
    "Streamed calls of models by outcome: whole, cut (after content), refused, unknown (cut before content).",
  incremental: true
})
export const noticeMessages = Metric.counter("countersign_notice_messages_total", {
  description:
    "Messages to Slack and Discord by provider and result: sent, updated, limited, passing (tried again), refused, gone.",
  incremental: true
})
export const messengerCalls = Metric.counter("countersign_messenger_calls_total", {
  description:
    "Verified clicks and commands of Slack and Discord by provider and result: done, refused, repeated, ignored.",
  incremental: true
})
export const runsActive = Metric.gauge("countersign_runs_active", { description: "Runs that this hub drives." })
export const runsEnded = Metric.counter("countersign_runs_ended_total", {
  description: "Runs of workflows that ended on this hub, by status.",
  incremental: true
})
export const chatTurnsActive = Metric.gauge("countersign_chat_turns_active", {
  description: "Turns of chat that this hub drives."
})
export const chatTurnsParted = Metric.counter("countersign_chat_turns_parted_total", {
  description: "Turns of chat that this hub drove until they waited, paused, or ended, by state.",
  incremental: true
})
export const mailsTotal = Metric.counter("countersign_mails_total", {
  description:
    "Attempts to send a mail by kind (invite, account, notices) and outcome: sent, retried, failed, cancelled.",
  incremental: true
})
export const pushesTotal = Metric.counter("countersign_pushes_total", {
  description: "Attempts to notify a browser by outcome: sent, retried, failed, expired (the subscription is removed).",
  incremental: true
})
export const firingsTotal = Metric.counter("countersign_firings_total", {
  description: "Firings by source (schedule, webhook) and status: fired, queued, skipped, missed, refused.",
  incremental: true
})
export const webhookAttempts = Metric.counter("countersign_webhook_attempts_total", {
  description: "Attempts to deliver an event to a webhook endpoint by result: delivered, refused, unanswered.",
  incremental: true
})
export const webhookDuration = Metric.histogram("countersign_webhook_attempt_duration_seconds", {
  description: "Time of one attempt to deliver an event to a webhook endpoint.",
  boundaries
})
export const webhooksInProgress = Metric.gauge("countersign_webhook_attempts_in_progress", {
  description: "Attempts of this hub to deliver an event to a webhook endpoint that are in progress."
})
export const webhooksDisabled = Metric.counter("countersign_webhook_endpoints_disabled_total", {
  description: "Webhook endpoints that this hub disabled by reason: gone (410), failures. A person must enable them.",
  incremental: true
})
export const openStreams = Metric.gauge("countersign_event_streams", { description: "Open event streams of this hub." })
export const pollsInFlight = Metric.gauge("countersign_polls_in_flight", {
  description: "Polls of providers in progress in this hub."
})
export const openSockets = Metric.gauge("countersign_device_sockets", {
  description: "Devices connected to this hub by a socket."
})

/** Updates a metric with labels, without an effect per update: for paths that run thousands of times a second. */
const labelling = <M extends Metric.Metric<number, unknown>>(metric: M, context: Context.Context<never>) => {
  const labelled = new Map<string, Metric.Metric<number, unknown>>()
  return (labels: Readonly<Record<string, string>>, value: number): void => {
    const key = Object.values(labels).join("\u0000")
    let made = labelled.get(key)
    if (made === undefined) {
      made = Metric.withAttributes(metric, labels)
      labelled.set(key, made)
    }
    made.updateUnsafe(value, context)
  }
}

export const counting = (metric: Metric.Counter<number>, context: Context.Context<never>) => {
  const update = labelling(metric, context)
  return (labels: Readonly<Record<string, string>>, by = 1): void => update(labels, by)
}

export const timing = (metric: Metric.Histogram<number>, context: Context.Context<never>) => {
  const update = labelling(metric, context)
  return (millis: number, labels: Readonly<Record<string, string>> = {}): void => update(labels, millis / 1_000)
}
