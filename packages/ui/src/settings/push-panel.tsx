/** Notices in this browser, and the list of the person's subscribed browsers. */
import type { Row } from "@countersign/hub-client/contract"
import { HubError } from "@countersign/hub-client/error"
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query"
import { useState } from "react"
import { Problem } from "../app/problem.tsx"
import { ScreenState } from "../app/screen-state.tsx"
import { Badge } from "../components/badge.tsx"
import { Button } from "../components/button.tsx"
import { Panel } from "../components/panel.tsx"
import { Switch } from "../components/switch.tsx"
import { browsersQuery, pushKeyQuery } from "../hub/queries.ts"
import { touch } from "../hub/touch.ts"
import { useAct, useHub } from "../hub/use-hub.ts"
import { useMayAct } from "../live/connection.ts"
import { RowList } from "../patterns/row-list.tsx"
import { Phrase } from "../text/catalogue.ts"
import { noticesText as t } from "../text/notices.ts"
import { Moment } from "./moment.tsx"
import { isPushSupported, subscribe, unsubscribe } from "./push-browser.ts"
import { readUserAgent } from "./user-agent.ts"

type Browser = Row<"notifications.subscriptions">

const nameOf = ({ user_agent = "" }: Browser): string => {
  const { browser, system } = readUserAgent(user_agent)
  return browser !== undefined && system !== undefined ? t.on(browser, system) : browser ?? system ?? t.unknown
}

type Permission = NotificationPermission | "unsupported"
const permissionNow = (): Permission => isPushSupported() ? Notification.permission : "unsupported"

/** Turns notices of this browser on or off; false: the person denied the permission. */
const useTurn = (own: Browser | undefined) => {
  const hub = useHub()
  const queries = useQueryClient()
  return useMutation<boolean, HubError | Error, boolean>({
    mutationFn: async (on) => {
      if (on) {
        if (await Notification.requestPermission() !== "granted") return false
        const { public_key } = await queries.fetchQuery(pushKeyQuery)
        await hub.call("notifications.subscribe", { payload: await subscribe(public_key) })
      } else {
        if (own !== undefined) await hub.call("notifications.unsubscribe", { params: { id: own.id } })
        await unsubscribe()
      }
      await touch(queries, null, ["notifications.subscriptions"])
      return true
    }
  })
}

export const PushPanel = () => {
  const query = useQuery(browsersQuery)
  const rows = query.data?.data ?? []
  const own = rows.find(({ current }) => current)
  const [permission, setPermission] = useState(permissionNow)
  const mayAct = useMayAct()
  const turn = useTurn(own)
  const remove = useAct("notifications.unsubscribe", { workspace: null, touches: ["notifications.subscriptions"] })
  const set = (on: boolean) => turn.mutate(on, { onSettled: () => setPermission(permissionNow()) })
  return (
    <Panel title={t.browsers} flush>
      <div className="grid gap-16 p-16">
        <Switch
          label={t.push}
          description={permission === "unsupported"
            ? t.pushUnsupported
            : permission === "denied"
            ? t.pushDenied
            : t.pushWhat}
          checked={own !== undefined && permission === "granted"}
          disabled={permission === "unsupported" || !mayAct || query.data === undefined}
          pending={turn.isPending}
          onChange={set}
        />
        {turn.error !== null && (turn.error instanceof HubError
          ? <Problem inline error={turn.error} failed={t.pushFailed} />
          : <p className="type-body weight-label text-stop" role="alert">{t.pushFailed}</p>)}
        {remove.error !== null && <Problem inline error={remove.error} failed={t.removeFailed} />}
      </div>
      <ScreenState query={query}>
        {rows.length > 0 && (
          <RowList
            label={t.browsers}
            rows={rows.map((browser) => ({
              key: browser.id,
              title: <>{nameOf(browser)} {browser.current && <Badge>{t.thisOne}</Badge>}</>,
              detail: (
                <>
                  <span>{new URL(browser.service).host}</span>
                  <span>
                    <Phrase text={t.since} time={<Moment at={browser.created_at} />} />
                  </span>
                  {browser.last_used_at !== undefined && (
                    <span>
                      <Phrase text={t.used} time={<Moment at={browser.last_used_at} />} />
                    </span>
                  )}
                </>
              ),
              acts: !browser.current && (
                <Button
                  size="small"
                  disabled={!mayAct}
                  aria-label={t.removeOf(nameOf(browser))}
                  pending={remove.isPending && remove.variables.params.id === browser.id}
                  onClick={() => remove.mutate({ params: { id: browser.id } })}
                >
                  {t.remove}
                </Button>
              )
            }))}
          />
        )}
      </ScreenState>
    </Panel>
  )
}
