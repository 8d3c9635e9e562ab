/** What an agent can do, and the skills that it proposes. */
import type { Output, Row } from "@countersign/hub-client/contract"
import { useInfiniteQuery } from "@tanstack/react-query"
import { useState } from "react"
import { ConfirmAct } from "../app/confirm-act.tsx"
import { ScreenState } from "../app/screen-state.tsx"
import { useWorkspaceId } from "../app/session.ts"
import { Badge } from "../components/badge.tsx"
import { Button } from "../components/button.tsx"
import { Panel } from "../components/panel.tsx"
import { Tabs } from "../components/tabs.tsx"
import { hubClock } from "../hub/hub-time.ts"
import { proposalPages, skillPages } from "../hub/queries.ts"
import { rowsOf } from "../hub/query-options.ts"
import { useAct } from "../hub/use-hub.ts"
import { useMayAct } from "../live/connection.ts"
import { RelativeTime } from "../patterns/relative-time.tsx"
import { RevealedText } from "../patterns/revealed-text.tsx"
import { StatusBadge } from "../patterns/status-badge.tsx"
import { payloadText as reveal } from "../text/payload.ts"
import { skillsText as t } from "../text/skills.ts"
import styles from "./activity-panel.module.css"
import { ProposalDialog } from "./proposal-dialog.tsx"

type Skill = Row<"skills.list">
type Proposal = Row<"skills.listProposals">

export interface SkillsPanelProps {
  readonly agent: Output<"agents.get">
  /** May decide proposals and delete custom skills. */
  readonly mayChange: boolean
}

const shownMax = 8
/** The looks of `patterns/status.ts`. */
const lookOf = { proposed: "pending", accepted: "approved", rejected: "rejected" } as const

export const SkillsPanel = ({ agent, mayChange }: SkillsPanelProps) => {
  const workspace = useWorkspaceId()
  const proposals = useInfiniteQuery(proposalPages(workspace, agent.id))
  const pending = rowsOf(proposals.data).filter(({ status }) => status === "proposed").length
  const [picked, setPicked] = useState<"skills" | "proposals">()
  // The tab stays after the last decision.
  if (picked === undefined && pending > 0) setPicked("proposals")
  const shown = picked ?? "skills"
  return (
    <Panel title={t.title} flush>
      <div className={styles.tabs}>
        <Tabs
          label={t.label}
          tabs={[
            { value: "skills", text: t.skills },
            { value: "proposals", text: t.proposals, count: pending === 0 ? undefined : pending }
          ]}
          value={shown}
          onChange={setPicked}
        >
          {shown === "skills"
            ? <Skills agent={agent} mayChange={mayChange} />
            : <Proposals agent={agent} mayChange={mayChange} proposals={proposals} />}
        </Tabs>
      </div>
    </Panel>
  )
}

/** A page of rows, then as many as are loaded. */
const useShown = <R extends object>(rows: ReadonlyArray<R>, pages: Pages) => {
  const [isWhole, setWhole] = useState(false)
  const hidden = !isWhole && rows.length > shownMax
  return {
    rows: hidden ? rows.slice(0, shownMax) : rows,
    more: (hidden || pages.hasNextPage) && (
      <p className="px-16 py-8">
        <Button
          size="small"
          pending={pages.isFetchingNextPage}
          onClick={() => {
            if (hidden) setWhole(true)
            else void pages.fetchNextPage()
          }}
        >
          {t.more}
        </Button>
      </p>
    )
  }
}

interface Pages {
  readonly hasNextPage: boolean
  readonly isFetchingNextPage: boolean
  readonly fetchNextPage: () => unknown
}

const Skills = ({ agent, mayChange }: SkillsPanelProps) => {
  const workspace = useWorkspaceId()
  const mayAct = useMayAct()
  const pages = useInfiniteQuery(skillPages(workspace, agent.id))
  const shown = useShown<Skill>(rowsOf(pages.data), pages)
  const [removing, setRemoving] = useState<Skill>()
  const remove = useAct("skills.remove", {
    workspace,
    touches: ["skills"],
    done: t.remove.done(removing?.name ?? ""),
    onDone: () => setRemoving(undefined)
  })
  return (
    <ScreenState query={pages}>
      {shown.rows.length === 0
        ? <p className={`type-body text-2 ${styles.note}`}>{t.empty}</p>
        : (
          <ul className={styles.rows}>
            {shown.rows.map((skill) => (
              <li key={skill.id} className={`flex items-center gap-12 type-body ${styles.row}`}>
                <span className="flex-1 min-w-0">
                  <span className="weight-label wrap-anywhere">{skill.name}</span>{" "}
                  <span className="type-note text-2 wrap-anywhere">
                    <RevealedText line text={skill.description} texts={reveal} />
                  </span>
                </span>
                <Badge>{t.kinds[skill.kind]}</Badge>
                {skill.kind === "custom" && mayChange && (
                  <Button
                    size="small"
                    disabled={!mayAct}
                    onClick={() => setRemoving(skill)}
                  >
                    {t.remove.act}
                  </Button>
                )}
              </li>
            ))}
          </ul>
        )}
      {shown.more}
      {removing !== undefined && (
        <ConfirmAct
          call={remove}
          onClose={() => setRemoving(undefined)}
          title={t.remove.title(removing.name)}
          description={t.remove.what}
          confirmText={t.remove.act}
          onConfirm={() => remove.mutate({ params: { id: agent.id, skillId: removing.id } })}
          failed={t.remove.failed}
          unchanged={t.remove.unchanged}
        />
      )}
    </ScreenState>
  )
}

type Reading = Parameters<typeof ScreenState>[0]["query"] & Pages & {
  readonly data: { readonly pages: ReadonlyArray<{ readonly data: ReadonlyArray<Proposal> }> } | undefined
}

const Proposals = ({ agent, mayChange, proposals }: SkillsPanelProps & { readonly proposals: Reading }) => {
  const shown = useShown<Proposal>(rowsOf(proposals.data), proposals)
  const [open, setOpen] = useState<Proposal>()
  return (
    <ScreenState query={proposals}>
      {shown.rows.length === 0
        ? <p className={`type-body text-2 ${styles.note}`}>{t.noProposals}</p>
        : (
          <ul className={styles.rows}>
            {shown.rows.map((proposal) => {
              const isOpen = proposal.status === "proposed" && mayChange
              return (
                <li key={proposal.id} className={`flex items-center gap-12 type-body ${styles.row}`}>
                  <StatusBadge status={lookOf[proposal.status]}>{t.statuses[proposal.status]}</StatusBadge>
                  <span className="flex-1 min-w-0 weight-label wrap-anywhere">{proposal.name}</span>
                  <span className="type-note text-2 text-end">
                    <RelativeTime at={proposal.decided_at ?? proposal.created_at} now={hubClock.now} />
                  </span>
                  <Button
                    size="small"
                    aria-label={isOpen ? t.reviewOf(proposal.name) : t.readOf(proposal.name)}
                    onClick={() => setOpen(proposal)}
                  >
                    {isOpen ? t.review : t.read}
                  </Button>
                </li>
              )
            })}
          </ul>
        )}
      {shown.more}
      {open !== undefined && (
        <ProposalDialog
          agent={agent}
          proposal={open}
          mayChange={mayChange}
          onClose={() => setOpen(undefined)}
        />
      )}
    </ScreenState>
  )
}
