/**
 * A service as a form or as JSON: two views of one draft. Errors of the contract's checks are shown beside the fields.
 */
import type { Detail } from "@countersign/domain/errors"
import type { HubError } from "@countersign/hub-client/error"
import { Plus } from "lucide-react"
import { type ReactNode, useEffect, useRef, useState } from "react"
import { isReadable } from "../app/field-problem.ts"
import { FormFrame, FormProblem, FormSubmit } from "../app/form.tsx"
import { LeaveGuard } from "../app/leave-guard.tsx"
import { Button } from "../components/button.tsx"
import { TextArea } from "../components/fields.tsx"
import { Panel } from "../components/panel.tsx"
import { Tabs } from "../components/tabs.tsx"
import { TextField } from "../components/text-field.tsx"
import { catalogText } from "../text/catalog.ts"
import { AuthField } from "./auth-field.tsx"
import { OperationEditor } from "./operation-editor.tsx"
import { isJsonObject, readJson } from "./read-json.ts"
import {
  type Draft,
  emptyOperation,
  operationsIn,
  recordIn,
  textIn,
  withField,
  withOperation,
  withText
} from "./service-draft.ts"
import styles from "./service-editor.module.css"

export interface ServiceEditorProps {
  /** The loaded draft: leaving with a different one requires a confirmation. */
  readonly initial: Draft
  readonly draft: Draft
  readonly onChange: (draft: Draft) => void
  /** Above the button: the review of a merge. */
  readonly review?: ReactNode
  /** The review requires a choice. */
  readonly undecided?: boolean
  /** Only a new service can set its name. */
  readonly isNew: boolean
  readonly onSave: (draft: Draft) => void
  readonly pending: boolean
  /** The error of the last save. */
  readonly error: HubError | null
  readonly saved: boolean
}

export const ServiceEditor = ({
  draft,
  error,
  initial,
  isNew,
  onChange,
  onSave,
  pending,
  review,
  saved,
  undecided = false
}: ServiceEditorProps) => {
  const t = catalogText.editor
  /** The text of the JSON view and its draft; the text is discarded once the draft differs. */
  const [typed, setTyped] = useState<{ readonly text: string; readonly draft: Draft }>()
  const written = typed?.draft === draft ? typed.text : undefined
  const [view, setView] = useState<"form" | "json">("form")
  const [tried, setTried] = useState(false)
  const checks = useChecks(draft)
  const read = written === undefined ? undefined : readJson(written)
  const isUnread = read !== undefined && !(read.ok && isJsonObject(read.value))
  const isChanged = !saved && (isUnread || JSON.stringify(draft) !== JSON.stringify(initial))
  /** The person tried to save while the checks were still running. */
  const [wants, setWants] = useState(false)
  const form = useRef<HTMLFormElement>(null)
  /** The hub's errors apply until the draft changes; then the local checks replace them. */
  const refused = error?.details ?? []
  const problem = (path: string, within = false) => {
    const found = problemAt(refused, path, within) ?? problemAt(checks.problems, path, within)
    return found !== undefined && (tried || isWritten(draft, path)) ? found : undefined
  }
  const change = (next: Draft) => {
    setTyped(undefined)
    onChange(next)
  }
  useEffect(() => {
    if (!wants || checks.state === "checking" || form.current === null) return
    setWants(false)
    if (checks.problems.length === 0 && isReadable(form.current)) onSave(draft)
    else form.current.querySelector<HTMLElement>("[aria-invalid=true]")?.focus()
  }, [wants, checks, draft, onSave])
  const placed = [
    ...new Map([...checks.problems, ...refused].map((each) => [`${each.path} ${each.message}`, each])).values()
  ]
  return (
    <FormFrame
      ref={form}
      className={`grid gap-16 ${styles.editor}`}
      call={{ isPending: pending, error }}
      // Errors with a path are in the list below.
      failed={error?.details.length === 0 ? t.failed : undefined}
      unchanged={t.unchanged}
      disabled={isUnread || undecided}
      onSubmit={() => {
        setTried(true)
        if (!isUnread) setWants(true)
      }}
    >
      <Tabs
        label={t.view}
        tabs={[
          { value: "form", text: t.form, disabled: isUnread },
          { value: "json", text: t.json }
        ]}
        value={view}
        onChange={setView}
      >
        <div className="pt-16">
          {view === "form"
            ? (
              <div className="grid gap-16 min-w-0">
                <Panel title={t.service}>
                  <div className="grid gap-16 min-w-0">
                    <div className={styles.pair}>
                      <TextField
                        label={t.name}
                        mono
                        required
                        maxLength={64}
                        readOnly={!isNew}
                        description={t.nameAbout}
                        value={textIn(draft, "name")}
                        onChange={(next) => change(withText(draft, "name", next))}
                        error={problem("name")}
                      />
                      <TextField
                        label={t.titleField}
                        aside={t.optional}
                        value={textIn(draft, "title")}
                        onChange={(next) => change(withField(draft, "title", next))}
                        error={problem("title")}
                      />
                    </div>
                    <TextArea
                      label={t.description}
                      aside={t.optional}
                      rows={2}
                      value={textIn(draft, "description")}
                      onChange={(next) => change(withField(draft, "description", next))}
                      error={problem("description")}
                    />
                    <TextField
                      label={t.base}
                      mono
                      required
                      description={t.baseAbout}
                      value={textIn(draft, "base_url")}
                      onChange={(next) => change(withText(draft, "base_url", next))}
                      error={problem("base_url")}
                    />
                  </div>
                </Panel>
                <Panel title={t.auth}>
                  <AuthField
                    value={recordIn(draft, "auth")}
                    onChange={(next) => change(withField(draft, "auth", next))}
                    problem={(name) => problem(`auth.${name}`)}
                  />
                </Panel>
                <h2 className="mt-8 type-title tracking-large">{t.operations}</h2>
                {operationsIn(draft).map((operation, at, all) => (
                  <OperationEditor
                    key={at}
                    operation={operation}
                    number={at + 1}
                    onChange={(next) => change(withOperation(draft, at, next))}
                    onRemove={all.length > 1 ? () => change(withOperation(draft, at, undefined)) : undefined}
                    problem={(path, within) => problem(`operations.${at}.${path}`, within)}
                  />
                ))}
                <div>
                  <Button
                    icon={<Plus />}
                    onClick={() => change(withOperation(draft, operationsIn(draft).length, emptyOperation()))}
                  >
                    {t.addOperation}
                  </Button>
                </div>
              </div>
            )
            : (
              <TextArea
                label={t.json}
                labelHidden
                mono
                rows={24}
                className={styles.json}
                description={t.jsonAbout}
                value={written ?? JSON.stringify(draft, null, 2)}
                error={!isUnread ? undefined : read.ok ? t.notObject : t.badJson(read.message)}
                onChange={(next) => {
                  const result = readJson(next)
                  const isDraft = result.ok && isJsonObject(result.value)
                  setTyped({ text: next, draft: isDraft ? result.value : draft })
                  if (isDraft) onChange(result.value)
                }}
              />
            )}
        </div>
      </Tabs>
      {review}
      <FormProblem />
      {(view === "json" || tried) && placed.length > 0 && (
        <section className={styles.problems} aria-label={t.problems(placed.length)} role="alert">
          <h2 className="type-control text-stop">{t.problems(placed.length)}</h2>
          <ul>
            {placed.slice(0, shownMax).map(({ message, path }) => (
              <li key={`${path} ${message}`}>
                <code className="type-mono text-2 wrap-anywhere">{t.problemAt(path)}</code> {message}
              </li>
            ))}
          </ul>
        </section>
      )}
      <footer className={`flex items-center justify-end gap-16 py-12 border-t ${styles.foot}`}>
        <span className="type-note text-2" role="status">
          {checks.state === "absent"
            ? t.noChecks
            : checks.state === "checking"
            ? t.checking
            : checks.problems.length === 0
            ? t.sound
            : t.problems(checks.problems.length)}
        </span>
        <FormSubmit variant="primary" act={isNew ? t.create : t.save} />
      </footer>
      <LeaveGuard isChanged={isChanged} />
    </FormFrame>
  )
}

const shownMax = 40

/** Whether a path has a value: an empty member is not shown as an error yet. */
const isWritten = (draft: Draft, path: string): boolean => {
  const value = path
    .split(".")
    .reduce<unknown>(
      (at, step) =>
        typeof at === "object" && at !== null && Object.hasOwn(at, step)
          ? (at as Record<string, unknown>)[step]
          : undefined,
      draft
    )
  return value !== undefined && value !== "" && value !== "https://"
}

/* The contract's checks of a draft, run shortly after typing stops. */

type Checks =
  | { readonly state: "checking"; readonly problems: ReadonlyArray<Detail> }
  | { readonly state: "checked"; readonly problems: ReadonlyArray<Detail> }
  /** The checks could not be loaded; the hub checks the draft when it is saved. */
  | { readonly state: "absent"; readonly problems: ReadonlyArray<Detail> }

const restMillis = 300
const none: ReadonlyArray<Detail> = []

const useChecks = (value: unknown): Checks => {
  const text = JSON.stringify(value)
  const [checks, setChecks] = useState<Checks>({ state: "checking", problems: none })
  useEffect(() => {
    let isLatest = true
    setChecks(({ problems }) => ({ state: "checking", problems }))
    const timer = setTimeout(() => {
      import("./checks.ts").then(
        ({ checkDefinition }) => {
          if (isLatest) {
            setChecks({
              state: "checked",
              problems: checkDefinition(text === undefined ? undefined : JSON.parse(text))
            })
          }
        },
        () => {
          if (isLatest) setChecks({ state: "absent", problems: none })
        }
      )
    }, restMillis)
    return () => {
      isLatest = false
      clearTimeout(timer)
    }
  }, [text])
  return checks
}

/** The problem of one field: at its path, or below it if those paths have no field. */
const problemAt = (problems: ReadonlyArray<Detail>, path: string, within = false): string | undefined => {
  const found = problems.filter((each) => each.path === path || (within && each.path.startsWith(`${path}.`)))
  return found.length === 0
    ? undefined
    : found.map(({ message, path: at }) => (at === path ? message : `${at.slice(path.length + 1)}: ${message}`)).join(
      " "
    )
}
