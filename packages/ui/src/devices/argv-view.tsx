/** The exact words that a program gets: nothing is truncated, and hidden characters are boxed. */
import { RevealedText } from "../patterns/revealed-text.tsx"
import { commandsText } from "../text/commands.ts"
import { payloadText as reveal } from "../text/payload.ts"
import styles from "./argv-view.module.css"

export const ArgvView = ({ argv }: { readonly argv: ReadonlyArray<string> }) => {
  const t = commandsText.detail
  return (
    <ol className={`flex flex-wrap min-w-0 ${styles.words}`} aria-label={t.words}>
      {argv.map((word, at) => (
        <li key={at} className={`max-w-full border bg-surface ${styles.word}`}>
          <code>
            {word === ""
              ? <span className="type-note text-3">{t.emptyWord}</span>
              : <RevealedText text={word} texts={reveal} />}
          </code>
        </li>
      ))}
    </ol>
  )
}
