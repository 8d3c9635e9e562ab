/** Edits the steps of a workflow as a list, as a graph, or as JSON: three views of one draft. */
import type { Detail } from "@countersign/domain/errors"
import { isHubError } from "@countersign/hub-client/error"
import { useQuery } from "@tanstack/react-query"
import { useNavigate, useParams, useSearch } from "@tanstack/react-router"
import { Plus, Undo2, Workflow as WorkflowIcon } from "lucide-react"
import { type KeyboardEvent, lazy, Suspense, useEffect, useRef, useState } from "react"
import { Link } from "../app/link.tsx"
import { Page } from "../app/page.tsx"
import { Problem } from "../app/problem.tsx"
import { WarningList } from "../app/save-warnings.tsx"
import { ScreenState } from "../app/screen-state.tsx"
import { useCan, useMe, useWorkspace, useWorkspaceId } from "../app/session.ts"
import { readJson } from "../catalog/read-json.ts"
import { JsonField } from "../catalog/schema-form.tsx"
import { Badge } from "../components/badge.tsx"
import { Button } from "../components/button.tsx"
import { ConfirmDialog } from "../components/confirm-dialog.tsx"
import { TextArea } from "../components/fields.tsx"
import { Menu, MenuItem } from "../components/menu.tsx"
import { Panel } from "../components/panel.tsx"
import { Tabs } from "../components/tabs.tsx"
import { hubClock } from "../hub/hub-time.ts"
import { versionQuery, type Workflow, workflowQuery, type WorkflowVersion } from "../hub/queries.ts"
import { useMayAct } from "../live/connection.ts"
import { MergeReview } from "../patterns/merge-review.tsx"
import { RelativeTime } from "../patterns/relative-time.tsx"
import { StatusGlyph } from "../patterns/status-badge.tsx"
import { actText as acts } from "../text/acts.ts"
import { Phrase } from "../text/catalogue.ts"
import { mergeText } from "../text/merge.ts"
import { workflowEditorText as t } from "../text/workflow-editor.ts"
import { stepTypeNames, workflowsText } from "../text/workflows.ts"
import { addStep, connect, type Draft, legalTargets, readDraft, removeStep, stepTypes } from "./draft.ts"
import styles from "./editor.module.css"
import { problemAt, stepOfProblem } from "./problems.ts"
import { StepList } from "./step-list.tsx"
import { StepPanel } from "./step-panel.tsx"
import { baseOf, type Checked, type Editing, useEditing } from "./use-editing.ts"

const GraphCanvas = lazy(() => import("./graph-canvas.tsx"))

const from = "/w/$workspace/workflows/$id/edit"

export const EditorScreen = () => {
  const { id } = useParams({ from })
  const workspace = useWorkspaceId()
  const workflow = useQuery(workflowQuery(workspace, id))
  const { data } = workflow
  const latest = data?.latest_version_id
  const version = useQuery({ ...versionQuery(workspace, id, latest ?? ""), enabled: latest !== undefined })
  const isReady = data !== undefined && (latest === undefined || version.data !== undefined)
  return (
    <Page
      title={data === undefined ? t.short : t.title(data.name)}
      layout="flush"
      path={
        <>
          <Link quiet to="/w/$workspace/workflows" params={{ workspace }}>{workflowsText.title}</Link>
          {data !== undefined && (
            <>
              {" / "}
              <Link quiet to="/w/$workspace/workflows/$id" params={{ workspace, id }}>{data.name}</Link>
            </>
          )}
        </>
      }
      busy={workflow.isFetching && !workflow.isRefetching}
    >
      <ScreenState query={workflow}>
        {isReady
          ? <Editor key={id} workflow={data} version={version.data} />
          : version.error !== null && <Problem error={version.error} failed={workflowsText.detail.versions} />}
      </ScreenState>
    </Page>
  )
}

interface EditorProps {
  readonly workflow: Workflow
  readonly version: WorkflowVersion | undefined
}

const Editor = ({ version, workflow }: EditorProps) => {
  const { view = "list" } = useSearch({ from })
  const navigate = useNavigate({ from })
  const mayWrite = useCan()("workflows:write")
  const { role } = useWorkspace()
  const { user } = useMe()
  const mayChange = mayWrite && (workflow.owner_user_id === user.id || role === "owner" || role === "admin")
  const [loaded, setLoaded] = useState(() => baseOf(version))
  useEffect(() => {
    if (version !== undefined && version.number !== loaded.number) setLoaded(baseOf(version))
  }, [version, loaded.number])
  const editing = useEditing(workflow, loaded, mayChange)
  const { change, checked, draft } = editing
  const [selected, setSelected] = useState<string>()
  const [isSettings, setSettings] = useState(false)
  const [menu, setMenu] = useState<"add" | "connect">()
  const [isDiscarding, setDiscarding] = useState(false)
  const panel = useRef<HTMLDivElement>(null)
  const step = draft.steps.find(({ label }) => label === selected)

  const select = (label: string | undefined) => {
    setSelected(label)
    setSettings(false)
  }
  /** After the panel of the step is there. */
  const open = (label: string) => {
    select(label)
    requestAnimationFrame(() => panel.current?.focus())
  }
  /** A menu returns the focus to its button, so the step gets it afterwards. */
  const focusStep = (label: string) =>
    setTimeout(() => document.querySelector<HTMLElement>(`[data-step="${label}"]`)?.focus(), 50)
  const add = (type: (typeof stepTypes)[number]) => {
    const added = addStep(draft, type, step?.label)
    change(added.draft)
    select(added.label)
    focusStep(added.label)
  }
  const onKey = (event: KeyboardEvent, label: string) => {
    if (!mayChange) return
    if (event.key === "n" || event.key === "c") {
      event.preventDefault()
      select(label)
      setMenu(event.key === "n" ? "add" : "connect")
    } else if (event.key === "Delete" || event.key === "Backspace") {
      event.preventDefault()
      const next = draft.edges.find(({ to }) => to === label)?.from
      change(removeStep(draft, label))
      select(next)
      if (next !== undefined) focusStep(next)
    }
  }
  const problemCount = (label: string) =>
    checked.problems.filter((problem) => stepOfProblem(draft, problem) === label).length
  const targets = step === undefined ? [] : legalTargets(draft, step.label)
  const toolbar = (
    <div className={styles.bar} role="toolbar" aria-label={t.short}>
      {mayChange && (
        <>
          <Menu
            open={menu === "add"}
            onOpenChange={(is) => setMenu(is ? "add" : undefined)}
            trigger={
              <Button size="small" icon={<Plus />}>{step === undefined ? t.add : t.addBehind(step.label)}</Button>
            }
          >
            {stepTypes.map((type) => <MenuItem key={type} onSelect={() => add(type)}>{stepTypeNames[type]}</MenuItem>)}
          </Menu>
          <Menu
            open={menu === "connect"}
            onOpenChange={(is) => setMenu(is ? "connect" : undefined)}
            trigger={
              <Button size="small" icon={<WorkflowIcon />} disabled={step === undefined}>
                {t.connections.connectTo}
              </Button>
            }
          >
            {targets.length === 0
              ? <MenuItem disabled>{t.connections.noTarget}</MenuItem>
              : targets.map((to) => (
                <MenuItem
                  key={to}
                  onSelect={() => {
                    if (step === undefined) return
                    change(connect(draft, step.label, to))
                    focusStep(step.label)
                  }}
                >
                  {to}
                </MenuItem>
              ))}
          </Menu>
          <Button size="small" icon={<Undo2 />} disabled={editing.undo === undefined} onClick={editing.undo}>
            {t.undo}
          </Button>
        </>
      )}
      <Button size="small" onClick={() => setSettings(true)}>{t.settings.open}</Button>
      <span className="ms-auto flex flex-wrap items-center gap-8">
        <span className="type-note text-3">
          {editing.base.number === 0 ? t.noVersion : t.version(editing.base.number)}
        </span>
        {editing.isChanged && <Badge tone="hold">{t.unsaved}</Badge>}
        {mayChange && editing.isChanged && (
          <Button size="small" variant="bare" onClick={() => setDiscarding(true)}>{t.discard}</Button>
        )}
        {mayChange && <SaveButton editing={editing} />}
      </span>
    </div>
  )
  return (
    <div className={styles.editor}>
      {toolbar}
      <div className={styles.columns}>
        <div className={styles.steps}>
          <div className={styles.view}>
            <Tabs
              fill
              label={t.views.label}
              tabs={(["list", "graph", "json"] as const).map((value) => ({ value, text: t.views[value] }))}
              value={view}
              onChange={(next) => void navigate({ search: next === "list" ? {} : { view: next }, replace: true })}
            >
              {view === "json"
                ? <DraftJson draft={draft} mayChange={mayChange} onChange={change} />
                : draft.steps.length === 0
                ? <p className="p-16 type-body text-2">{t.empty}</p>
                : view === "list"
                ? (
                  <StepList
                    draft={draft}
                    selected={selected}
                    problemCount={problemCount}
                    onSelect={select}
                    onOpen={open}
                    onKey={onKey}
                  />
                )
                : (
                  <div className={styles.canvas}>
                    <Suspense fallback={<p role="status" className="p-16 type-body text-2">{acts.loading}</p>}>
                      <GraphCanvas
                        label={t.graph}
                        keys={t.keys}
                        steps={draft.steps.map(({ label, type }) => {
                          const count = problemCount(label)
                          return {
                            label,
                            note: stepTypeNames[type],
                            ...count === 0
                              ? {}
                              : {
                                state: t.wrong(count),
                                tone: "stop" as const,
                                mark: <StatusGlyph look="failed" toned size={12} />
                              }
                          }
                        })}
                        edges={draft.edges}
                        selected={selected}
                        onSelect={select}
                        onOpen={open}
                        targets={mayChange ? (label) => legalTargets(draft, label) : undefined}
                        onConnect={(source, target) => change(connect(draft, source, target))}
                        onKey={onKey}
                      />
                    </Suspense>
                  </div>
                )}
            </Tabs>
          </div>
          <Problems draft={draft} checked={checked} onOpen={open} />
        </div>
        <div className={styles.side}>
          <Notices editing={editing} mayChange={mayChange} />
          {isSettings
            ? <Settings draft={draft} problems={checked.problems} mayChange={mayChange} onChange={change} />
            : step === undefined
            ? <p className="type-body text-2">{t.pick}</p>
            : (
              <StepPanel
                key={step.label}
                draft={draft}
                step={step}
                problems={checked.problems}
                mayChange={mayChange}
                onChange={change}
                onSelect={select}
                place={panel}
              />
            )}
        </div>
      </div>
      <ConfirmDialog
        open={isDiscarding}
        onOpenChange={setDiscarding}
        title={t.discardTitle}
        description={t.discardWhat}
        confirmText={t.discard}
        cancelText={t.keep}
        danger
        onConfirm={() => {
          setDiscarding(false)
          select(undefined)
          editing.discard()
        }}
      />
    </div>
  )
}

const SaveButton = ({ editing }: { readonly editing: Editing }) => {
  const mayAct = useMayAct()
  const { checked, isChanged, isSaving, undecided } = editing
  return (
    <Button
      variant="primary"
      size="small"
      pending={isSaving}
      pendingText={acts.asking}
      disabled={!mayAct || !isChanged || undecided || checked.state === "wrong"}
      onClick={editing.save}
    >
      {t.save}
    </Button>
  )
}

/** What happened to the draft as a whole: restored, merged, or refused. */
const Notices = ({ editing, mayChange }: { readonly editing: Editing; readonly mayChange: boolean }) => {
  const { conflict, error, isRestored, undecided } = editing
  const text = (show: React.ReactNode) => <pre className="type-mono wrap-anywhere">{show}</pre>
  return (
    <>
      {!mayChange && <p className="type-note text-2">{t.readOnly}</p>}
      {isRestored && <p role="status" className="type-note text-2">{t.restored}</p>}
      {error !== null && (!isHubError(error) || error.details.length === 0) && (
        <Problem inline error={error} failed={t.failed} unchanged={t.unchanged} />
      )}
      {conflict !== undefined && (
        <MergeReview
          theirs={conflict.theirs.map(({ key, label, show }) => ({
            key,
            label,
            before: show(conflict.before),
            after: show(conflict.saved)
          }))}
          mine={conflict.mine.map(({ key, label, show }) => ({ key, label, value: text(show(conflict.own)) }))}
          collisions={conflict.collisions.map(({ key, label, show }) => ({
            key,
            label,
            mine: text(show(conflict.own)),
            theirs: text(show(conflict.saved)),
            choice: conflict.choices[key]
          }))}
          onChoose={editing.choose}
          texts={{
            title: (
              <Phrase
                text={mergeText.changedBy}
                person={conflict.by.name}
                time={<RelativeTime at={conflict.by.at} now={hubClock.now} />}
              />
            ),
            what: mergeText.what,
            theirs: mergeText.theirs,
            mine: mergeText.mine,
            collisions: mergeText.collisions,
            before: mergeText.before,
            after: mergeText.after,
            keepMine: mergeText.keepMine,
            takeTheirs: mergeText.takeTheirs,
            next: undecided ? mergeText.undecided : mergeText.ready
          }}
        />
      )}
    </>
  )
}

interface ProblemsProps {
  readonly draft: Draft
  readonly checked: Checked
  readonly onOpen: (label: string) => void
}

const stateText = (checked: Checked): string => {
  const p = t.problems
  if (checked.state === "checking") return p.checking
  if (checked.state === "uncertain") return p.uncertain(checked.reason ?? "")
  return checked.state === "accepted" ? p.none : p.local
}

const Problems = ({ checked, draft, onOpen }: ProblemsProps) => {
  const p = t.problems
  if (draft.steps.length === 0) return null
  return (
    <section className={styles.problems} aria-label={p.title}>
      {checked.problems.length === 0
        ? <p role="status" className="type-note text-2">{stateText(checked)}</p>
        : (
          <ul className="grid gap-4" role="status">
            {checked.problems.map((problem) => {
              const label = stepOfProblem(draft, problem)
              return (
                <li key={problem.path + problem.message} className="type-note wrap-anywhere">
                  {label === undefined
                    ? <code className="type-mono text-2">{problem.path}</code>
                    : (
                      <button
                        type="button"
                        className={styles.other}
                        aria-label={p.go(label)}
                        onClick={() => onOpen(label)}
                      >
                        {label}
                      </button>
                    )} {problem.message}
                </li>
              )
            })}
          </ul>
        )}
      {checked.warnings.length > 0 && (
        <>
          <h3 className="mt-8 mb-8 type-label text-2">{p.warnings}</h3>
          <WarningList warnings={checked.warnings} />
        </>
      )}
    </section>
  )
}

interface SettingsProps {
  readonly draft: Draft
  readonly problems: ReadonlyArray<Detail>
  readonly mayChange: boolean
  readonly onChange: (draft: Draft) => void
}

const Settings = ({ draft, mayChange, onChange, problems }: SettingsProps) => {
  const set = (name: "input_schema" | "output", value: unknown) => {
    const { [name]: _, ...rest } = draft
    onChange(value === undefined ? rest : { ...rest, [name]: value })
  }
  return (
    <Panel title={t.settings.title}>
      <fieldset className="grid gap-16 border-0 min-w-0" disabled={!mayChange}>
        <JsonField
          label={t.settings.input}
          description={t.settings.inputAbout}
          rows={10}
          value={draft.input_schema}
          onChange={(value) => set("input_schema", value)}
          error={problemAt(problems, "input_schema")}
        />
        <JsonField
          label={t.settings.output}
          description={t.settings.outputAbout}
          rows={6}
          value={draft.output}
          onChange={(value) => set("output", value)}
          error={problemAt(problems, "output")}
        />
      </fieldset>
    </Panel>
  )
}

/** Text that is no definition is kept, and changes nothing. */
const DraftJson = (
  { draft, mayChange, onChange }: Pick<SettingsProps, "draft" | "mayChange" | "onChange">
) => {
  const [typed, setTyped] = useState<string>()
  const draftIn = (text: string) => {
    const read = readJson(text)
    return read.ok ? readDraft(read.value) : undefined
  }
  const read = typed === undefined ? undefined : draftIn(typed)
  const isOwn = typed !== undefined && (read === undefined || JSON.stringify(read) === JSON.stringify(draft))
  return (
    <div className={styles.json}>
      <TextArea
        label={t.views.json}
        labelHidden
        mono
        rows={24}
        readOnly={!mayChange}
        value={isOwn ? typed : JSON.stringify(draft, null, 2)}
        error={typed !== undefined && read === undefined ? t.badDefinition : undefined}
        onChange={(text) => {
          setTyped(text)
          const next = draftIn(text)
          if (next !== undefined) onChange(next)
        }}
      />
    </div>
  )
}
