/** The person's sessions: the current one is marked; each other one can be ended, or all others at once. */
import type { Row } from "@countersign/hub-client/contract"
import { useInfiniteQuery, useMutation, useQueryClient } from "@tanstack/react-query"
import { useState } from "react"
import { ConfirmAct } from "../app/confirm-act.tsx"
import { MoreButton } from "../app/more-button.tsx"
import { Problem } from "../app/problem.tsx"
import { ScreenState } from "../app/screen-state.tsx"
import { Badge } from "../components/badge.tsx"
import { Button } from "../components/button.tsx"
import { classNames } from "../components/class-names.ts"
import { Panel } from "../components/panel.tsx"
import { showToast } from "../components/toast.tsx"
import { sessionPages } from "../hub/queries.ts"
import { rowsOf } from "../hub/query-options.ts"
import { touch } from "../hub/touch.ts"
import { useAct, useHub } from "../hub/use-hub.ts"
import { useMayAct } from "../live/connection.ts"
import { RowList } from "../patterns/row-list.tsx"
import { Phrase } from "../text/catalogue.ts"
import { settingsText } from "../text/settings.ts"
import styles from "./form.module.css"
import { Moment } from "./moment.tsx"
import { readUserAgent } from "./user-agent.ts"

type Session = Row<"auth.sessions">

const useWhere = () => {
  const { account: t } = settingsText
  return ({ user_agent = "" }: Session): string => {
    const { browser, system } = readUserAgent(user_agent)
    return browser !== undefined && system !== undefined ? t.on(browser, system) : browser ?? system ?? t.unknownAgent
  }
}

export const Sessions = () => {
  const { account: t, more } = settingsText
  const where = useWhere()
  const pages = useInfiniteQuery(sessionPages)
  const rows = rowsOf(pages.data)
  const others = rows.filter(({ current }) => !current)
  const end = useAct("auth.endSession", { workspace: null, touches: ["auth.sessions"] })
  const mayAct = useMayAct()
  return (
    <Panel title={t.sessions} flush actions={others.length > 0 && <EndOthers />}>
      <p className="px-16 pt-12 type-body text-2">{t.sessionsWhat}</p>
      <ScreenState query={pages}>
        <RowList
          label={t.sessions}
          rows={rows.map((session) => ({
            key: session.id,
            title: <>{where(session)} {session.current && <Badge>{t.thisOne}</Badge>}</>,
            detail: (
              <>
                {session.ip !== undefined && <span>{session.ip}</span>}
                <span>
                  {session.factor === undefined
                    ? t.methods[session.method]
                    : `${t.methods[session.method]}, ${t.factors[session.factor]}`}
                </span>
                <span>
                  <Phrase text={t.lastSeen} time={<Moment at={session.last_seen_at} />} />
                </span>
                <span>
                  <Phrase text={t.since} time={<Moment at={session.created_at} />} />
                </span>
              </>
            ),
            acts: !session.current && (
              <Button
                size="small"
                disabled={!mayAct}
                aria-label={t.endOf(where(session))}
                pending={end.isPending && end.variables.params.id === session.id}
                onClick={() => end.mutate({ params: { id: session.id } })}
              >
                {t.end}
              </Button>
            )
          }))}
        />
        {end.error !== null && <Problem inline error={end.error} failed={t.endFailed} />}
        {others.length === 0 && <p className={classNames("type-body text-2", styles.foot)}>{t.alone}</p>}
        {pages.hasNextPage && (
          <div className={styles.foot}>
            <MoreButton pages={pages}>{more}</MoreButton>
          </div>
        )}
      </ScreenState>
    </Panel>
  )
}

/** The hub ends sessions one by one, including those that are not listed yet. */
const useEndOthers = () => {
  const hub = useHub()
  const queries = useQueryClient()
  return async (): Promise<number> => {
    const ids: Array<string> = []
    let cursor: string | null = null
    do {
      const page: Awaited<ReturnType<typeof readPage>> = await readPage(hub, cursor)
      ids.push(...page.data.filter(({ current }) => !current).map(({ id }) => id))
      cursor = page.next_cursor
    } while (cursor !== null)
    try {
      for (const id of ids) {
        // Another request may have ended the session meanwhile.
        await hub.call("auth.endSession", { params: { id } }).catch((error: { readonly status?: number }) => {
          if (error.status !== 404) throw error
        })
      }
    } finally {
      await touch(queries, null, ["auth.sessions"])
    }
    return ids.length
  }
}

const readPage = (hub: ReturnType<typeof useHub>, cursor: string | null) =>
  hub.call("auth.sessions", { query: { limit: 200, ...cursor === null ? {} : { cursor } } })

const EndOthers = () => {
  const { account: t } = settingsText
  const [isOpen, setOpen] = useState(false)
  const mayAct = useMayAct()
  const end = useMutation({
    mutationFn: useEndOthers(),
    onSuccess: (count) => {
      setOpen(false)
      showToast({ text: t.ended(count) })
    }
  })
  const open = () => {
    end.reset()
    setOpen(true)
  }
  return (
    <>
      <Button size="small" disabled={!mayAct} onClick={open}>{t.endOthers}</Button>
      {isOpen && (
        <ConfirmAct
          call={end}
          onClose={() => setOpen(false)}
          title={t.endOthersTitle}
          description={t.endOthersWhat}
          confirmText={t.endOthers}
          onConfirm={() => end.mutate()}
          failed={t.endOthersFailed}
        />
      )}
    </>
  )
}
