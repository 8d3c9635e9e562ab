/** The result, and the next places to go. */
import { useRouter } from "@tanstack/react-router"
import { useEffect, useRef, useState } from "react"
import { ButtonLink } from "../app/link.tsx"
import { useWorkspaceId } from "../app/session.ts"
import { Button, ButtonLink as DocumentLink } from "../components/button.tsx"
import { formatMoney } from "../components/money-text.ts"
import { Panel } from "../components/panel.tsx"
import { Phrase } from "../text/catalogue.ts"
import { startText } from "../text/start.ts"
import { chooseForStart } from "./start-kept.ts"

export interface FinishedProps {
  readonly agent: { readonly id: string; readonly name: string }
  readonly binding: { readonly service: string; readonly approval_threshold_cents?: number | undefined } | undefined
  readonly wasRejected: boolean
}

export const Finished = ({ agent, binding, wasRejected }: FinishedProps) => {
  const { finished: t } = startText
  const workspace = useWorkspaceId()
  const { routesByPath } = useRouter()
  const threshold = binding?.approval_threshold_cents
  // When the last step completes on screen, this panel appears below the pressed button and is scrolled into view. A
  // later visit does not scroll.
  const panel = useRef<HTMLDivElement>(null)
  const [wasThere] = useState(() => document.activeElement === document.body)
  useEffect(() => {
    if (!wasThere) panel.current?.scrollIntoView({ block: "nearest" })
  }, [wasThere])
  const name = <b>{agent.name}</b>
  return (
    <Panel title={wasRejected ? t.rejectedTitle : t.title}>
      <div className="grid justify-items-start gap-16 w-full type-body" ref={panel} role="status">
        <p>
          <Phrase text={t.what} agent={name} />
        </p>
        {binding !== undefined && threshold !== undefined && (
          <p>
            <Phrase
              text={t.standing}
              agent={name}
              threshold={formatMoney(threshold)}
              service={<code>{binding.service}</code>}
            />
          </p>
        )}
        <div className="flex flex-wrap gap-8">
          <ButtonLink variant="primary" to="/w/$workspace/inbox" params={{ workspace }}>{t.inbox}</ButtonLink>
          {"/w/$workspace/agents/$id" in routesByPath && (
            <ButtonLink to="/w/$workspace/agents/$id" params={{ workspace, id: agent.id }}>{t.agent}</ButtonLink>
          )}
          {"/w/$workspace/catalog" in routesByPath && (
            <ButtonLink to="/w/$workspace/catalog" params={{ workspace }}>{t.catalog}</ButtonLink>
          )}
          <DocumentLink href="/docs" target="_blank">{t.docs}</DocumentLink>
          <Button
            variant="bare"
            onClick={() => chooseForStart(workspace, { agent: "new", service: undefined })}
          >
            {t.again}
          </Button>
        </div>
      </div>
    </Panel>
  )
}
