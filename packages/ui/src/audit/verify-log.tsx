/** Verifies the chain: shows the progress during the check and the result in plain words. */
import type { Output } from "@countersign/hub-client/contract"
import { useQueryClient } from "@tanstack/react-query"
import { useRef, useState } from "react"
import { Problem } from "../app/problem.tsx"
import { Button } from "../components/button.tsx"
import { Dialog } from "../components/dialog.tsx"
import { ProgressLine } from "../components/progress-line.tsx"
import { auditHead } from "../hub/queries.ts"
import { useHub } from "../hub/use-hub.ts"
import { durationText } from "../listing/duration.ts"
import { StatusGlyph } from "../patterns/status-badge.tsx"
import { actText as acts } from "../text/acts.ts"
import { auditText } from "../text/audit.ts"
import { figure } from "../text/catalogue.ts"
import styles from "./verify-log.module.css"

type Verified = Output<"audit.verify">

type Walk =
  | { readonly kind: "idle" }
  | { readonly kind: "running"; readonly length: number | undefined }
  | { readonly kind: "done"; readonly found: Verified; readonly millis: number }
  | { readonly kind: "failed"; readonly error: unknown }

export const useVerification = (workspace: string) => {
  const hub = useHub()
  const queries = useQueryClient()
  const [walk, setWalk] = useState<Walk>({ kind: "idle" })
  const current = useRef<AbortController>(undefined)
  const start = async () => {
    current.current?.abort()
    const control = new AbortController()
    current.current = control
    setWalk({ kind: "running", length: undefined })
    void queries.fetchQuery(auditHead(workspace)).then(({ data }) => {
      setWalk((now) =>
        now.kind === "running" && !control.signal.aborted ? { kind: "running", length: data[0]?.seq } : now
      )
    }, () => undefined)
    const from = performance.now()
    try {
      const found = await hub.call("audit.verify", {}, { workspace, signal: control.signal })
      if (!control.signal.aborted) setWalk({ kind: "done", found, millis: performance.now() - from })
    } catch (error) {
      if (!control.signal.aborted) setWalk({ kind: "failed", error })
    }
  }
  const stop = () => {
    current.current?.abort()
    setWalk({ kind: "idle" })
  }
  return { walk, start, stop }
}

export const VerificationResult = (
  { onOpenEntry, walk }: { readonly walk: Walk; readonly onOpenEntry?: ((seq: number) => void) | undefined }
) => {
  const t = auditText.verify
  switch (walk.kind) {
    case "idle":
      return null
    case "running": {
      const words = walk.length === undefined ? t.runningUnknown : t.running(figure(walk.length))
      return (
        <div className="grid gap-8 type-body" role="status">
          <p>{words}</p>
          <ProgressLine active label={words} />
        </div>
      )
    }
    case "failed":
      return <Problem inline error={walk.error} failed={t.failed} unchanged={t.unchanged} />
    case "done": {
      const { checked, first_bad_seq, ok } = walk.found
      return (
        <div className={`flex gap-12 p-12 border rounded-panel type-body ${styles.result}`} data-ok={ok} role="status">
          <StatusGlyph look={ok ? "executed" : "failed"} toned size={16} />
          <div>
            <p className="weight-strong">
              {ok ? checked === 0 ? t.empty : t.done(checked) : t.broken(first_bad_seq ?? checked + 1)}
            </p>
            {!ok && <p>{t.brokenAfter(checked)} {t.brokenNext}</p>}
            <p className="type-note text-3">{t.took(durationText(walk.millis))}</p>
            {!ok && onOpenEntry !== undefined && first_bad_seq !== undefined && (
              <Button
                size="small"
                onClick={() => onOpenEntry(first_bad_seq)}
              >
                {t.open}
              </Button>
            )}
          </div>
        </div>
      )
    }
  }
}

export interface VerifyDialogProps {
  readonly workspace: string
  readonly open: boolean
  readonly onOpenChange: (open: boolean) => void
  readonly onOpenEntry: (seq: number) => void
}

export const VerifyDialog = ({ onOpenChange, onOpenEntry, open, workspace }: VerifyDialogProps) => {
  const t = auditText.verify
  const { start, stop, walk } = useVerification(workspace)
  const change = (next: boolean) => {
    if (!next) stop()
    onOpenChange(next)
  }
  return (
    <Dialog
      open={open}
      onOpenChange={change}
      title={t.title}
      description={t.what}
      closeText={acts.close}
      footer={
        <>
          <Button onClick={() => change(false)}>{acts.close}</Button>
          <Button
            variant="primary"
            pending={walk.kind === "running"}
            pendingText={acts.asking}
            onClick={() => void start()}
          >
            {walk.kind === "idle" || walk.kind === "running" ? t.start : t.again}
          </Button>
        </>
      }
    >
      <div className="grid gap-16">
        <VerificationResult
          walk={walk}
          onOpenEntry={(seq) => {
            change(false)
            onOpenEntry(seq)
          }}
        />
        <p className="type-note text-3">{t.offline}</p>
      </div>
    </Dialog>
  )
}
