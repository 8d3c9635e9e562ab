/**
 * The draft of an editor: its history, its checks, and saving it. A version never changes, so a save creates the next
 * one; if another person has saved one meanwhile, both changes are merged first and the person reviews them.
 */
import type { Detail } from "@countersign/domain/errors"
import type { WorkflowDefinition } from "@countersign/domain/workflow-definition"
import { type HubError, isHubError } from "@countersign/hub-client/error"
import { useQuery, useQueryClient } from "@tanstack/react-query"
import { useEffect, useState } from "react"
import { keepWarnings } from "../app/save-warnings.tsx"
import { useMe, useWorkspaceId } from "../app/session.ts"
import { showToast } from "../components/toast.tsx"
import { useRested } from "../conditions/use-expression.ts"
import { definitionCheck, versionQuery, type Workflow, workflowQuery } from "../hub/queries.ts"
import { useAct } from "../hub/use-hub.ts"
import type { Side } from "../patterns/merge-review.tsx"
import { type Merge, mergeDrafts } from "../patterns/three-way.ts"
import { workflowEditorText as t } from "../text/workflow-editor.ts"
import { draftFields } from "./draft-merge.ts"
import { type Draft, emptyDraft } from "./draft.ts"
import { keepDraft, keptDraft } from "./kept-draft.ts"
import { warningsKey } from "./warnings-key.ts"

/** The version that a draft is based on. */
export interface Base {
  readonly number: number
  readonly draft: Draft
}

export interface Conflict extends Merge<Draft> {
  readonly number: number
  readonly by: { readonly name: string; readonly at: string }
  readonly before: Draft
  readonly own: Draft
  readonly saved: Draft
  readonly choices: Readonly<Record<string, Side>>
}

export interface Checked {
  readonly problems: ReadonlyArray<Detail>
  readonly warnings: ReadonlyArray<Detail>
  /** `local`: the hub has not confirmed it, because the person may not save. */
  readonly state: "checking" | "wrong" | "local" | "accepted" | "uncertain"
  readonly reason?: string
}

export interface Editing {
  readonly base: Base
  readonly draft: Draft
  readonly isChanged: boolean
  readonly isRestored: boolean
  readonly change: (draft: Draft) => void
  readonly undo: (() => void) | undefined
  readonly discard: () => void
  readonly checked: Checked
  readonly save: () => void
  readonly isSaving: boolean
  readonly error: HubError | null
  readonly conflict: Conflict | undefined
  readonly choose: (key: string, side: Side) => void
  readonly undecided: boolean
}

const historyMax = 100
/** The hub checks less often than the browser. */
const hubRestMillis = 800

const same = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other)

const definitionOf = ({ edges, input_schema, output, steps }: WorkflowDefinition): Draft => ({
  steps,
  edges: edges as Draft["edges"],
  ...input_schema === undefined ? {} : { input_schema },
  ...output === undefined ? {} : { output }
})

export const baseOf = (version: WorkflowDefinition & { readonly number: number } | undefined): Base =>
  version === undefined ? { number: 0, draft: emptyDraft } : { number: version.number, draft: definitionOf(version) }

/** Checks shortly after the last change. */
const useChecked = (draft: Draft, workflow: string, maySave: boolean): Checked => {
  const workspace = useWorkspaceId()
  const rested = useRested(draft)
  const [local, setLocal] = useState<{ readonly of: Draft; readonly problems: ReadonlyArray<Detail> }>()
  useEffect(() => {
    let isLatest = true
    import("./checks.ts").then(({ checkDraft }) => {
      if (isLatest) setLocal({ of: rested, problems: checkDraft(rested) })
    }, () => {
      if (isLatest) setLocal({ of: rested, problems: [] })
    })
    return () => {
      isLatest = false
    }
  }, [rested])
  const asked = useRested(draft, hubRestMillis)
  const isReady = maySave && same(asked, draft) && local !== undefined && same(local.of, draft) &&
    local.problems.length === 0
  const hub = useQuery({ ...definitionCheck(workspace, workflow, asked as WorkflowDefinition), enabled: isReady })
  if (local === undefined || !same(local.of, draft)) {
    return { problems: local?.problems ?? [], warnings: [], state: "checking" }
  }
  if (local.problems.length > 0) return { problems: local.problems, warnings: [], state: "wrong" }
  if (!maySave) return { problems: [], warnings: [], state: "local" }
  if (!isReady || hub.isPending) return { problems: [], warnings: [], state: "checking" }
  if (isHubError(hub.error)) {
    return hub.error.details.length > 0
      ? { problems: hub.error.details, warnings: [], state: "wrong" }
      : { problems: [], warnings: [], state: "uncertain", reason: hub.error.message }
  }
  return { problems: [], warnings: hub.data?.warnings ?? [], state: "accepted" }
}

export const useEditing = (workflow: Workflow, loaded: Base, maySave: boolean): Editing => {
  const workspace = useWorkspaceId()
  const queries = useQueryClient()
  const { user } = useMe()
  const [{ base, draft, isRestored }, setState] = useState(() => {
    const kept = keptDraft(user.id, workflow.id)
    return kept === undefined || same(kept.draft, kept.base)
      ? { base: loaded, draft: loaded.draft, isRestored: false }
      : { base: { number: kept.number, draft: kept.base }, draft: kept.draft, isRestored: true }
  })
  const [past, setPast] = useState<ReadonlyArray<Draft>>([])
  const [conflict, setConflict] = useState<Conflict>()
  const [isComparing, setComparing] = useState(false)
  const checked = useChecked(draft, workflow.id, maySave)
  const isChanged = !same(draft, base.draft)
  // Another person's version is shown at once while nothing is unsaved.
  useEffect(() => {
    if (!isChanged && loaded.number > base.number) setState({ base: loaded, draft: loaded.draft, isRestored: false })
  }, [isChanged, loaded, base.number])
  const to = (next: Draft, newBase = base) => {
    setState({ base: newBase, draft: next, isRestored: false })
    keepDraft(
      user.id,
      workflow.id,
      same(next, newBase.draft) ? undefined : { number: newBase.number, base: newBase.draft, draft: next }
    )
  }
  const create = useAct("workflows.createVersion", {
    workspace,
    touches: ["workflows"],
    onDone: (answer) => {
      if ("valid" in answer) return
      setPast([])
      setConflict(undefined)
      to(definitionOf(answer), baseOf(answer))
      keepWarnings(warningsKey(workspace, workflow.id), answer.warnings ?? [])
      showToast({ text: t.saved(answer.number) })
    }
  })
  const undecided = conflict?.collisions.some(({ key }) => conflict.choices[key] === undefined) === true
  const send = () =>
    create.mutate({ params: { id: workflow.id }, query: {}, payload: draft as unknown as WorkflowDefinition })
  const save = async () => {
    if (undecided || isComparing || create.isPending) return
    setComparing(true)
    try {
      const now = await queries.fetchQuery({ ...workflowQuery(workspace, workflow.id), staleTime: 0 })
      if (now.latest_version <= base.number || now.latest_version_id === undefined) return send()
      const newer = await queries.fetchQuery(versionQuery(workspace, workflow.id, now.latest_version_id))
      const saved = definitionOf(newer)
      const merge = mergeDrafts(draftFields(base.draft, draft, saved), base.draft, draft, saved)
      setPast([...past, draft].slice(-historyMax))
      to(merge.draft, { number: newer.number, draft: saved })
      setConflict({
        ...merge,
        number: newer.number,
        by: { name: newer.created_by.name, at: newer.created_at },
        before: base.draft,
        own: draft,
        saved,
        choices: {}
      })
    } catch {
      // The save reports why the hub cannot be reached.
      send()
    } finally {
      setComparing(false)
    }
  }
  return {
    base,
    draft,
    isChanged,
    isRestored,
    change: (next) => {
      if (same(next, draft)) return
      setPast([...past, draft].slice(-historyMax))
      to(next)
    },
    undo: past.length === 0 ? undefined : () => {
      const before = past.at(-1)
      if (before === undefined) return
      setPast(past.slice(0, -1))
      to(before)
    },
    discard: () => {
      setPast([])
      setConflict(undefined)
      create.reset()
      to(loaded.draft, loaded)
    },
    checked,
    save: () => void save(),
    isSaving: isComparing || create.isPending,
    error: create.error,
    conflict,
    choose: (key, side) => {
      const field = conflict?.collisions.find((one) => one.key === key)
      if (conflict === undefined || field === undefined) return
      to(field.copy(draft, side === "mine" ? conflict.own : conflict.saved))
      setConflict({ ...conflict, choices: { ...conflict.choices, [key]: side } })
    },
    undecided
  }
}
