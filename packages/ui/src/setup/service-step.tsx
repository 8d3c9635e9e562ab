/**
 * The agent's first service: Echo without setup, web search with a provider's key, or a service that the workspace
 * declared.
 */
import type { Row } from "@countersign/hub-client/contract"
import { useQuery } from "@tanstack/react-query"
import { useRouter } from "@tanstack/react-router"
import { useState } from "react"
import { Form } from "../app/form.tsx"
import { ButtonLink } from "../app/link.tsx"
import { useCan, useWorkspaceId } from "../app/session.ts"
import { RadioGroup } from "../components/radio-group.tsx"
import { Select } from "../components/select.tsx"
import { TextField } from "../components/text-field.tsx"
import { secretChoices } from "../hub/queries.ts"
import { useAct } from "../hub/use-hub.ts"
import { startText } from "../text/start.ts"
import { chooseForStart } from "./start-kept.ts"
import styles from "./start-screen.module.css"

export const searchSecret = "brave_search"

export interface ServiceStepProps {
  readonly agent: { readonly id: string; readonly name: string }
  readonly services: ReadonlyArray<Row<"services.list">>
  readonly onDone: () => void
}

type Choice = "echo" | "search" | "other"

export const ServiceStep = ({ agent, onDone, services }: ServiceStepProps) => {
  const { saving, service: t } = startText
  const workspace = useWorkspaceId()
  const can = useCan()
  const { routesByPath } = useRouter()
  const [choice, setChoice] = useState<Choice>("echo")
  const [other, setOther] = useState<string>()
  const [secret, setSecret] = useState("")
  const [isMissing, setMissing] = useState(false)
  const secrets = useQuery({ ...secretChoices(workspace), enabled: can("catalog:write") })
  const isThere = secrets.data?.data.some(({ name }) => name === searchSecret) === true
  const mine = services.filter(({ enabled, name }) => enabled && name !== "echo" && name !== "search")
  const service = choice === "other" ? other : choice
  const bind = useAct("bindings.put", {
    workspace,
    touches: ["agents", "services"],
    onDone: (_, { payload }) => {
      chooseForStart(workspace, { agent: agent.id, service: payload.service })
      onDone()
    }
  })
  const putBinding = (name: string) =>
    bind.mutate({ params: { id: agent.id }, payload: { service: name, operations: ["*"] } })
  const store = useAct("secrets.put", {
    workspace,
    touches: ["secrets", "services"],
    onDone: () => {
      setSecret("")
      putBinding("search")
    }
  })
  const submit = () => {
    if (service === undefined) return
    if (choice !== "search" || isThere) return putBinding(service)
    setMissing(secret.trim() === "")
    if (secret.trim() !== "") store.mutate({ params: { name: searchSecret }, payload: { value: secret.trim() } })
  }
  return (
    <>
      <p>{t.what(agent.name)}</p>
      <Form
        className="grid justify-items-start gap-16 w-full type-body"
        act={t.act}
        variant="primary"
        pendingText={saving}
        call={{ isPending: bind.isPending || store.isPending, error: store.error ?? bind.error }}
        failed={store.error === null ? t.failed : t.secretFailed}
        unchanged={t.unchanged}
        disabled={service === undefined}
        onSubmit={submit}
      >
        <RadioGroup<Choice>
          label={t.choice}
          value={choice}
          onChange={setChoice}
          options={[
            { value: "echo", text: t.echo, description: t.echoAbout },
            { value: "search", text: t.search, description: t.searchAbout },
            ...mine.length === 0 ? [] : [{ value: "other" as const, text: t.other }]
          ]}
        />
        {choice === "search" && (isThere
          ? <p>{t.searchKeyThere}</p>
          : (
            <TextField
              label={t.searchKey}
              className={styles.field}
              type="password"
              autoComplete="off"
              mono
              required
              value={secret}
              onChange={setSecret}
              description={t.searchKeyAbout}
              error={isMissing ? t.keyNeeded : undefined}
            />
          ))}
        {choice === "other" && (
          <Select
            label={t.otherPick}
            className={styles.field}
            value={other}
            onChange={setOther}
            placeholder={t.choice}
            options={mine.map(({ name, title }) => ({ value: name, text: title ?? name }))}
          />
        )}
      </Form>
      {"/w/$workspace/catalog" in routesByPath && (
        <p className="type-note text-2">
          {t.own}{" "}
          <ButtonLink size="small" variant="bare" to="/w/$workspace/catalog" params={{ workspace }}>
            {t.ownAct}
          </ButtonLink>
        </p>
      )}
    </>
  )
}
