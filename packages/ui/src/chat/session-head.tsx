/** Whose chat it is, what it has spent, and the tightest limit left. */
import { useQuery } from "@tanstack/react-query"
import { useNavigate } from "@tanstack/react-router"
import { Ellipsis } from "lucide-react"
import { useState } from "react"
import { ConfirmAct } from "../app/confirm-act.tsx"
import { FormDialog } from "../app/form.tsx"
import { Link } from "../app/link.tsx"
import { useCan, useWorkspaceId } from "../app/session.ts"
import { Badge } from "../components/badge.tsx"
import { IconButton } from "../components/icon-button.tsx"
import { Menu, MenuItem } from "../components/menu.tsx"
import { formatMoney } from "../components/money-text.ts"
import { TextField } from "../components/text-field.tsx"
import { balanceQuery, budgetQuery, type ChatSession } from "../hub/queries.ts"
import { useAct } from "../hub/use-hub.ts"
import { ChangedValue } from "../patterns/changed-value.tsx"
import { chatText } from "../text/chat.ts"
import styles from "./chat.module.css"
import { tightestLimit } from "./tightest-limit.ts"

/** `sessionTitleMax` of the contract, whose module would load its schemas. */
const titleMax = 200

interface HeadProps {
  readonly session: ChatSession
  readonly agentName: string
  readonly mayWrite: boolean
}

export const SessionHead = ({ agentName, mayWrite, session }: HeadProps) => {
  const t = chatText.head
  const workspace = useWorkspaceId()
  const [dialog, setDialog] = useState<"rename" | "close">()
  return (
    <header className={styles.head}>
      <div className="flex items-center gap-8 min-w-0">
        <dl className={styles.facts} aria-label={t.about}>
          <div>
            <dt>{t.agent}</dt>
            <dd>
              <Link to="/w/$workspace/agents/$id" params={{ workspace, id: session.agent_id }}>{agentName}</Link>
            </dd>
          </div>
          <div>
            <dt>{t.spent}</dt>
            <dd className="tabular-nums">
              <ChangedValue value={session.cost_cents}>{formatMoney(session.cost_cents)}</ChangedValue>
            </dd>
          </div>
          {session.mode === "live" && <Left agent={session.agent_id} />}
        </dl>
        {session.mode === "test" && <Badge>{chatText.test}</Badge>}
        {session.status === "closed" && <Badge>{chatText.closed}</Badge>}
        {mayWrite && session.status === "active" && (
          <Menu align="end" trigger={<IconButton label={t.more} icon={<Ellipsis />} />}>
            <MenuItem
              onSelect={() =>
                setDialog("rename")}
            >
              {t.rename}
            </MenuItem>
            <MenuItem
              danger
              onSelect={() =>
                setDialog("close")}
            >
              {t.close}
            </MenuItem>
          </Menu>
        )}
      </div>
      {session.mode === "test" && <p className="type-note text-2">{t.testMode}</p>}
      {dialog === "rename" && <RenameDialog session={session} onClose={() => setDialog(undefined)} />}
      {dialog === "close" && <CloseDialog session={session} onClose={() => setDialog(undefined)} />}
    </header>
  )
}

const Left = ({ agent }: { readonly agent: string }) => {
  const t = chatText.head
  const workspace = useWorkspaceId()
  const mayRead = useCan()("budgets:read")
  const budget = useQuery({ ...budgetQuery(workspace, agent), enabled: mayRead })
  const wallet = useQuery({ ...balanceQuery(workspace), enabled: mayRead })
  if (budget.data === undefined || wallet.data === undefined) return null
  const tightest = tightestLimit(budget.data, wallet.data.available_cents)
  const name = tightest.limit === "operation" ? t.limits.operation(tightest.operation) : t.limits[tightest.limit]
  return (
    <div>
      <dt>{t.left}</dt>
      <dd className="tabular-nums">
        <ChangedValue value={tightest.left_cents}>{formatMoney(tightest.left_cents)}</ChangedValue>{" "}
        <span className="type-note text-3">{name}</span>
      </dd>
    </div>
  )
}

interface DialogProps {
  readonly session: ChatSession
  readonly onClose: () => void
}

const RenameDialog = ({ onClose, session }: DialogProps) => {
  const t = chatText.rename
  const [title, setTitle] = useState(session.title)
  const rename = useAct("chat.update", {
    workspace: useWorkspaceId(),
    touches: ["chat.get", "chat.list"],
    onDone: onClose
  })
  return (
    <FormDialog
      title={t.title}
      call={rename}
      failed={t.failed}
      unchanged={t.unchanged}
      disabled={title.trim() === ""}
      onClose={onClose}
      onSubmit={() => rename.mutate({ params: { id: session.id }, payload: { title: title.trim() } })}
    >
      <TextField label={t.name} value={title} onChange={setTitle} maxLength={titleMax} required path="title" />
    </FormDialog>
  )
}

const CloseDialog = ({ onClose, session }: DialogProps) => {
  const t = chatText.closing
  const workspace = useWorkspaceId()
  const navigate = useNavigate()
  const close = useAct("chat.close", {
    workspace,
    touches: ["chat.get", "chat.list"],
    done: t.done,
    onDone: () => void navigate({ to: "/w/$workspace/chat", params: { workspace } })
  })
  return (
    <ConfirmAct
      title={t.title}
      description={t.about}
      confirmText={t.act}
      call={close}
      failed={t.failed}
      unchanged={t.unchanged}
      onClose={onClose}
      onConfirm={() => close.mutate({ query: { session_id: session.id } })}
    />
  )
}
