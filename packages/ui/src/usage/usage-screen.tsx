/** The spending and requests of a period: one total, bars per day, a breakdown, and every record. */
import { keepPreviousData, useQuery } from "@tanstack/react-query"
import { useNavigate, useSearch } from "@tanstack/react-router"
import { useRef, useState } from "react"
import { Page } from "../app/page.tsx"
import { ScreenState } from "../app/screen-state.tsx"
import { useCan, useWorkspaceId } from "../app/session.ts"
import { ButtonLink } from "../components/button.tsx"
import { formatMoney } from "../components/money-text.ts"
import { Tabs } from "../components/tabs.tsx"
import { hubClock } from "../hub/hub-time.ts"
import {
  agentChoices,
  allServices,
  type ChartBy,
  chartQuery,
  partsQuery,
  totalsQuery,
  usageInput,
  type UsageScope
} from "../hub/queries.ts"
import { downloadHref } from "../listing/download.ts"
import { type Changes, FilterLine, oneFilter, periodFilter, periodMembers } from "../listing/filters.tsx"
import { ListFrame } from "../listing/list-frame.tsx"
import { dayOf, dayText } from "../listing/period.ts"
import { ChangedValue } from "../patterns/changed-value.tsx"
import { DayBars } from "../patterns/day-bars.tsx"
import { Money } from "../patterns/money.tsx"
import { niceMoneyScale, niceScale } from "../patterns/nice-scale.ts"
import { SmallMultiples } from "../patterns/small-multiples.tsx"
import { figure } from "../text/catalogue.ts"
import { listingText as list } from "../text/listing.ts"
import { usageText as t } from "../text/usage.ts"
import { changeFrom, daysIn, markedSpan, type Span, spanBefore, windowOf } from "./spans.ts"
import { UsageRecords } from "./usage-records.tsx"
import styles from "./usage-screen.module.css"

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
            query: { ...usageInput({ ...who, ...span }), format: "csv" }
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

const colors = [1, 2, 3, 4, 5, 6] as const

/** The period split by service, operation, or agent: the six most expensive and the rest, all on one scale. */
const UsageParts = (
  { by, measure, scope, workspace }: {
    readonly workspace: string
    readonly scope: UsageScope
    readonly by: ChartBy
    readonly measure: Measure
  }
) => {
  const parts = useQuery({ ...partsQuery(workspace, scope, by), placeholderData: keepPreviousData })
  const isCost = measure === "cost"
  const groups = (parts.data?.chart_groups ?? []).map((group, at) => ({
    id: group.key ?? "",
    name: group.key === null ? t.by.rest : group.name === "" ? t.by.gone : group.name,
    figure: isCost ? <Money cents={group.cost_cents} /> : t.requestsFigure(group.requests),
    color: group.key === null ? "other" as const : colors[at] ?? "other" as const,
    days: group.chart.map(({ cost_cents, date, requests }) => ({ date, values: [isCost ? cost_cents : requests] }))
  }))
  const highest = Math.max(0, ...groups.flatMap(({ days }) => days.map(({ values }) => values[0] ?? 0)))
  return (
    <ScreenState query={parts}>
      {groups.length === 0 ? <p className="type-body text-2">{t.records.empty}</p> : (
        <SmallMultiples
          multiples={groups}
          scale={isCost ? niceMoneyScale(highest) : niceScale(highest)}
          valueText={isCost ? formatMoney : figure}
          dateText={(date) => dayText(date, hubClock.now())}
          texts={t.chart}
        />
      )}
    </ScreenState>
  )
}

interface UsageDaysProps {
  readonly days: ReadonlyArray<
    { readonly date: string; readonly cost_cents: number; readonly requests: number; readonly blocked: number }
  >
  readonly measure: Measure
  readonly marked: Span | undefined
  /** `replace`: a step of an ongoing selection. */
  readonly onMark: (marked: Span | undefined, replace: boolean) => void
}

/** Bars per day. A selection by dragging or with Shift and arrow keys becomes the address's period on release. */
const UsageDays = ({ days, marked, measure, onMark }: UsageDaysProps) => {
  const [drawn, setDrawn] = useState<Span>()
  const isHeld = useRef(false)
  const isCost = measure === "cost"
  const bars = days.map(({ blocked, cost_cents, date, requests }) => ({
    date,
    values: isCost ? [cost_cents] : [requests, blocked]
  }))
  const highest = Math.max(0, ...bars.map(({ values }) => values.reduce((sum, value) => sum + value, 0)))
  const letGo = () => {
    if (!isHeld.current) return
    isHeld.current = false
    if (drawn !== undefined) onMark(drawn, false)
    setDrawn(undefined)
  }
  const range = drawn ?? marked
  return (
    <div
      onPointerDownCapture={() => {
        isHeld.current = true
      }}
      onPointerUp={letGo}
      onPointerCancel={() => {
        isHeld.current = false
        setDrawn(undefined)
      }}
    >
      <DayBars
        label={isCost ? t.chart.cost : t.chart.requests}
        series={isCost
          ? [{ id: "cost", name: t.measure.cost, color: 1 }]
          : [{ id: "executed", name: t.chart.executed, color: 1 }, {
            id: "blocked",
            name: t.chart.blocked,
            color: 4,
            hatched: true
          }]}
        days={bars}
        scale={isCost ? niceMoneyScale(highest) : niceScale(highest)}
        valueText={isCost ? formatMoney : figure}
        dateText={(date) => dayText(date, hubClock.now())}
        range={range === undefined ? undefined : [range.from, range.to]}
        onRange={(next) => {
          const span = next === undefined ? undefined : { from: next[0], to: next[1] }
          if (isHeld.current && span !== undefined) setDrawn(span)
          else onMark(span, marked !== undefined && span !== undefined)
        }}
        texts={t.chart}
      />
    </div>
  )
}

type Measure = "cost" | "requests"

interface Sums {
  readonly cost_cents: number
  readonly requests: number
}

interface UsageTotalProps {
  readonly totals: Sums | undefined
  /** The same number of days before. */
  readonly before: Sums | undefined
  readonly days: ReadonlyArray<{ readonly date: string; readonly blocked: number }>
  readonly span: Span
  readonly measure: Measure
}

/** The total, its change in words, and its breakdown. */
const UsageTotal = ({ before, days, measure, span, totals }: UsageTotalProps) => {
  const now = hubClock.now()
  const member = measure === "cost" ? "cost_cents" : "requests"
  const format = measure === "cost" ? formatMoney : figure
  const count = daysIn(span)
  const change = totals === undefined || before === undefined ? undefined : changeFrom(before[member], totals[member])
  const words = change === undefined
    ? ""
    : change.kind === "more" || change.kind === "less"
    ? t.change[change.kind](format(change.by), change.percent, count)
    : t.change[change.kind](count)
  const blocked = days.filter(({ date }) => date >= span.from && date <= span.to).reduce(
    (sum, day) => sum + day.blocked,
    0
  )
  return (
    <header className="grid gap-2" aria-label={measure === "cost" ? t.total : t.totalRequests} role="group">
      <p className="type-body text-2">
        {span.from === span.to ? dayText(span.from, now) : t.span(dayText(span.from, now), dayText(span.to, now))}
      </p>
      <p className={`flex flex-wrap items-baseline ${styles.figure}`}>
        {totals === undefined
          ? " "
          : (
            <ChangedValue value={totals[member]}>
              {measure === "cost"
                ? <Money cents={totals.cost_cents} size="amount" />
                : <span className={styles.count}>{figure(totals.requests)}</span>}
            </ChangedValue>
          )}
        <span className="type-lead text-2">{words}</span>
      </p>
      <p className="type-body text-2">
        {totals !== undefined && t.requests(totals.requests)}
        {blocked > 0 && ` · ${t.blocked(blocked)}`}
      </p>
    </header>
  )
}
