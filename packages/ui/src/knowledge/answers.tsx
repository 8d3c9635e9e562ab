/** A question to a collection, and the passages that answer it. */
import { isHubError } from "@countersign/hub-client/error"
import { useQuery } from "@tanstack/react-query"
import { Search } from "lucide-react"
import { useState } from "react"
import { Problem } from "../app/problem.tsx"
import { useWorkspaceId } from "../app/session.ts"
import { Button } from "../components/button.tsx"
import { TextField } from "../components/text-field.tsx"
import { answersQuery } from "../hub/queries.ts"
import { useMayAct } from "../live/connection.ts"
import { EmptyState } from "../patterns/empty-state.tsx"
import { RevealedText } from "../patterns/revealed-text.tsx"
import { actText as acts } from "../text/acts.ts"
import { errorText } from "../text/errors.ts"
import { knowledgeText } from "../text/knowledge.ts"
import { payloadText as reveal } from "../text/payload.ts"
import styles from "./knowledge-screen.module.css"

const t = knowledgeText.ask
/** `queryLengthMax` of the contract. */
const questionMax = 2_000

export const AskForm = ({ onAsk, question = "" }: {
  readonly question: string | undefined
  readonly onAsk: (question: string | undefined) => void
}) => {
  const [text, setText] = useState(question)
  const mayAct = useMayAct()
  const asked = text.trim()
  return (
    <form
      role="search"
      className={`flex items-center gap-8 ${styles.ask}`}
      onSubmit={(event) => {
        event.preventDefault()
        onAsk(asked === "" ? undefined : asked)
      }}
    >
      <TextField
        label={t.label}
        labelHidden
        placeholder={t.label}
        type="search"
        maxLength={questionMax}
        value={text}
        onChange={setText}
        className={styles.question}
        prefix={<Search aria-hidden size={16} />}
        data-search
      />
      <Button type="submit" disabled={!mayAct || asked === ""}>{t.act}</Button>
    </form>
  )
}

export const Answers = ({ collection, onClear, onOpen, question }: {
  readonly collection: string
  readonly question: string
  readonly onOpen: (document: string, passage: number) => void
  readonly onClear: () => void
}) => {
  const workspace = useWorkspaceId()
  const answers = useQuery(answersQuery(workspace, collection, question))
  const { data, error } = answers
  const clear = <Button size="small" onClick={onClear}>{t.clear}</Button>
  if (error !== null && data === undefined) {
    const isChanged = isHubError(error) && error.code === "embedding_model_changed"
    return (
      <div className="p-16">
        <Problem
          error={error}
          failed={isChanged ? t.changed : errorText.title}
          onRetry={() => void answers.refetch()}
        />
      </div>
    )
  }
  if (data === undefined) return <p className="p-16 type-body text-2" role="status">{acts.loading}</p>
  if (data.data.length === 0) return <EmptyState action={clear}>{t.none}</EmptyState>
  return (
    <section className={`grid gap-16 min-h-0 ${styles.answers}`} aria-label={t.results(question)} tabIndex={0}>
      <div className="flex items-center justify-between gap-8">
        <p className="type-note text-2" role="status">{t.found(data.data.length)}</p>
        {clear}
      </div>
      <ol className="grid gap-16 max-w-reading">
        {data.data.map(({ document, headings, position, text }) => (
          <li key={`${document.id} ${position.chunk}`}>
            <article className={`grid gap-8 p-16 border rounded-panel bg-surface ${styles.answer}`}>
              <h2 className="flex flex-wrap items-baseline gap-8 type-body">
                <button
                  type="button"
                  className={styles.source}
                  aria-label={t.open(document.title)}
                  onClick={() => onOpen(document.id, position.chunk)}
                >
                  {document.title}
                </button>
                {position.page !== undefined && <span className="text-2">{t.page(position.page)}</span>}
                {headings.length > 0 && <span className="text-3">{headings.join(" › ")}</span>}
              </h2>
              <div className={`type-body ${styles.passage}`}>
                <RevealedText text={text} texts={reveal} />
              </div>
            </article>
          </li>
        ))}
      </ol>
    </section>
  )
}
