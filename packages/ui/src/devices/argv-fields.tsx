/** A program and its arguments, one field per word; a pasted line is split into words. */
import { Plus, X } from "lucide-react"
import { useState } from "react"
import { Button } from "../components/button.tsx"
import { TextArea } from "../components/fields.tsx"
import { IconButton } from "../components/icon-button.tsx"
import { TextField } from "../components/text-field.tsx"
import { commandsText } from "../text/commands.ts"
import styles from "./queue-screen.module.css"
import { splitWords } from "./split-words.ts"
import { limits } from "./tool-input.ts"

export interface ArgvFieldsProps {
  readonly program: string
  readonly words: ReadonlyArray<string>
  readonly onChange: (program: string, words: ReadonlyArray<string>) => void
  readonly error?: string | undefined
}

export const ArgvFields = ({ error, onChange, program, words }: ArgvFieldsProps) => {
  const t = commandsText.queue
  const [pasting, setPasting] = useState(false)
  const [added, setAdded] = useState<number>()
  return (
    <div className={styles.part}>
      <TextField
        label={t.program}
        description={t.programAbout}
        value={program}
        onChange={(next) => onChange(next, words)}
        mono
        required
        error={error}
      />
      {words.length > 0 && (
        <ol className="grid gap-4">
          {words.map((word, at) => (
            <li key={at} className={`grid items-center gap-4 ${styles.word}`}>
              <TextField
                label={t.argument(at + 1)}
                labelHidden
                prefix={
                  <span className={`type-note tabular-nums text-3 ${styles.at}`} aria-hidden>
                    {at + 1}
                  </span>
                }
                value={word}
                onChange={(next) =>
                  onChange(
                    program,
                    words.map((each, index) => (index === at ? next : each))
                  )}
                mono
                autoFocus={added === at}
              />
              <IconButton
                label={t.removeArgument(at + 1)}
                icon={<X />}
                onClick={() =>
                  onChange(
                    program,
                    words.filter((_, index) => index !== at)
                  )}
              />
            </li>
          ))}
        </ol>
      )}
      <div className="flex flex-wrap gap-8">
        <Button
          size="small"
          icon={<Plus />}
          disabled={words.length >= limits.arguments}
          onClick={() => {
            setAdded(words.length)
            onChange(program, [...words, ""])
          }}
        >
          {t.addArgument}
        </Button>
        <Button size="small" variant="bare" aria-expanded={pasting} onClick={() => setPasting(!pasting)}>
          {t.paste}
        </Button>
      </div>
      {pasting && (
        <PasteField
          onSplit={([first = "", ...rest]) => {
            setPasting(false)
            onChange(first, rest)
          }}
        />
      )}
    </div>
  )
}

const PasteField = ({ onSplit }: { readonly onSplit: (words: ReadonlyArray<string>) => void }) => {
  const t = commandsText.queue
  const [line, setLine] = useState("")
  const { acts, openQuote, words } = splitWords(line)
  return (
    <div className={`grid justify-items-start gap-8 p-12 border rounded-control ${styles.paste}`}>
      <TextArea
        label={t.pasteLabel}
        description={t.pasteAbout}
        value={line}
        onChange={setLine}
        rows={2}
        mono
        autoFocus
        error={openQuote ? t.openQuote : undefined}
      />
      {acts.length > 0 && (
        <ul className="ps-16 type-note text-hold">
          {acts.map((act) => <li key={act}>{t.acts[act]}</li>)}
        </ul>
      )}
      <Button
        size="small"
        disabled={words.length === 0 || openQuote || words.length > limits.arguments + 1}
        onClick={() => onSplit(words)}
      >
        {t.split}
      </Button>
    </div>
  )
}
