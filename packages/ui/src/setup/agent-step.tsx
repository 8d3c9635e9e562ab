/** The first agent: a new or an existing one. Its key is shown once, on creation. */
import { newIdempotencyKey } from "@countersign/domain/idempotency-key"
import type { Row } from "@countersign/hub-client/contract"
import { useQueryClient } from "@tanstack/react-query"
import { useState } from "react"
import { FormFrame, FormProblem, FormSubmit } from "../app/form.tsx"
import { Problem } from "../app/problem.tsx"
import { useWorkspaceId } from "../app/session.ts"
import { Button } from "../components/button.tsx"
import { formatMoney } from "../components/money-text.ts"
import { Select } from "../components/select.tsx"
import { TextField } from "../components/text-field.tsx"
import { touch } from "../hub/touch.ts"
import { useAct, useHub } from "../hub/use-hub.ts"
import { useMayAct } from "../live/connection.ts"
import { startText } from "../text/start.ts"
import { CommandBlock } from "./command-block.tsx"
import { holdKey, useHeldKey } from "./held-key.ts"
import { chooseForStart } from "./start-kept.ts"
import styles from "./start-screen.module.css"

const nameMax = 100

export interface AgentStepProps {
  /** Existing agents. */
  readonly agents: ReadonlyArray<Row<"agents.list">>
  /** Whether the wallet has money. */
  readonly hasFunds: boolean
  readonly onDone: () => void
}

export const AgentStep = ({ agents, hasFunds, onDone }: AgentStepProps) => {
  const { agent: t, saving } = startText
  const workspace = useWorkspaceId()
  const [name, setName] = useState(agents.length === 0 ? t.usual : "")
  const [isBlank, setBlank] = useState(false)
  const [picked, setPicked] = useState<string>()
  const make = useAct("agents.create", {
    workspace,
    touches: ["agents"],
    onDone: ({ api_key, id }) => {
      holdKey(id, api_key)
      chooseForStart(workspace, { agent: id, service: undefined })
      onDone()
    }
  })
  const submit = () => {
    const trimmed = name.trim()
    setBlank(trimmed === "")
    if (trimmed !== "") make.mutate({ payload: { name: trimmed } })
  }
  return (
    <>
      <p>{t.what}</p>
      <QuickStart hasFunds={hasFunds} onDone={onDone} />
      <p className="text-2">{t.byHand}</p>
      <FormFrame
        className="grid gap-16 w-full"
        call={make}
        failed={t.failed}
        unchanged={t.failed}
        onSubmit={submit}
      >
        <div className={styles.line}>
          <TextField
            label={t.name}
            className={styles.field}
            required
            maxLength={nameMax}
            value={name}
            onChange={setName}
            error={isBlank ? t.nameNeeded : undefined}
            path="name"
          />
          <FormSubmit act={t.act} pendingText={saving} />
        </div>
        <FormProblem />
      </FormFrame>
      {agents.length > 0 && (
        <FormFrame
          className={styles.line}
          disabled={picked === undefined}
          onSubmit={() => {
            if (picked === undefined) return
            chooseForStart(workspace, { agent: picked, service: undefined })
            onDone()
          }}
        >
          <Select
            label={t.existing}
            className={styles.field}
            value={picked}
            onChange={setPicked}
            placeholder={t.pick}
            options={agents.map(({ id, name }) => ({ value: id, text: name }))}
          />
          <FormSubmit act={t.use} />
        </FormFrame>
      )}
    </>
  )
}

/** The key right after its creation. A later visit does not show it; a new key revokes the old one. */
export const AgentKey = ({ agent }: { readonly agent: string }) => {
  const { key: t, saving } = startText
  const workspace = useWorkspaceId()
  const mayAct = useMayAct()
  const held = useHeldKey(agent)
  const renew = useAct("agents.rotateKey", {
    workspace,
    touches: ["agents"],
    onDone: ({ api_key }) => holdKey(agent, api_key)
  })
  if (held !== undefined) {
    return (
      <section className="grid justify-items-start gap-8 w-full" aria-label={t.title}>
        <h3 className="type-control weight-strong">{t.title}</h3>
        <p>{t.what}</p>
        <CommandBlock label={t.label} command={held} copyText={t.copy} />
      </section>
    )
  }
  return (
    <div className="grid justify-items-start gap-8 w-full">
      <p>{t.gone}</p>
      <Button
        disabled={!mayAct}
        pending={renew.isPending}
        pendingText={saving}
        onClick={() => renew.mutate({ params: { id: agent }, payload: { mode: "live" } })}
      >
        {t.renew}
      </Button>
      {renew.error !== null && <Problem inline error={renew.error} failed={t.renewFailed} unchanged={t.unchanged} />}
    </div>
  )
}

const fundsCents = 1_000

/**
 * The first three steps at once: an agent with its key, funds, and access to the built-in service Echo with approval
 * required.
 */
const QuickStart = ({ hasFunds, onDone }: { readonly hasFunds: boolean; readonly onDone: () => void }) => {
  const { agent: agentText, quick: t, saving } = startText
  const hub = useHub()
  const queries = useQueryClient()
  const workspace = useWorkspaceId()
  const mayAct = useMayAct()
  const [isPending, setPending] = useState(false)
  const [error, setError] = useState<unknown>()
  // One key for the life of the button: pressing it again after a lost answer adds the funds once.
  const [key] = useState(newIdempotencyKey)
  const run = async () => {
    setPending(true)
    setError(undefined)
    try {
      if (!hasFunds) {
        await hub.call("ledger.topUp", { payload: { amount_cents: fundsCents } }, { workspace, idempotencyKey: key })
      }
      const { api_key, id } = await hub.call("agents.create", { payload: { name: agentText.usual } }, { workspace })
      holdKey(id, api_key)
      chooseForStart(workspace, { agent: id, service: "echo" })
      await hub.call("bindings.put", {
        params: { id },
        payload: { service: "echo", operations: ["*"], approval_threshold_cents: 0 }
      }, { workspace })
      onDone()
    } catch (failure) {
      setError(failure)
    } finally {
      await touch(queries, workspace, ["ledger", "agents"])
      setPending(false)
    }
  }
  return (
    <div className="grid justify-items-start gap-16 w-full type-body">
      <p>{hasFunds ? t.whatFunded : t.what(formatMoney(fundsCents))}</p>
      <Button variant="primary" disabled={!mayAct} pending={isPending} pendingText={saving} onClick={() => void run()}>
        {t.act}
      </Button>
      {error !== undefined && <Problem inline error={error} failed={t.failed} unchanged={t.unchanged} />}
    </div>
  )
}
