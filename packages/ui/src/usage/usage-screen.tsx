/** The spending and requests of a period: one total, bars per day, a breakdown, and every record. */
import { keepPreviousData, useQuery } from "@tanstack/react-query"
import { useNavigate, useSearch } from "@tanstack/react-router"
import { Page } from "../app/page.tsx"
import { ScreenState } from "../app/screen-state.tsx"
import { useCan, useWorkspaceId } from "../app/session.ts"
import { ButtonLink } from "../components/button.tsx"
import { Tabs } from "../components/tabs.tsx"
import { hubClock } from "../hub/hub-time.ts"
import { agentChoices, allServices, chartQuery, totalsQuery, usageInput } from "../hub/queries.ts"
import { downloadHref } from "../listing/download.ts"
import { type Changes, FilterLine, oneFilter, periodFilter, periodMembers } from "../listing/filters.tsx"
import { ListFrame } from "../listing/list-frame.tsx"
import { dayOf } from "../listing/period.ts"
import { listingText as list } from "../text/listing.ts"
import { usageText as t } from "../text/usage.ts"
import { markedSpan, spanBefore, windowOf } from "./spans.ts"
import { UsageDays } from "./usage-days.tsx"
import { UsageParts } from "./usage-parts.tsx"
import { UsageRecords } from "./usage-records.tsx"
import styles from "./usage-screen.module.css"
import { UsageTotal } from "./usage-total.tsx"

const from = "/w/$workspace/usage"
const isName = (text: string) => /^[a-z][a-z0-9_.-]{0,63}$/u.test(text)

export const UsageScreen = () => {
  const workspace = useWorkspaceId()
  const can = useCan()
  const search = useSearch({ from })
  const navigate = useNavigate({ from })
  const agents = useQuery({ ...agentChoices(workspace), enabled: can("agents:read") }).data?.data ?? []
  const services = useQuery({ ...allServices(workspace), enabled: can("catalog:read") }).data ?? []

  const { by = "service", measure = "cost", from: first, to: last, ...who } = search
  const today = dayOf(hubClock.now())
  const marked = markedSpan(first, last, today)
  const shown = windowOf(marked, today)
  const span = marked ?? shown
  const chart = useQuery({ ...chartQuery(workspace, { ...who, ...shown }), placeholderData: keepPreviousData })
  const totals = useQuery({ ...totalsQuery(workspace, { ...who, ...span }), placeholderData: keepPreviousData })
  const before = useQuery({
    ...totalsQuery(workspace, { ...who, ...spanBefore(span) }),
    placeholderData: keepPreviousData
  })

  const change = (changes: Changes, replace = false) =>
    void navigate({ search: (kept) => ({ ...kept, ...changes } as typeof search), replace })
  const clear = () =>
    change({
      from: undefined,
      to: undefined,
      agent_id: undefined,
      service: undefined,
      operation: undefined,
      mode: undefined
    })
  const chosen = services.find(({ name }) => name === who.service)
  const operations = [
    ...new Set(
      (chosen === undefined ? services : [chosen]).flatMap((service) => service.operations.map(({ name }) => name))
    )
  ].sort()
  const filters = [
    periodFilter(list, { from: first, to: last }, change, ["week", "month", "thirty", "ninety"]),
    oneFilter(
      "agent_id",
      t.filters.agent_id,
      who.agent_id,
      change,
      agents.map(({ id, name }) => ({ value: id, text: name })),
      { is: (text) => text.startsWith("agt_"), label: t.agentTyped }
    ),
    oneFilter(
      "service",
      t.filters.service,
      who.service,
      change,
      services.map(({ name }) => ({ value: name, text: name })),
      { is: isName, label: t.serviceTyped }
    ),
    oneFilter(
      "operation",
      t.filters.operation,
      who.operation,
      change,
      operations.map((value) => ({ value, text: value })),
      { is: isName, label: t.operationTyped }
    ),
    oneFilter(
      "mode",
      t.filters.mode,
      who.mode,
      change,
      (["live", "test"] as const).map((value) => ({ value, text: t.modes[value] }))
    )
  ]
  const days = chart.data?.chart ?? []
  const isBare = marked === undefined && Object.keys(who).length === 0 &&
    days.every(({ blocked, requests }) => requests === 0 && blocked === 0)
  return (
    <Page
      title={t.title}
      layout="flush"
      busy={chart.isFetching || totals.isFetching}
      action={
        <ButtonLink
          size="small"
          href={downloadHref("usage.report", workspace, {
            query: { ...usageInput({ ...who, ...span }), format: "csv" } as never
          })}
          download
        >
          {t.csv}
        </ButtonLink>
      }
    >
      <ListFrame filters={<FilterLine filters={filters} members={periodMembers} change={change} clear={clear} />}>
        <div className={styles.scroll}>
          <ScreenState query={chart} isEmpty={isBare} empty={{ text: t.empty }}>
            <div className={`grid grid-cols-1 gap-24 ${styles.screen}`}>
              <UsageTotal
                totals={totals.data?.totals}
                before={before.data?.totals}
                days={days}
                span={span}
                measure={measure}
              />
              <Tabs
                label={t.measure.label}
                value={measure}
                onChange={(next) => change({ measure: next === "cost" ? undefined : next }, true)}
                tabs={[{ value: "cost", text: t.measure.cost }, { value: "requests", text: t.measure.requests }]}
              >
                <UsageDays
                  days={days}
                  measure={measure}
                  marked={marked}
                  onMark={(next, replace) => change({ from: next?.from, to: next?.to }, replace)}
                />
              </Tabs>
              <Tabs
                label={t.by.label}
                value={by}
                onChange={(next) => change({ by: next === "service" ? undefined : next }, true)}
                tabs={(["service", "operation", "agent"] as const).map((value) => ({ value, text: t.by[value] }))}
              >
                <UsageParts workspace={workspace} scope={{ ...who, ...span }} by={by} measure={measure} />
              </Tabs>
              <UsageRecords
                workspace={workspace}
                scope={{ ...who, ...span }}
                agents={new Map(agents.map(({ id, name }) => [id as string, name]))}
                onClear={Object.keys(who).length > 0 || marked !== undefined ? clear : undefined}
              />
            </div>
          </ScreenState>
        </div>
      </ListFrame>
    </Page>
  )
}
