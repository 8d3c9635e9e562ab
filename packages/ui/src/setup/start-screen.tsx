/** The first steps in a workspace. Completion comes from the hub; only the chosen agent and service are kept here. */
import { useInfiniteQuery, useQuery } from "@tanstack/react-query"
import { useEffect, useState } from "react"
import { ButtonLink, Link } from "../app/link.tsx"
import { Page } from "../app/page.tsx"
import { ScreenState } from "../app/screen-state.tsx"
import { useCan, useWorkspace, useWorkspaces } from "../app/session.ts"
import { Button } from "../components/button.tsx"
import { formatMoney } from "../components/money-text.ts"
import { agentChoices, agentQuery, allServices, balanceQuery, requestPages } from "../hub/queries.ts"
import { rowsOf } from "../hub/query-options.ts"
import { useHub } from "../hub/use-hub.ts"
import { useArrivals } from "../live/arrivals.ts"
import { startText as t } from "../text/start.ts"
import { AgentKey, AgentStep } from "./agent-step.tsx"
import { ApproveStep } from "./approve-step.tsx"
import { curlLine } from "./curl-line.ts"
import { Finished } from "./finished.tsx"
import { FundsStep } from "./funds-step.tsx"
import { useHeldKey } from "./held-key.ts"
import { RequestStep } from "./request-step.tsx"
import { ServiceStep } from "./service-step.tsx"
import { useStartChoice } from "./start-kept.ts"
import { currentStep, doneSteps, isDecided, isLapsed, type StepName, stepNames } from "./start-progress.ts"
import styles from "./start-screen.module.css"
import { Step } from "./step.tsx"
import { ThresholdStep } from "./threshold-step.tsx"

/** The workspace that the hub creates for a trial. */
const demoName = "Demo"

export const StartScreen = () => {
  const hub = useHub()
  const workspace = useWorkspace()
  const can = useCan()
  const choice = useStartChoice(workspace.id)
  const [opened, setOpened] = useState<StepName>()

  const agents = useQuery(agentChoices(workspace.id))
  const rows = agents.data?.data ?? []
  const agentId = choice.agent ?? (rows.length === 1 ? rows[0]?.id : undefined)
  const known = rows.find(({ id }) => id === agentId)
  const read = useQuery({
    ...agentQuery(workspace.id, agentId ?? ""),
    enabled: agentId?.startsWith("agt_") === true
  })
  const agent = read.data ?? known
  const services = useQuery(allServices(workspace.id))
  const balance = useQuery({ ...balanceQuery(workspace.id), enabled: can("budgets:read") })
  const requests = useInfiniteQuery({
    ...requestPages(workspace.id, { agent_id: agent?.id ?? "", mode: "live" }),
    enabled: agent !== undefined
  })
  // This list has no other content, so new rows show at once.
  const arrived = useArrivals("service_requests.list", workspace.id)
  useEffect(() => {
    if (arrived.count > 0) void arrived.show()
  }, [arrived])

  const asked = agent === undefined ? [] : rowsOf(requests.data)
  const bindings = agent?.bindings.filter(({ enabled }) => enabled) ?? []
  const chosen = bindings.find(({ service }) => service === choice.service)
  const binding = choice.service === undefined ? bindings[0] : chosen
  const definition = services.data?.find(({ name }) => name === binding?.service)
  const isBound = (name: string) => binding?.operations[0] === "*" || binding?.operations.includes(name) === true
  const operation = definition?.operations.find(({ name }) => isBound(name))
  const done = doneSteps({
    hasAgent: agent !== undefined,
    availableCents: balance.data?.available_cents ?? 0,
    binding,
    requests: asked
  })
  const now = currentStep(done)
  const stateOf = (name: StepName) => done.has(name) ? "done" : name === now ? "now" : "later"
  const isOpen = (name: StepName) => name === now || name === opened
  const close = () => setOpened(undefined)
  const key = useHeldKey(agent?.id)
  const url = new URL(hub.downloadUrl("service_requests.list", {}), location.href).href
  const command = (key: string) =>
    curlLine({
      url,
      key,
      service: binding?.service ?? "",
      operation: operation?.name ?? "",
      payload: operation?.example ?? {}
    })
  const latest = asked[0]
  const waited = asked.find(({ status }) => status === "approval_required") ?? asked.find(isDecided)
  const wasRejected = waited?.reason_code === "approval_rejected"
  const isFixed = operation?.price.type === "fixed"
  const priceCents = isFixed && operation.price.type === "fixed" ? operation.price.cents : undefined
  const mayTake = can("agents:write") && can("billing:write")
  const toggle = (name: StepName) => {
    if (!mayTake || name === "approve") return undefined
    const isShown = opened === name
    const [text, label] = isShown
      ? [t.close, t.closeOf]
      : name === "request"
      ? [t.show, t.showOf]
      : [t.change, t.changeOf]
    return (
      <Button
        size="small"
        variant="bare"
        aria-expanded={isShown}
        aria-label={label(t[name].title)}
        onClick={() => setOpened(isShown ? undefined : name)}
      >
        {text}
      </Button>
    )
  }

  const summaries: Readonly<Record<StepName, string>> = {
    agent: agent === undefined ? "" : t.agent.done(agent.name),
    funds: t.funds.done(formatMoney(balance.data?.available_cents ?? 0)),
    service: binding === undefined ? "" : t.service.done(binding.service, operation?.name ?? "*"),
    request: latest === undefined ? "" : t.request.done(
      t.outcome[asked.at(-1)?.status ?? "executed"],
      formatMoney(asked.at(-1)?.cost_cents ?? 0)
    ),
    threshold: t.threshold.done(formatMoney(binding?.approval_threshold_cents ?? workspace.approval_threshold_cents)),
    approve: waited === undefined ? "" : t.approve.done(wasRejected ? t.outcome.rejected : t.outcome[waited.status])
  }
  const bodies: Readonly<Record<StepName, () => React.ReactNode>> = {
    agent: () => <AgentStep agents={rows} hasFunds={(balance.data?.available_cents ?? 0) > 0} onDone={close} />,
    funds: () => <FundsStep onDone={close} />,
    service: () => agent !== undefined && <ServiceStep agent={agent} services={services.data ?? []} onDone={close} />,
    request: () => agent !== undefined && <RequestStep agent={agent} command={command} latest={latest} />,
    threshold: () =>
      agent !== undefined && binding !== undefined &&
      <ThresholdStep agent={agent.id} binding={binding} priceCents={priceCents} onDone={close} />,
    approve: () =>
      agent !== undefined &&
      (
        <ApproveStep
          agent={agent}
          command={command}
          approval={waited?.approval_id}
          isDone={done.has("approve")}
          hasLapsed={asked.some(isLapsed)}
        />
      )
  }
  const bodyOf = (name: StepName) => {
    if (name === "approve" && done.has(name)) return bodies.approve()
    if (mayTake && isOpen(name)) return bodies[name]()
    // The key is shown once, so it stays visible until it was used.
    const isKeyShown = name === "agent" && key !== undefined && !done.has("request")
    return isKeyShown && agent !== undefined ? <AgentKey agent={agent.id} /> : undefined
  }
  const isReading = agents.isPending || services.isPending || (agent !== undefined && requests.isPending)
  return (
    <Page
      title={t.title}
      busy={agents.isFetching || requests.isFetching}
      action={
        <ButtonLink variant="bare" size="small" to="/w/$workspace/inbox" params={{ workspace: workspace.id }}>
          {t.skip}
        </ButtonLink>
      }
    >
      <div className={`grid gap-24 ${styles.start}`}>
        <ScreenState query={isReading ? { ...agents, isPending: true, data: undefined } : agents}>
          {now !== undefined && <p className="type-lead text-2">{t.lead}</p>}
          {now === "agent" && <DemoOffer />}
          {!mayTake && now !== undefined && <p className={styles.note} role="status">{t.readOnly}</p>}
          <ol className="grid" data-steps aria-label={t.steps}>
            {stepNames.map((name) => (
              <Step
                key={name}
                title={t[name].title}
                state={stateOf(name)}
                summary={summaries[name]}
                action={toggle(name)}
              >
                {bodyOf(name)}
              </Step>
            ))}
          </ol>
          {now === undefined && agent !== undefined && (
            <Finished agent={agent} binding={binding} wasRejected={wasRejected} />
          )}
        </ScreenState>
      </div>
    </Page>
  )
}

const DemoOffer = () => {
  const { id } = useWorkspace()
  const demo = useWorkspaces().find((workspace) => workspace.name === demoName && workspace.id !== id)
  if (demo === undefined) return null
  return (
    <p className={styles.note}>
      <b>{t.demoTitle}.</b> {t.demo(demo.name)}{" "}
      <Link to="/w/$workspace/inbox" params={{ workspace: demo.id }}>{t.demoAct(demo.name)}</Link>
    </p>
  )
}
