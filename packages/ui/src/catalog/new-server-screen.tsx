/** Adds an MCP server: its tools become the operations of a service. */
import { useNavigate } from "@tanstack/react-router"
import { useState } from "react"
import { Form } from "../app/form.tsx"
import { markMade } from "../app/just-made.ts"
import { Link } from "../app/link.tsx"
import { Page } from "../app/page.tsx"
import { keepWarnings } from "../app/save-warnings.tsx"
import { useCan, useWorkspaceId } from "../app/session.ts"
import { MoneyField } from "../components/fields.tsx"
import { Panel } from "../components/panel.tsx"
import { TextField } from "../components/text-field.tsx"
import { showToast } from "../components/toast.tsx"
import { useAct } from "../hub/use-hub.ts"
import { EmptyState } from "../patterns/empty-state.tsx"
import { catalogText } from "../text/catalog.ts"
import { mcpText as t } from "../text/mcp.ts"
import { AuthField } from "./auth-field.tsx"
import styles from "./new-server-screen.module.css"
import type { Draft } from "./service-draft.ts"

export const NewServerScreen = () => {
  const workspace = useWorkspaceId()
  const navigate = useNavigate()
  const mayWrite = useCan()("catalog:write")
  const [name, setName] = useState("")
  const [url, setUrl] = useState("https://")
  const [auth, setAuth] = useState<Draft>()
  const [cents, setCents] = useState<number>()
  const create = useAct("services.create", {
    workspace,
    touches: ["services.list", "secrets"],
    onDone: ({ name, warnings }) => {
      keepWarnings(`${workspace}/services/${name}`, warnings)
      markMade("service", workspace, name)
      showToast({ text: t.created(name) })
      void navigate({ to: "/w/$workspace/catalog/$service", params: { workspace, service: name } })
    }
  })
  const save = () => {
    if (cents === undefined) return
    const payload = {
      name: name.trim(),
      kind: "mcp",
      url: url.trim(),
      default_price: { type: "fixed", cents },
      ...auth === undefined ? {} : { auth }
    }
    create.mutate({ payload: payload as Parameters<typeof create.mutate>[0]["payload"] })
  }
  return (
    <Page
      title={t.newTitle}
      path={<Link quiet to="/w/$workspace/catalog" params={{ workspace }}>{catalogText.title}</Link>}
    >
      {mayWrite
        ? (
          <Panel>
            <p className="mb-16 type-body text-2">{t.about}</p>
            <Form
              className={styles.form}
              call={create}
              act={t.act}
              variant="primary"
              failed={t.failed}
              unchanged={t.unchanged}
              places={["auth"]}
              disabled={name.trim() === "" || cents === undefined}
              onSubmit={save}
            >
              <TextField
                label={t.name}
                description={t.nameAbout}
                name="name"
                mono
                required
                value={name}
                onChange={setName}
              />
              <TextField
                label={t.url}
                description={t.urlAbout}
                name="url"
                mono
                required
                value={url}
                onChange={setUrl}
              />
              <AuthField
                value={auth ?? {}}
                onChange={setAuth}
                problem={(field) =>
                  create.error?.details.find(({ path }) =>
                    path === `auth.${field}` || field === "type" && path === "auth"
                  )?.message}
              />
              <MoneyField label={t.price} required value={cents} onChange={setCents} invalidText={t.priceWrong} />
            </Form>
          </Panel>
        )
        : <EmptyState>{catalogText.noWrite}</EmptyState>}
    </Page>
  )
}
