/**
 * Emails as the hub sends them, with examples. The HTML is a page of the hub in a frame without scripts; where the
 * console is not served by the hub, only the text is shown.
 */
import { type NoticeEvent, noticeEvents } from "@countersign/domain/notice-events"
import { useQuery } from "@tanstack/react-query"
import { useState } from "react"
import { ScreenState } from "../app/screen-state.tsx"
import { useWorkspaceId } from "../app/session.ts"
import { Panel } from "../components/panel.tsx"
import { Select } from "../components/select.tsx"
import { Tabs } from "../components/tabs.tsx"
import { mailPreviewQuery } from "../hub/queries.ts"
import { noticesText as t } from "../text/notices.ts"
import styles from "./mail-preview-screen.module.css"
import { SettingsFrame } from "./settings-frame.tsx"

const isServedByHub = location.protocol.startsWith("http")

type Part = "html" | "text"

export const MailPreviewScreen = () => {
  const workspace = useWorkspaceId()
  const [event, setEvent] = useState<NoticeEvent>("approval.created")
  const [part, setPart] = useState<Part>(isServedByHub ? "html" : "text")
  const query = useQuery(mailPreviewQuery(workspace, event))
  return (
    <SettingsFrame section="notifications" lead={t.mailWhat}>
      <Panel title={t.mail}>
        <div className="grid gap-16">
          <Select<NoticeEvent>
            label={t.event}
            className={styles.choice}
            value={event}
            onChange={setEvent}
            options={noticeEvents.map((value) => ({ value, text: t.names[value] }))}
          />
          <ScreenState query={query}>
            {query.data !== undefined && (
              <>
                <p className="type-body">
                  <span className="text-2">{t.subject}:</span> {query.data.subject}
                </p>
                <Tabs<Part>
                  label={t.mail}
                  value={part}
                  onChange={setPart}
                  tabs={[
                    { value: "html", text: t.htmlPart, disabled: !isServedByHub },
                    { value: "text", text: t.textPart }
                  ]}
                >
                  {part === "html"
                    ? (
                      <iframe
                        className={styles.mail}
                        title={t.frame}
                        sandbox=""
                        src={`/api/v1/notification-settings/preview.html?event=${event}&workspace=${workspace}`}
                      />
                    )
                    : <pre className={styles.text}>{query.data.text}</pre>}
                </Tabs>
              </>
            )}
          </ScreenState>
        </div>
      </Panel>
    </SettingsFrame>
  )
}
