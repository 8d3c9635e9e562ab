/**
 * The question before a command runs: the full plan, the time left until it is denied, and two buttons. Deny has the
 * focus, and Escape denies. Allow is disabled until the main process enables it; this page reports when the question
 * was drawn and when its end was seen. Spec: reference/devices.md "D10: doubt is denial", "D11: the owner's window".
 */
import { Button } from "@countersign/ui/components/button.tsx"
import { RevealedText } from "@countersign/ui/patterns/revealed-text.tsx"
import { Seal } from "@countersign/ui/patterns/seal.tsx"
import { useTicking } from "@countersign/ui/patterns/ticking"
import { payloadText as texts } from "@countersign/ui/text/payload"
import { useEffect, useId, useRef, useState } from "react"
import type { OwnerBridge, OwnerQuestion } from "../../bridge/owner.ts"
import { useDeliberatePress } from "../confirm/deliberate-press.ts"
import { linePart } from "./line-part.ts"
import styles from "./question.module.css"
import { ownerText as t } from "./text.ts"

export interface QuestionProps {
  readonly bridge: OwnerBridge
  readonly question: OwnerQuestion
}

/** Calls `act` after the paint, in the frame after next. Returns a function that cancels it. */
const afterPaint = (act: () => void): () => void => {
  let frame = requestAnimationFrame(() => {
    frame = requestAnimationFrame(act)
  })
  return () => cancelAnimationFrame(frame)
}

/** Reports to the main process when the question is on the screen, and then when its end is. */
const useShown = (bridge: OwnerBridge, question: string, digest: string) => {
  const end = useRef<HTMLDivElement>(null)
  const [isSeen, setSeen] = useState(false)
  useEffect(() => {
    let watch: IntersectionObserver | undefined
    let isGone = false
    const cancel = afterPaint(() =>
      void bridge.drawn({ question, digest }).then(() => {
        if (isGone || end.current === null) return
        // Observes the viewport, so that text clipped by a region does not count as seen.
        watch = new IntersectionObserver((entries) => {
          if (!entries.some(({ isIntersecting }) => isIntersecting)) return
          watch?.disconnect()
          setSeen(true)
          void bridge.read({ question, digest }).catch(() => {})
        })
        watch.observe(end.current)
      }, () => {})
    )
    return () => {
      isGone = true
      cancel()
      watch?.disconnect()
    }
  }, [bridge, question, digest])
  return { end, isSeen }
}

/** Keys that scroll the text wherever the focus is, by a share of the visible height. */
const steps: Readonly<Record<string, number>> = {
  ArrowUp: -0.1,
  ArrowDown: 0.1,
  PageUp: -0.9,
  PageDown: 0.9,
  Home: Number.NEGATIVE_INFINITY,
  End: Number.POSITIVE_INFINITY
}

const Clock = ({ until }: { readonly until: number }) => {
  const left = useTicking(() => Math.max(0, Math.ceil((until - Date.now()) / 1_000)))
  return (
    <p className={styles.clock} role="timer" data-urgent={left <= 60 || undefined}>
      {t.deniedIn(String(Math.floor(left / 60)), String(left % 60).padStart(2, "0"))}
    </p>
  )
}

const Lines = ({ lines }: { readonly lines: ReadonlyArray<string> }) => {
  return lines.map((line, at) => {
    const { kind, label, text } = linePart(line)
    return (
      <p key={at} className={styles.line} data-kind={kind}>
        {label !== undefined && <span className={styles.label}>{label}</span>}
        {text !== "" && (
          <span className={styles.value}>
            <RevealedText text={text} texts={texts} />
          </span>
        )}
      </p>
    )
  })
}

export const Question = (
  { bridge, question: { allow, behind, digest, expiresAt, lines, question } }: QuestionProps
) => {
  const [title, hint, text] = [useId(), useId(), useId()]
  const [isPending, setPending] = useState(false)
  const [problem, setProblem] = useState<string>()
  const deny = useRef<HTMLButtonElement>(null)
  const region = useRef<HTMLDivElement>(null)
  const { end, isSeen } = useShown(bridge, question, digest)
  const [first = "", ...rest] = lines

  const sendDenial = (cause: "person" | "escape") =>
    void bridge.deny({ question, cause }).catch(() => setProblem(t.broken))
  const sendApproval = async () => {
    setPending(true)
    try {
      const answer = await bridge.allow({ question, digest })
      if (answer.ok && answer.value.refusal === null) return
      setProblem(answer.ok && answer.value.refusal !== null ? t.refusals[answer.value.refusal] : t.broken)
    } catch {
      setProblem(t.broken)
    }
    setPending(false)
    deny.current?.focus()
  }
  const denyPress = useDeliberatePress(() => sendDenial("person"))
  const allowPress = useDeliberatePress(() => void sendApproval(), allow)

  useEffect(() => deny.current?.focus(), [])
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.key === "Escape") {
        event.preventDefault()
        return void bridge.deny({ question, cause: "escape" }).catch(() => {})
      }
      const step = steps[event.key]
      if (step === undefined || region.current === null) return
      event.preventDefault()
      const { clientHeight, scrollHeight } = region.current
      region.current.scrollBy({ top: Math.max(-scrollHeight, Math.min(scrollHeight, step * clientHeight)) })
    }
    document.addEventListener("keydown", onKeyDown)
    return () => document.removeEventListener("keydown", onKeyDown)
  }, [bridge, question])

  return (
    <main className={styles.question} aria-labelledby={title} data-question={question}>
      <header className={styles.head}>
        <div className={styles.facts}>
          <p>{t.asked}</p>
          <Clock until={expiresAt} />
        </div>
        <h1 id={title} className={styles.title}>
          <RevealedText text={first} texts={texts} />
        </h1>
      </header>
      <div ref={region} id={text} className={styles.text} role="region" aria-label={t.whole} tabIndex={0}>
        <Lines lines={rest} />
        <div ref={end} className={styles.end} />
      </div>
      <footer className={styles.foot}>
        <p id={hint} className={styles.hint} role="status" data-problem={problem !== undefined || undefined}>
          {problem ?? (allow ? t.ready : isSeen ? t.wait : t.readOn)}
        </p>
        {behind > 0 && <p className={styles.behind}>{t.behind(behind)}</p>}
        <div className={styles.acts}>
          <Seal digest={digest} label={t.seal} />
          <Button ref={deny} variant="danger" keys={["Esc"]} aria-describedby={text} {...denyPress}>{t.deny}</Button>
          <Button
            variant="primary"
            disabled={!allow}
            pending={isPending}
            pendingText={t.allowing}
            aria-describedby={hint}
            {...allowPress}
          >
            {t.allow}
          </Button>
        </div>
      </footer>
    </main>
  )
}
