/** The last lines of the agent's log, including earlier runs: commands judged, refused, begun, and ended. */
import { Panel } from "@countersign/ui/components/panel.tsx"
import { RevealedText } from "@countersign/ui/patterns/revealed-text.tsx"
import { payloadText as texts } from "@countersign/ui/text/payload"
import { exactTime } from "../app/time-words.ts"
import styles from "./device.module.css"
import { deviceText as t } from "./text.ts"

interface Line {
  readonly at: string
  readonly event: string
  readonly rest: string
}

const read = (text: string): Line => {
  try {
    const { at, event, ...rest } = JSON.parse(text) as Readonly<Record<string, unknown>>
    const facts = Object.entries(rest).map(([name, value]) =>
      `${name} ${typeof value === "string" ? value : JSON.stringify(value)}`
    )
    return {
      at: typeof at === "string" ? exactTime(at) : "",
      event: String(event).replaceAll("_", " "),
      rest: facts.join("  ")
    }
  } catch {
    return { at: "", event: "", rest: text }
  }
}

export const DeviceLines = ({ lines }: { readonly lines: ReadonlyArray<string> }) => {
  return (
    <Panel title={t.lines} flush>
      {lines.length === 0 && <p className={styles.empty}>{t.noLines}</p>}
      <ol className={styles.lines} tabIndex={0} aria-label={t.lines}>
        {lines.map(read).reverse().map(({ at, event, rest }, index) => (
          <li key={lines.length - index} className={styles.line}>
            <time>{at}</time>
            <strong>{event}</strong>
            <span>
              <RevealedText text={rest} texts={texts} />
            </span>
          </li>
        ))}
      </ol>
    </Panel>
  )
}
