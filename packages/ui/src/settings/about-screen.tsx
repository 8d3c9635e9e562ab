/** About this hub: its version, its API, and its documentation. */
import { useQuery } from "@tanstack/react-query"
import { Link } from "../app/link.tsx"
import { ScreenState } from "../app/screen-state.tsx"
import { useWorkspaceId } from "../app/session.ts"
import { Id } from "../components/id.tsx"
import { Link as PlainLink } from "../components/link.tsx"
import { Panel } from "../components/panel.tsx"
import { healthQuery } from "../hub/queries.ts"
import { useHub } from "../hub/use-hub.ts"
import { KeyValueList } from "../patterns/key-value-list.tsx"
import { RowList } from "../patterns/row-list.tsx"
import { actText } from "../text/acts.ts"
import { settingsText } from "../text/settings.ts"
import { SettingsFrame } from "./settings-frame.tsx"

export const AboutScreen = () => {
  const { about: t } = settingsText
  const { copying } = actText
  const workspace = useWorkspaceId()
  const hub = useHub()
  const health = useQuery(healthQuery)
  const openapi = new URL(hub.downloadUrl("discovery.openapi", {}), location.href)
  const api = openapi.href.slice(0, -"/openapi.json".length)
  const reading = [
    { key: "docs", href: new URL("/docs", openapi).href, text: t.docs },
    { key: "openapi", href: openapi.href, text: t.openapi },
    { key: "agents", href: `${api}/agent-docs`, text: t.agentDocs }
  ]
  return (
    <SettingsFrame section="about" busy={health.isFetching}>
      <Panel title={t.hub}>
        <ScreenState query={health}>
          <KeyValueList
            items={[
              { key: "version", name: t.version, value: health.data?.version },
              { key: "id", name: t.hubId, value: <Id value={health.data?.hub_id ?? ""} whole texts={copying} /> },
              { key: "api", name: t.api, value: <Id value={api} whole texts={copying} /> }
            ]}
          />
        </ScreenState>
      </Panel>
      <Panel title={t.reading} flush>
        <RowList
          label={t.reading}
          rows={[
            {
              key: "start",
              title: <Link to="/w/$workspace/start" params={{ workspace }}>{t.firstSteps}</Link>,
              detail: t.firstStepsWhat
            },
            ...reading.map(({ href, key, text }) => ({
              key,
              title: <PlainLink href={href} target="_blank" rel="noreferrer">{text}</PlainLink>,
              detail: href
            }))
          ]}
        />
      </Panel>
      <p className="type-body text-2">{t.licence}</p>
    </SettingsFrame>
  )
}
