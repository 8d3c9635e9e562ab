/**
 * Every change of a connection with its cause, and the text to copy for support. Spec: reference/desktop.md "Connection
 * log", "E18: crash and support files".
 */
import { CopyButton } from "@countersign/ui/components/copy-button.tsx"
import { Panel } from "@countersign/ui/components/panel.tsx"
import { Select } from "@countersign/ui/components/select.tsx"
import { RevealedText } from "@countersign/ui/patterns/revealed-text.tsx"
import { payloadText as texts } from "@countersign/ui/text/payload"
import { useState } from "react"
import type { ConsoleBridge } from "../../bridge/contract.ts"
import { exactTime } from "../app/time-words.ts"
import { useComputer } from "../app/use-computer.ts"
import deviceStyles from "../device/device.module.css"
import styles from "./log.module.css"
import { logText as t } from "./text.ts"

export const LogScreen = ({ bridge }: { readonly bridge: ConsoleBridge }) => {
  const { problem, value } = useComputer(bridge, "log", bridge.shell.log)
  const [of, setOf] = useState("all")
  if (value === undefined) {
    return problem === undefined
      ? null
      : <p className={deviceStyles.problem} role="alert">{problem}</p>
  }
  const names = [...new Set(value.entries.map(({ about }) => about ?? t.app))]
  const shown = value.entries.filter(({ about }) => of === "all" || (about ?? t.app) === of)
  return (
    <>
      <Panel
        title={t.events}
        flush
        actions={
          <Select
            label={t.filter}
            labelHidden
            value={of}
            onChange={setOf}
            options={[{ value: "all", text: t.all }, ...names.map((name) => ({ value: name, text: name }))]}
          />
        }
      >
        {shown.length === 0 && <p className={deviceStyles.empty}>{t.empty}</p>}
        <ol className={deviceStyles.lines} tabIndex={0} aria-label={t.events}>
          {shown.toReversed().map(({ about, at, detail, event, times }, index) => (
            <li key={shown.length - index} className={deviceStyles.line}>
              <time>{exactTime(at)}</time>
              <strong>
                {about ?? t.app}: {event.replaceAll("_", " ")}
                {times === undefined ? "" : `, ${t.times(times)}`}
              </strong>
              {detail !== undefined && (
                <span>
                  <RevealedText text={detail} texts={texts} />
                </span>
              )}
            </li>
          ))}
        </ol>
      </Panel>
      <Panel title={t.support} actions={<CopyButton value={value.support_text} texts={t.copy} />}>
        <p className={deviceStyles.note}>{t.supportLead}</p>
        <pre className={styles.support} tabIndex={0}>{value.support_text}</pre>
      </Panel>
    </>
  )
}
