import { RevealedText } from "@countersign/ui/patterns/revealed-text.tsx"
import { payloadText as texts } from "@countersign/ui/text/payload"
import styles from "./facts.module.css"

/** Text from others, with hidden characters revealed. */
export const Facts = ({ rows }: { readonly rows: ReadonlyArray<readonly [label: string, text: string]> }) => {
  return (
    <dl className={styles.facts}>
      {rows.map(([label, text]) => (
        <div key={label}>
          <dt>{label}</dt>
          <dd>
            <RevealedText text={text} texts={texts} />
          </dd>
        </div>
      ))}
    </dl>
  )
}
