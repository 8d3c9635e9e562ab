/** What the person is notified of, and where. Each switch is saved at once; it shows the hub's answer. */
import { type NoticeEvent, noticeEvents, type NoticePlace, noticePlaces } from "@countersign/domain/notice-events"
import type { Output } from "@countersign/hub-client/contract"
import { Problem } from "../app/problem.tsx"
import { useWorkspaceId } from "../app/session.ts"
import { Panel } from "../components/panel.tsx"
import { Switch } from "../components/switch.tsx"
import { useAct } from "../hub/use-hub.ts"
import { useMayAct } from "../live/connection.ts"
import { noticesText as t } from "../text/notices.ts"
import styles from "./notice-matrix.module.css"

/** The desktop app receives no event of a disabled endpoint; channels show approvals and agent requests. */
const isOffered = (event: NoticeEvent, place: NoticePlace): boolean =>
  place === "channel"
    ? event === "approval.created" || event === "agent_request.created"
    : !(event === "webhook_endpoint.disabled" && place === "desktop")

export type Settings = Output<"notifications.settings">

export const NoticeMatrix = ({ settings }: { readonly settings: Settings }) => {
  const mayAct = useMayAct()
  const save = useAct("notifications.update", {
    workspace: useWorkspaceId(),
    touches: ["notifications.settings"]
  })
  return (
    <Panel title={t.events} flush>
      <p className="px-16 pt-12 type-body text-2">{t.eventsWhat}</p>
      <table className={styles.matrix}>
        <thead>
          <tr>
            <th scope="col">{t.event}</th>
            {noticePlaces.map((place) => <th key={place} scope="col">{t.places[place]}</th>)}
          </tr>
        </thead>
        <tbody>
          {noticeEvents.map((event) => (
            <tr key={event}>
              <th scope="row">{t.names[event]}</th>
              {noticePlaces.map((place) => (
                <td key={place} data-place={isOffered(event, place) ? t.places[place] : undefined}>
                  {isOffered(event, place) && (
                    <Switch
                      label={t.at(t.names[event], t.places[place])}
                      labelHidden
                      checked={settings[event][place]}
                      disabled={!mayAct}
                      pending={save.isPending && Object.hasOwn(save.variables.payload?.[event] ?? {}, place)}
                      onChange={(on) => save.mutate({ payload: { [event]: { [place]: on } } })}
                    />
                  )}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {save.error !== null && <Problem inline error={save.error} failed={t.notSaved} />}
    </Panel>
  )
}
