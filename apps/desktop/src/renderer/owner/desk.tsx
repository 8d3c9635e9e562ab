/** What commands may use on this computer, and the hub it is connected to. A stopped device is shown first. */
import { Mark } from "@countersign/ui/app/mark.tsx"
import { Badge, type Tone } from "@countersign/ui/components/badge.tsx"
import { Button } from "@countersign/ui/components/button.tsx"
import { RevealedText } from "@countersign/ui/patterns/revealed-text.tsx"
import { payloadText as texts } from "@countersign/ui/text/payload"
import type { OwnerBridge, OwnerState } from "../../bridge/owner.ts"
import { failureText, failureWords } from "../device/failure-text.ts"
import { useBridgeCall } from "./bridge-call.ts"
import styles from "./desk.module.css"
import { ProblemText } from "./problem-text.tsx"
import { RootsPanel } from "./roots-panel.tsx"
import { RulesPanel } from "./rules-panel.tsx"
import { ownerText as t } from "./text.ts"

export interface DeskProps {
  readonly bridge: OwnerBridge
  readonly state: OwnerState
}

const tones: Readonly<Record<OwnerState["device"]["phase"], Tone>> = {
  off: "neutral",
  unpaired: "neutral",
  starting: "info",
  restarting: "info",
  online: "ok",
  offline: "hold",
  paused: "hold",
  ending: "hold",
  stopped: "stop",
  failed: "stop"
}

const moment = new Intl.DateTimeFormat("en-US", { dateStyle: "medium", timeStyle: "short" })

const Stopped = ({ bridge, panic }: Pick<DeskProps, "bridge"> & Pick<OwnerState, "panic">) => {
  const { ask, busy, problem } = useBridgeCall()
  return (
    <section className={styles.stopped} aria-labelledby="stopped">
      <div className={styles.words}>
        <h2 id="stopped" className={styles.strong}>{t.stopped}</h2>
        <p>{t.stoppedSince(moment.format(panic.since ?? Date.now()))}</p>
        {panic.unwritten === true && <p>{t.unwritten}</p>}
        {problem !== undefined && <ProblemText problem={problem} />}
      </div>
      <Button variant="primary" pending={busy} pendingText={t.resuming} onClick={() => void ask(() => bridge.resume())}>
        {t.resume}
      </Button>
    </section>
  )
}

const Stop = ({ bridge }: Pick<DeskProps, "bridge">) => {
  const { ask, busy, problem } = useBridgeCall()
  return (
    <section className={styles.stop} aria-label={t.stop}>
      <div className={styles.words}>
        <p className={styles.lead}>{t.stopLead}</p>
        {problem !== undefined && <ProblemText problem={problem} />}
      </div>
      <Button variant="danger" pending={busy} pendingText={t.stopping} onClick={() => void ask(() => bridge.stop())}>
        {t.stop}
      </Button>
    </section>
  )
}

export const Desk = ({ bridge, state }: DeskProps) => {
  const { device, pairing, pairing_problem, panic } = state
  const reason = failureWords(failureText, device)
  return (
    <main className={styles.desk}>
      <header className={styles.head}>
        <Mark size={24} />
        <div className={styles.words}>
          <h1 className={styles.title}>{t.title}</h1>
          {pairing === null
            ? <p>{pairing_problem === null ? t.unpaired : `${t.pairingProblem}: ${pairing_problem}`}</p>
            : (
              <>
                <p>
                  {t.connectedTo(pairing.name)}{" "}
                  <RevealedText text={pairing.hub_name ?? new URL(pairing.hub).host} texts={texts} />
                </p>
                {pairing.hub_name !== null && <p className={styles.address}>{pairing.hub}</p>}
              </>
            )}
          {reason !== undefined && <p className={styles.reason}>{reason}</p>}
        </div>
        <div className={styles.state} role="status">
          <Badge tone={tones[device.phase]}>{t.phases[device.phase]}</Badge>
          {device.running.length > 0 && <span>{t.running(device.running.length)}</span>}
        </div>
      </header>
      {panic.stopped
        ? <Stopped bridge={bridge} panic={panic} />
        : (pairing ?? pairing_problem) !== null && <Stop bridge={bridge} />}
      {pairing !== null && <RootsPanel bridge={bridge} roots={state.roots} />}
      <RulesPanel
        bridge={bridge}
        rules={state.rules}
        roots={state.roots}
        sandbox={state.sandbox}
        reportsLock={state.tells_lock}
      />
    </main>
  )
}
