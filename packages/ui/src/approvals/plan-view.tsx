/**
 * The complete plan of a device command, which runs if it is approved. Nothing is truncated, hidden characters are
 * boxed, and the sandbox is stated.
 */
import type { DevicePlan } from "@countersign/domain/device-plan"
import { type ReactNode, Suspense } from "react"
import { Link } from "../app/link.tsx"
import { Badge } from "../components/badge.tsx"
import { Id } from "../components/id.tsx"
import { lazyPart } from "../components/lazy-part.ts"
import { Tabs } from "../components/tabs.tsx"
import { ArgvView } from "../devices/argv-view.tsx"
import { bytesText } from "../devices/bytes-text.ts"
import { argvOf } from "../devices/command-line.ts"
import { KeyValueList } from "../patterns/key-value-list.tsx"
import type { PayloadViewMode } from "../patterns/payload-view.tsx"
import { RevealedText } from "../patterns/revealed-text.tsx"
import { StatusGlyph } from "../patterns/status-badge.tsx"
import { commandsText } from "../text/commands.ts"
import { payloadText as words } from "../text/payload.ts"
import { plansText as t } from "../text/plans.ts"
import type { ApprovalRow } from "./inbox-rows.ts"
import styles from "./plan-view.module.css"
import { isCommand } from "./words.ts"

const JsonTree = lazyPart(() => import("../patterns/json-tree.tsx"))

export interface PlanViewProps {
  readonly approval: ApprovalRow
  readonly view: PayloadViewMode
  readonly onView: (view: PayloadViewMode) => void
  /** Rendered after the plan once all of it is rendered. */
  readonly end: ReactNode
  readonly keys: { readonly [K in PayloadViewMode]?: ReadonlyArray<string> | undefined }
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/**
 * The hub has validated it against its schema; this console must not show a later version that it cannot show in full.
 */
const planIn = (payload: unknown): DevicePlan | undefined =>
  isRecord(payload) && payload["version"] === 1 && typeof payload["tool"] === "string" && isRecord(payload["input"])
    ? (payload as DevicePlan)
    : undefined

export const PlanView = ({ approval, end, keys, onView, view }: PlanViewProps) => {
  const plan = isCommand(approval) ? planIn(approval.payload) : undefined
  const current = plan === undefined || view === "json" ? ("json" as const) : ("form" as const)
  return (
    <Tabs
      label={t.views}
      tabs={[
        ...(plan === undefined ? [] : [{ value: "form" as const, text: t.plan, keys: keys.form }]),
        { value: "json" as const, text: t.json, keys: keys.json }
      ]}
      value={current}
      onChange={onView}
    >
      <div className="grid gap-12 min-w-0 pt-12">
        {plan === undefined && <p className="type-note weight-label text-stop">{t.unreadable}</p>}
        {plan !== undefined && current === "form"
          ? (
            <>
              <Plan approval={approval} plan={plan} />
              {end}
              <p className="pt-12 border-t type-note text-2">{t.digest}</p>
            </>
          )
          : (
            <Suspense fallback={null}>
              <JsonTree value={approval.payload} end={end} texts={words} />
            </Suspense>
          )}
      </div>
    </Tabs>
  )
}

const Plan = ({ approval, plan }: { readonly approval: ApprovalRow; readonly plan: DevicePlan }) => {
  const sizes = commandsText.bytes
  const workspace = approval.org_id
  const { directory, files, files_omitted, input, network, program, sandbox, target, timeout_seconds } = plan
  const mono = (text: string): ReactNode => (
    <code className="type-mono wrap-anywhere">
      <RevealedText text={text} texts={words} />
    </code>
  )
  const argv = argvOf(plan)
  const { content, env, path, stdin, url, ...rest } = input
  const variables = isRecord(env) ? Object.entries(env) : []
  const others = Object.entries(rest).filter(([name]) => !(argv !== undefined && name === "argv"))
  const items = [
    path !== undefined && { key: "asked", name: t.asked, value: mono(String(path)) },
    target !== undefined && { key: "target", name: t.target, value: mono(target) },
    url !== undefined && { key: "url", name: t.address, value: mono(String(url)) },
    content !== undefined && {
      key: "content",
      name: t.content,
      value: (
        <pre className={`border rounded-control bg-sunken type-mono wrap-anywhere ${styles.content}`}>
          <RevealedText text={String(content)} texts={words} />
        </pre>
      )
    },
    ...others.map(([name, value]) => ({
      key: name,
      name: <code className="type-mono wrap-anywhere">{name}</code>,
      value: mono(typeof value === "string" ? value : JSON.stringify(value))
    })),
    directory !== undefined && { key: "directory", name: t.directory, value: mono(directory) },
    program !== undefined && { key: "program", name: t.program, value: mono(program.path) },
    program !== undefined
    && program.real_path !== program.path && { key: "real", name: t.programReal, value: mono(program.real_path) },
    argv !== undefined && {
      key: "env",
      name: t.environment,
      value: variables.length === 0
        ? t.noEnvironment
        : mono(variables.map(([name, value]) => `${name}=${String(value)}`).join("\n"))
    },
    typeof stdin === "string" && {
      key: "stdin",
      name: t.stdin,
      value: (
        <>
          <span>{t.stdinSize(stdin.length)}</span>
          <pre className={`border rounded-control bg-sunken type-mono wrap-anywhere ${styles.content}`}>
            <RevealedText text={stdin} texts={words} />
          </pre>
        </>
      )
    },
    files !== undefined && {
      key: "files",
      name: t.files,
      value: (
        <>
          <ul className="grid gap-8">
            {files.map(({ bytes, path, sha256 }) => (
              <li key={path}>
                {mono(path)}
                <span className="block type-note text-3">{bytesText(sizes, bytes)}</span>
                <span className="block type-note text-3">
                  {t.fileHash} {mono(sha256)}
                </span>
              </li>
            ))}
          </ul>
          <span className="block type-note text-3">{t.filesBound[sandbox ?? "none"]}</span>
        </>
      )
    },
    files_omitted !== undefined && {
      key: "omitted",
      name: t.filesOmitted,
      value: <span className="text-stop">{t.omitted(files_omitted)}</span>
    },
    network !== undefined && { key: "network", name: t.network, value: t.networks[network] },
    { key: "timeout", name: t.timeout, value: t.seconds(timeout_seconds) },
    approval.device !== undefined && {
      key: "device",
      name: t.device,
      value: (
        <Link to="/w/$workspace/devices/$id" params={{ workspace, id: approval.device.id }}>
          {approval.device.name}
        </Link>
      )
    },
    approval.requested_by !== undefined && { key: "by", name: t.by, value: approval.requested_by.name },
    approval.device !== undefined && {
      key: "command",
      name: t.command,
      value: (
        <Link
          to="/w/$workspace/devices/$id/commands/$commandId"
          params={{ workspace, id: approval.device.id, commandId: approval.subject.id }}
        >
          <Id value={approval.subject.id} />
        </Link>
      )
    }
  ].filter((item) => item !== false)
  return (
    <>
      {argv !== undefined && <ArgvView argv={argv} />}
      {sandbox !== undefined && (
        <p className={`flex flex-wrap items-baseline gap-4 gap-x-8 type-body ${styles.sandbox}`} data-sandbox={sandbox}>
          <Badge
            tone={sandbox === "none" ? "stop" : "ok"}
            glyph={<StatusGlyph look={sandbox === "none" ? "blocked" : "executed"} />}
          >
            {t.sandbox}
          </Badge>
          <span>{t.sandboxes[sandbox]}</span>
        </p>
      )}
      <KeyValueList items={items} />
    </>
  )
}

export default PlanView
