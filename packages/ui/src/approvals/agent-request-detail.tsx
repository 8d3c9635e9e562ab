/** An agent request: its text, and the answer of a person. */
import { useQuery } from "@tanstack/react-query"
import { useEffect, useRef, useState } from "react"
import { ScreenState } from "../app/screen-state.tsx"
import { Avatar } from "../components/avatar.tsx"
import { TextArea } from "../components/fields.tsx"
import { Panel } from "../components/panel.tsx"
import { RadioGroup } from "../components/radio-group.tsx"
import { hubClock } from "../hub/hub-time.ts"
import { agentRequestQuery } from "../hub/queries.ts"
import { RevealedText } from "../patterns/revealed-text.tsx"
import { useTicking } from "../patterns/ticking.ts"
import { approvalText } from "../text/approvals.ts"
import { inboxRequestText } from "../text/inbox-requests.ts"
import { useRequestDecision } from "./request-decision.ts"
import styles from "./request-detail.module.css"
import type { RequestDetailProps } from "./request-detail.tsx"
import { RequestFrame } from "./request-frame.tsx"
import { RequestHead, RequestOutcome } from "./request-head.tsx"
import { ofAgentRequest } from "./request-layout.ts"
import { type AgentRequest, type InboxRequest, isOpenRequest } from "./request-rows.ts"
import { lateText, requestTitle, spokenEnd } from "./request-words.ts"
import { useAgentNames } from "./use-inbox-requests.ts"
import { usePermissionForAgent } from "./use-permission-in.ts"
import { revealTexts } from "./words.ts"

/** The hub's limit in `@countersign/domain/agent-requests`. */
const answerMax = 8_192

export const AgentRequestDetail = (props: RequestDetailProps) => {
  const { id, known, org } = props
  const reading = useQuery({
    ...agentRequestQuery(org, id),
    ...known?.type === "agent_request" ? { placeholderData: known.request } : {}
  })
  return (
    <ScreenState query={reading}>
      {reading.data !== undefined && <Shown {...props} request={reading.data} read={() => void reading.refetch()} />}
    </ScreenState>
  )
}

const Shown = (
  { beside, onDecidedByKey, org, read, request }: RequestDetailProps & {
    readonly request: AgentRequest
    readonly read: () => void
  }
) => {
  const t = inboxRequestText.agent
  const of: InboxRequest = ofAgentRequest(org)(request)
  const agent = useAgentNames([of])(of)
  const decision = useRequestDecision(of)
  const mayDecide = usePermissionForAgent(org, request.agent_id, "approvals:decide")
  const [answer, setAnswer] = useState("")
  const answering = useRef<HTMLDivElement>(null)
  const { body, expires_at, kind, options, title } = request
  const isOver = useTicking(() =>
    isOpenRequest(of) && expires_at !== undefined && hubClock.now() >= Date.parse(expires_at)
  )
  useEffect(() => {
    if (isOver) read()
    // Runs once, on expiry; the request's event covers the rest.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [isOver])
  const isOpen = isOpenRequest(of)
  const reveal = revealTexts(approvalText)
  const isMissing = kind !== "handoff" && answer.trim() === ""
  const name = agent ?? inboxRequestText.unknownAgent
  const send = (isAnswer: boolean) => (comment: string, byKey: boolean) => {
    const remark = comment === "" ? {} : { comment }
    const text = options === undefined ? answer.trim() : answer
    decision.send({
      type: "agent_request",
      button: isAnswer ? "first" : "second",
      words: (isAnswer ? t.answering : t.dismissing)(title),
      payload: isAnswer
        ? { status: "answered", ...text === "" ? {} : { answer: text }, ...remark }
        : { status: "dismissed", ...remark }
    }, byKey ? onDecidedByKey : undefined)
  }
  return (
    <RequestFrame
      id={request.id}
      label={requestTitle(of, agent, inboxRequestText)}
      state={`${request.status} ${isOver}`}
      beside={beside}
      isOpen={isOpen}
      obstacle={isOver ? t.over : mayDecide ? undefined : t.forbidden}
      missing={isMissing ? (options === undefined ? t.incomplete : t.incompleteChoice) : undefined}
      onMissing={() => answering.current?.querySelector<HTMLElement>("textarea, input")?.focus()}
      first={{
        text: kind === "handoff" ? t.takeOver : t.send,
        again: kind === "handoff" ? t.takeOver : t.send,
        cents: 0,
        send: send(true),
        failed: t.failedAnswer
      }}
      second={{ text: t.dismiss, send: send(false), failed: t.failedDismiss }}
      unchanged={t.unchanged}
      decision={decision}
      late={decision.error === null ? undefined : lateText(of, decision.error, inboxRequestText)}
      spoken={spokenEnd(of, "", inboxRequestText)}
      outcome={<RequestOutcome of={of} />}
      head={
        <RequestHead
          of={of}
          status={isOver ? "expired" : request.status}
          badge={inboxRequestText.kind[kind]}
          sentence={
            <>
              <span className={styles.agent}>
                <Avatar kind="agent" name={name} size={24} />
                <RevealedText text={name} texts={reveal} />:
              </span>{" "}
              <RevealedText text={title} texts={reveal} />
            </>
          }
        />
      }
    >
      <div className={styles.columns}>
        {body !== "" && (
          <Panel title={t.body} level={3}>
            <div className={styles.text}>
              <RevealedText text={body} texts={reveal} />
            </div>
          </Panel>
        )}
        {isOpen
          ? (
            <Panel title={t.answer} level={3}>
              <div ref={answering} className={styles.answer}>
                {options === undefined
                  ? (
                    <TextArea
                      label={t.typed}
                      aside={kind === "handoff" ? t.optional : undefined}
                      description={t.typedHint}
                      maxLength={answerMax}
                      value={answer}
                      disabled={!mayDecide || isOver}
                      onChange={setAnswer}
                    />
                  )
                  : (
                    <RadioGroup
                      label={t.options}
                      value={answer}
                      onChange={setAnswer}
                      options={options.map((value) => ({
                        value,
                        text: <RevealedText text={value} texts={reveal} />,
                        disabled: !mayDecide || isOver
                      }))}
                    />
                  )}
              </div>
            </Panel>
          )
          : request.status === "answered" && (
            <Panel title={t.given} level={3}>
              <div className={styles.text}>
                {request.answer === undefined ? t.noAnswer : <RevealedText text={request.answer} texts={reveal} />}
              </div>
            </Panel>
          )}
      </div>
    </RequestFrame>
  )
}
