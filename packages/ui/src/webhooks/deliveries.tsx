/** The deliveries of an endpoint: each opens to its message and its attempts. */
import { useInfiniteQuery } from "@tanstack/react-query"
import { useNavigate, useSearch } from "@tanstack/react-router"
import { MoreButton } from "../app/more-button.tsx"
import { Problem } from "../app/problem.tsx"
import { ScreenState } from "../app/screen-state.tsx"
import { useWorkspaceId } from "../app/session.ts"
import { JsonBlock } from "../catalog/json-block.tsx"
import { Button } from "../components/button.tsx"
import { Panel } from "../components/panel.tsx"
import { Select } from "../components/select.tsx"
import { hubClock } from "../hub/hub-time.ts"
import { type WebhookDelivery, webhookDeliveryPages, type WebhookEndpoint } from "../hub/queries.ts"
import { rowsOf } from "../hub/query-options.ts"
import { useAct } from "../hub/use-hub.ts"
import { useMayAct } from "../live/connection.ts"
import { RelativeTime } from "../patterns/relative-time.tsx"
import { StatusBadge } from "../patterns/status-badge.tsx"
import { Phrase } from "../text/catalogue.ts"
import { webhooksText } from "../text/webhooks.ts"
import { deliveryStatuses } from "./routes.tsx"
import styles from "./webhooks.module.css"

const t = webhooksText.deliveries
const from = "/w/$workspace/settings/webhooks/$id"

/** Attempts are no events: the list is polled while one of its messages is due within this time. */
const soonMillis = 10_000
const pollMillis = 1_000
const idleMillis = 15_000

const isDueSoon = ({ next_attempt_at, status }: WebhookDelivery): boolean =>
  status === "pending" && next_attempt_at !== undefined && Date.parse(next_attempt_at) - hubClock.now() < soonMillis

const lookOf: Readonly<Record<WebhookDelivery["status"], string>> = {
  pending: "pending",
  delivered: "executed",
  failed: "failed"
}

export const Deliveries = ({ endpoint }: { readonly endpoint: WebhookEndpoint }) => {
  const workspace = useWorkspaceId()
  const { status } = useSearch({ from })
  const navigate = useNavigate({ from })
  const deliveries = useInfiniteQuery({
    ...webhookDeliveryPages(workspace, endpoint.id, status),
    refetchInterval: ({ state }) => rowsOf(state.data).some(isDueSoon) ? pollMillis : idleMillis
  })
  const rows = rowsOf(deliveries.data)
  return (
    <Panel>
      <div className="grid grid-cols-1 gap-12 min-w-0">
        <Select
          label={t.filter}
          className={styles.filter}
          value={status ?? "any"}
          onChange={(value) => {
            const chosen = deliveryStatuses.find((each) => each === value)
            void navigate({ search: chosen === undefined ? {} : { status: chosen }, replace: true })
          }}
          options={[
            { value: "any", text: t.any },
            ...deliveryStatuses.map((value) => ({ value, text: t.statuses[value] }))
          ]}
        />
        <ScreenState query={deliveries}>
          {rows.length === 0
            ? <p className="type-body text-2">{status === undefined ? t.empty : t.noMatch}</p>
            : (
              <ul aria-label={t.list}>
                {rows.map((delivery) => <Delivery key={delivery.id} endpoint={endpoint} delivery={delivery} />)}
              </ul>
            )}
          {deliveries.hasNextPage && (
            <p>
              <MoreButton pages={deliveries}>{t.more}</MoreButton>
            </p>
          )}
        </ScreenState>
      </div>
    </Panel>
  )
}

const Delivery = ({ delivery, endpoint }: {
  readonly delivery: WebhookDelivery
  readonly endpoint: WebhookEndpoint
}) => {
  const { attempts, id, next_attempt_at, payload, status, type } = delivery
  const mayAct = useMayAct()
  const redeliver = useAct("webhook_endpoints.redeliver", {
    workspace: useWorkspaceId(),
    touches: ["webhook_endpoints.listDeliveries"],
    done: t.redelivered
  })
  return (
    <li className={styles.delivery}>
      <details>
        <summary className={styles.summary}>
          <StatusBadge status={lookOf[status]}>{t.statuses[status]}</StatusBadge>
          <code className="type-mono">{type}</code>
          <RelativeTime at={payload.timestamp} now={hubClock.now} />
          <span className="text-2">{t.attemptCount(attempts.length)}</span>
          {next_attempt_at !== undefined && attempts.length > 0 && (
            <span className="text-2">
              <Phrase text={t.next} time={<RelativeTime at={next_attempt_at} now={hubClock.now} />} />
            </span>
          )}
        </summary>
        <div className="grid grid-cols-1 gap-12 min-w-0 pt-12">
          <JsonBlock label={t.payload} value={payload} />
          <section aria-label={t.attempts}>
            {attempts.length === 0
              ? <p className="type-body text-2">{t.none}</p>
              : attempts.map((attempt) => <Attempt key={attempt.at} attempt={attempt} />)}
          </section>
          <p>
            <Button
              size="small"
              aria-label={t.redeliverOf(type)}
              disabled={!mayAct || endpoint.status === "disabled"}
              pending={redeliver.isPending}
              onClick={() => redeliver.mutate({ params: { id: endpoint.id, did: id } })}
            >
              {t.redeliver}
            </Button>
          </p>
          {redeliver.error !== null && <Problem inline error={redeliver.error} failed={t.failed} />}
        </div>
      </details>
    </li>
  )
}

const Attempt = (
  { attempt: { at, error, ms, response, status } }: { readonly attempt: WebhookDelivery["attempts"][number] }
) => (
  <div className={styles.attempt}>
    <div className="flex flex-wrap gap-4 gap-x-12 type-body tabular-nums">
      <span>{status === undefined ? t.noAnswer : t.status(status)}</span>
      <span className="text-2">{t.millis(ms)}</span>
      <RelativeTime at={at} now={hubClock.now} />
    </div>
    {error !== undefined && <p className="type-body text-stop wrap-anywhere">{error}</p>}
    {response !== undefined && (
      <pre className={styles.response} tabIndex={0} role="region" aria-label={t.response}>{response}</pre>
    )}
  </div>
)
